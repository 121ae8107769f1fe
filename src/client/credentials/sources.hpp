// The sources of keys that ask others: containers, instances, STS, processes.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "aws/credentials_source.hpp"
#include "aws/profile_chain.hpp"
#include "client/credentials/source_context.hpp"

#include <dynalease/aws/credentials.hpp>

#include <boost/asio/awaitable.hpp>

#include <memory>

namespace dynalease::keys {

using aws::shared_credentials;
using source = std::unique_ptr<aws::credentials_source>;
using fetched = boost::asio::awaitable<result<shared_credentials>>;

/// ECS and EKS Pod Identity, if their variables are set.
source container_source(shared_surroundings around);

/// EC2. Asked last of all: where there is no instance, or it has no role, that is nothing found rather than a failure.
source instance_source(shared_surroundings around);
/// The same, where a profile says that it is an instance: then it is a failure.
source expected_instance_source(shared_surroundings around);

/// EKS's older way: AWS_WEB_IDENTITY_TOKEN_FILE and AWS_ROLE_ARN.
source web_identity_source(shared_surroundings around);

/// The shared files.
source profile_source(shared_surroundings around);

/// One step of a profile's chain.
fetched assume_role(shared_surroundings around, aws::shared_credentials who, assumed_role wanted);
fetched assume_by_token(shared_surroundings around, aws::web_identity wanted);

}  // namespace dynalease::keys
