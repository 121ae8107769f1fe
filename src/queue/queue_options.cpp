// The limits of a queue's options.
// SPDX-License-Identifier: BSL-1.0
#include "queue/queue_options.hpp"

#include "database/argument_check.hpp"
#include "database/called_verb.hpp"
#include "queue/protocol/queue_rows.hpp"
#include "session/granted_data.hpp"

#include <memory>
#include <utility>

namespace dynalease::detail {

namespace {

using namespace std::chrono_literals;

constexpr std::size_t longest_entity = 2048 - protocol::queue_prefix.size();
constexpr std::size_t longest_reason = 1024 - 1 - protocol::ticket_digits;

constexpr argument_check require("queue");

}  // namespace

queue_options checked(queue_options options) {
    require(options.reason.find('/') == std::string::npos, errc::invalid_name,
            "the reason '" + options.reason + "' must not contain '/', which ends it in the key");
    require(options.reason.size() <= longest_reason, errc::invalid_name,
            "the reason has " + std::to_string(options.reason.size()) + " bytes; at most " +
                std::to_string(longest_reason) + " fit into a key");
    require.utf8(options.reason, errc::invalid_name, "the reason");
    require(options.poll_interval >= 10ms && options.poll_interval <= 1min, errc::invalid_option,
            "poll_interval must be between 10 ms and 1 min");
    require(options.longest_poll_interval >= options.poll_interval && options.longest_poll_interval <= 24h,
            errc::invalid_option, "longest_poll_interval must be between poll_interval and a day");
    return options;
}

std::string checked_entity(std::string entity) {
    require(!entity.empty(), errc::invalid_name, "a queue needs an entity: what is queued for");
    require(entity.size() <= longest_entity, errc::invalid_name,
            "the entity has " + std::to_string(entity.size()) + " bytes; at most " + std::to_string(longest_entity) +
                " fit into a key");
    require.utf8(entity, errc::invalid_name, "the entity");
    return entity;
}

shared_failure fault_of(const enter_options& options, std::size_t queues) {
    auto why = fault_of_data(options.data, queues);
    return why ? std::make_shared<const failure>(*std::move(why)) : nullptr;
}

}  // namespace dynalease::detail
