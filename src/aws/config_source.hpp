// Where configuration comes from: the environment, files, and the home of the account. Injected, so that a test needs
// no process environment and no files.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <dynalease/dynamodb/failure.hpp>

#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace dynalease::aws {

struct config_source {
    /// The raw value of an environment variable.
    std::function<std::optional<std::string>(std::string_view name)> variable;
    /// The content of a file; empty if there is no such file. A file that exists but cannot be read is a failure.
    std::function<result<std::optional<std::string>>(const std::string& path)> file;
    /// The home directory by the system's user database, for when HOME is not set.
    std::function<std::string()> account_home;

    /// This process's own.
    static config_source process();

    /// The value of an environment variable; one that is empty or blank counts as unset.
    std::optional<std::string> get(std::string_view name) const;
};

}  // namespace dynalease::aws
