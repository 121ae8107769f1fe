// How a profile gets its keys: the first ones, and the roles that are assumed with them, one after the other.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "aws/shared_config.hpp"

#include <dynalease/aws/credentials.hpp>
#include <dynalease/dynamodb/failure.hpp>

#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace dynalease::aws {

/// A role taken on with a token of another identity provider.
struct web_identity {
    std::string role_arn;
    std::string token_file;
    std::string session_name{};
};

enum class named_source { environment, instance, container };

/// A program that prints keys.
struct external_process {
    std::string command;
    std::string account_id{};  ///< where it prints none
};

struct key_plan {
    std::variant<credentials, web_identity, named_source, external_process> first;
    std::vector<assumed_role> roles{};
};

/// The plan of a profile; empty if it says nothing of keys, or does not exist. A role's own static keys count only when
/// it names itself as its source; a source's static keys beat the role that it has as well.
/// @returns `errc::no_credentials` for half a pair of keys, a chain that is a ring or leads nowhere, and ways that this
/// library does not go: single sign-on and codes typed by a person
result<std::optional<key_plan>> plan_profile(const shared_config& files, const std::string& name);

}  // namespace dynalease::aws
