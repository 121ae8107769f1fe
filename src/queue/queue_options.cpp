// The limits of a queue's options.
#include "queue/queue_options.hpp"

#include "database/verb_failure.hpp"
#include "queue/protocol/queue_rows.hpp"

#include <memory>
#include <utility>

namespace dynalease::detail {

namespace {

using namespace std::chrono_literals;

constexpr std::size_t longest_entity = 2048 - protocol::queue_prefix.size();
constexpr std::size_t longest_reason = 1024 - 1 - protocol::ticket_digits;

[[noreturn]] void refuse_queue(errc code, std::string message) {
    diagnostics details;
    details.operation = "queue";
    details.message = std::move(message);
    throw error(code, std::move(details));
}

}  // namespace

queue_options checked(queue_options options) {
    if (options.reason.find('/') != std::string::npos) {
        refuse_queue(errc::invalid_name,
                     "the reason '" + options.reason + "' must not contain '/', which ends it in the key");
    }
    if (options.reason.size() > longest_reason) {
        refuse_queue(errc::invalid_name, "the reason has " + std::to_string(options.reason.size()) +
                                             " bytes; at most " + std::to_string(longest_reason) + " fit into a key");
    }
    if (options.poll_interval < 10ms || options.poll_interval > 1min) {
        refuse_queue(errc::invalid_option, "poll_interval must be between 10 ms and 1 min");
    }
    if (options.longest_poll_interval < options.poll_interval || options.longest_poll_interval > 24h) {
        refuse_queue(errc::invalid_option, "longest_poll_interval must be between poll_interval and a day");
    }
    return options;
}

std::string checked_entity(std::string entity) {
    if (entity.empty()) refuse_queue(errc::invalid_name, "a queue needs an entity: what is queued for");
    if (entity.size() > longest_entity) {
        refuse_queue(errc::invalid_name, "the entity has " + std::to_string(entity.size()) + " bytes; at most " +
                                             std::to_string(longest_entity) + " fit into a key");
    }
    return entity;
}

shared_failure fault_of(const enter_options& options) {
    auto why = fault_of_wait(options.wait);
    return why ? std::make_shared<const failure>(*std::move(why)) : nullptr;
}

}  // namespace dynalease::detail
