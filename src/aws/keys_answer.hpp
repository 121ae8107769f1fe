// Keys as containers, instances and processes hand them out: one JSON object.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <dynalease/aws/credentials.hpp>
#include <dynalease/dynamodb/failure.hpp>

#include <optional>
#include <string_view>

namespace dynalease::aws {

/// A container's or an instance's: `AccessKeyId`, `SecretAccessKey`, `Token`, `Expiration`, `AccountId`. An instance
/// adds a `Code`, which says why there are none.
/// @param who names the source in errors; what it answered is never in them
result<credentials> parse_service_keys(std::string_view text, std::string_view who);

/// A process's: the same, but `SessionToken`, and a `Version` that is 1.
result<credentials> parse_process_keys(std::string_view text, std::string_view who);

/// Takes keys from texts; refuses what could not stand in a header, and dates that are none.
struct key_texts {
    std::string_view id;
    std::string_view secret;
    std::string_view token;
    std::string_view expiration;
    std::string_view account;
};
result<credentials> to_credentials(const key_texts& texts, std::string_view who);

/// Why keys, wherever they are from, must not be signed with: one is missing, or could not stand in a header.
std::optional<failure> unusable_keys(const credentials& keys, std::string_view who);

}  // namespace dynalease::aws
