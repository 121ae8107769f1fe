// The limits of a lock's name and options.
// SPDX-License-Identifier: BSL-1.0
#include "lock/lock_options.hpp"

#include "database/argument_check.hpp"
#include "lock/protocol/lock_row.hpp"
#include "lock/protocol/lock_times.hpp"

#include <utility>

namespace dynalease::detail {

namespace {

using namespace std::chrono_literals;

constexpr argument_check require("lock");

}  // namespace

lock_options checked(const lock_options& options) {
    require(options.poll_interval >= 10ms && options.poll_interval <= protocol::longest_poll_interval,
            errc::invalid_option, "poll_interval must be between 10 ms and 1 s");
    return options;
}

std::string checked_lock_name(std::string name) {
    constexpr std::size_t longest_name = 2048 - protocol::lock_prefix.size();
    require(!name.empty(), errc::invalid_name, "a lock needs a name");
    require(name.size() <= longest_name, errc::invalid_name,
            "the lock name has " + std::to_string(name.size()) + " bytes; at most " + std::to_string(longest_name) +
                " fit into a key");
    require.utf8(name, errc::invalid_name, "the lock name");
    return name;
}

}  // namespace dynalease::detail
