// Who signs a request.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <chrono>
#include <dynalease/detail/braced.hpp>
#include <map>
#include <optional>
#include <string>
#include <vector>

#pragma GCC visibility push(default)
namespace dynalease {

/// One immutable set of keys. Key, secret and token of one request always come from one set.
struct credentials {
    detail::braced<std::string> access_key_id;
    detail::braced<std::string> secret_access_key;
    detail::braced<std::string> session_token{};           ///< empty for long-term keys
    std::optional<std::chrono::sys_seconds> expiration{};  ///< empty: never
    detail::braced<std::string> account_id{};              ///< empty: not known
};

/// A role to take on with keys at hand, by STS.
struct assumed_role {
    detail::braced<std::string> arn;
    detail::braced<std::string> session_name{};                 ///< as it shows in logs of AWS; empty: one of ours
    detail::braced<std::string> external_id{};                  ///< what the role's owner may ask for
    std::optional<std::chrono::seconds> duration{};             ///< of the keys; empty: STS's own, an hour
    detail::braced<std::string> policy{};                       ///< as JSON: what it does not allow is denied
    detail::braced<std::vector<std::string>> policy_arns{};     ///< the same by the ARNs of policies
    detail::braced<std::map<std::string, std::string>> tags{};  ///< of the session, for policies that look at them
    detail::braced<std::string> source_identity{};              ///< who is behind it, for AWS's logs; it stays
};

}  // namespace dynalease
#pragma GCC visibility pop
