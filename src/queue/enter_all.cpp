// Entering several queues at once.
// SPDX-License-Identifier: BSL-1.0
#include <dynalease/queue/enter_all.hpp>

#include "database/called_verb.hpp"
#include "queue/joint_ticket.hpp"
#include "queue/protocol/enter_all.hpp"
#include "queue/queue_impl.hpp"
#include "queue/queue_options.hpp"
#include "runtime/cancellation.hpp"
#include "session/wait_limit.hpp"

#include <algorithm>
#include <utility>

namespace dynalease {

namespace detail {

namespace {

/// Null, or why these queues cannot be entered together.
shared_failure fault_among(const std::vector<queue_target>& targets) {
    failure why(errc::invalid_option);
    if (targets.empty() || targets.size() > protocol::queues_at_once) {
        why.details.message = "1 to " + std::to_string(protocol::queues_at_once) + " queues can be entered at once";
        return std::make_shared<const failure>(std::move(why));
    }
    for (auto one = targets.begin(); one != targets.end(); ++one) {
        const bool twice = std::any_of(targets.begin(), one, [&](const auto& t) { return t.front == one->front; });
        if (one->core == targets.front().core && !twice) continue;
        why.details.key = one->front->queue().entity;
        why.details.message = twice ? "the same queue is named twice" : "the queues belong to different sessions";
        return std::make_shared<const failure>(std::move(why));
    }
    return nullptr;
}

using turns = std::vector<queue_turn>;

struct joint_outcome {
    turns granted{};
    std::optional<failure> why{};
    bool place_lost = false;  ///< in one of them: all are to be entered again
};

/// Until it has its turn in each; otherwise it has none when this ends, and stands nowhere.
boost::asio::awaitable<joint_outcome> wait_for_all(std::shared_ptr<joint_ticket> entry,
                                                   std::optional<dynalease::time_point> deadline) {
    joint_outcome seen;
    for (std::size_t i = 0; i < entry->entrants.size() && !seen.why && !seen.place_lost; ++i) {
        queue_grant one;
        const auto ended = co_await entry->entrants[i]->wait(deadline, one);
        if (ended) {
            seen.why = failure(ended != boost::asio::error::timed_out ? errc::cancelled : errc::wait_timeout);
            if (entry->unanswered) seen.why = failure(errc::in_doubt);
        } else if (one.why) {
            seen.why = *one.why;
        } else if (one.place_lost) {
            seen.place_lost = true;
        } else if (!one.turn) {
            seen.why = failure(errc::wait_timeout);  // somebody is before us
        }
        seen.granted.push_back(std::move(one.turn));
    }
    if (!seen.why && !seen.place_lost) co_return seen;
    seen.granted.clear();
    for (std::size_t i = 0; i < entry->entrants.size(); ++i) {
        entry->entrants[i]->give_up();
        entry->targets[i].front->gave_up(entry->entrants[i]);
    }
    co_return seen;
}

boost::asio::awaitable<runtime::completion<turns>> run_enter_all(std::vector<queue_target> targets,
                                                                 enter_options options, diagnostics* details) {
    runtime::completion<turns> done;
    const auto refuse = [&](const failure& why) { done.code = report(why, details); };
    auto fault = fault_among(targets);
    if (!fault) fault = fault_of(options);
    if (fault) {
        refuse(*fault);
        co_return done;
    }
    const auto core = targets.front().core;
    const auto limit = limit_of(*core, options.wait);
    const auto unopened = co_await core->open(limit.deadline);
    if (unopened) {
        refuse(*unopened);
        co_return done;
    }
    const bool cancelled = co_await runtime::cancellation_requested();
    if (cancelled) {
        refuse(errc::cancelled);
        co_return done;
    }
    if (limit.once && std::ranges::any_of(targets, [](const auto& target) { return target.front->busy(); })) {
        refuse(errc::wait_timeout);
        co_return done;
    }
    const protocol::ticket_face face{core->options().owner, core->wall(), std::move(options.data)};
    ++core->counters().waiting;
    joint_outcome ended;
    for (unsigned lost = 0; lost == 0 || ended.place_lost; ++lost) {
        auto entry = draw_jointly(targets, face, limit.once, lost);
        ended = co_await wait_for_all(std::move(entry), limit.deadline);
    }
    --core->counters().waiting;
    if (ended.why) {
        refuse(*ended.why);
    } else {
        done.value = std::move(ended.granted);
    }
    co_return done;
}

}  // namespace

boost::asio::any_io_executor executor_of(const std::vector<queue>& queues) {
    if (!queues.empty()) return queues.front().get_executor();
    diagnostics details;
    details.operation = "enter_all";
    details.message = "there is no queue to enter";
    throw error(errc::invalid_option, std::move(details));
}

void enter_all_verb::operator()(diagnostics* details, handler_for<std::vector<queue_turn>> handler) && {
    std::vector<queue_target> targets;
    for (auto& each : queues) targets.push_back(std::move(each.target_));
    const auto executor = targets.front().core->world().executor;
    called_verb called{details, "enter_all", {}, targets.front().core->options().table};
    start_verb<turns>(executor, std::move(called), run_enter_all(std::move(targets), std::move(options), details),
                      std::move(handler));
}

}  // namespace detail

boost::asio::awaitable<std::vector<queue_turn>> enter_all(std::vector<queue> queues, enter_options options) {
    auto where = detail::executor_of(queues);
    return detail::await_verb<std::vector<queue_turn>>(where,
                                                       detail::enter_all_verb{std::move(queues), std::move(options)});
}

}  // namespace dynalease
