// The sources of keys that ask others: containers, instances, STS, processes.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "aws/credentials_source.hpp"
#include "aws/profile_chain.hpp"
#include "client/credentials/source_context.hpp"

#include <dynalease/aws/credentials.hpp>

#include <boost/asio/awaitable.hpp>

#include <memory>

namespace dynalease::detail {

using aws::shared_credentials;
using source_ptr = std::unique_ptr<aws::credentials_source>;
using fetched_credentials = boost::asio::awaitable<result<shared_credentials>>;

/// ECS and EKS Pod Identity, if their variables are set.
source_ptr container_source(shared_source_context context);

/// EC2. Asked last of all: where there is no instance, or it has no role, that is nothing found rather than a failure.
source_ptr instance_source(shared_source_context context);
/// The same, where a profile says that it is an instance: then it is a failure.
source_ptr expected_instance_source(shared_source_context context);

/// EKS's older way: AWS_WEB_IDENTITY_TOKEN_FILE and AWS_ROLE_ARN.
source_ptr web_identity_source(shared_source_context context);

/// The shared files.
source_ptr profile_source(shared_source_context context);

/// One step of a profile's chain.
fetched_credentials assume_role(shared_source_context context, aws::shared_credentials who, assumed_role wanted);
fetched_credentials assume_by_token(shared_source_context context, aws::web_identity wanted);

}  // namespace dynalease::detail
