// Entering several queues at once.
// SPDX-License-Identifier: BSL-1.0
#include <dynalease/queue/enter_all.hpp>

#include "database/called_verb.hpp"
#include "queue/joint_ticket.hpp"
#include "queue/protocol/enter_all.hpp"
#include "queue/queue_impl.hpp"
#include "queue/queue_options.hpp"
#include "runtime/cancellation.hpp"
#include "session/asking.hpp"
#include "session/callers.hpp"
#include "session/holder_words.hpp"
#include "session/session_lives.hpp"
#include "session/wait_limit.hpp"

#include <boost/asio/system_executor.hpp>

#include <algorithm>
#include <cstddef>
#include <utility>

namespace dynalease {

namespace detail {

namespace {

using queue_handle = in_lives<queue_target>;

/// Null, or why these queues cannot be entered together.
shared_failure fault_among(const std::vector<queue_handle>& handles, const std::vector<queue_target>& targets) {
    failure why(errc::invalid_option);
    if (targets.empty() || targets.size() > protocol::queues_at_once) {
        why.details.message = "1 to " + std::to_string(protocol::queues_at_once) + " queues can be entered at once";
        return std::make_shared<const failure>(std::move(why));
    }
    for (std::size_t i = 0; i < targets.size(); ++i) {
        const auto& front = targets[i].front;
        const auto first = std::ranges::find(targets, front, &queue_target::front) - targets.begin();
        const bool twice = first < static_cast<std::ptrdiff_t>(i);
        if (handles[i].lives == handles.front().lives && !twice) continue;
        why.details.key = protocol::words_of_queue(front->queue());
        why.details.message = twice
                                  ? "entries " + std::to_string(first) + " and " + std::to_string(i) + " are one queue"
                                  : "entry " + std::to_string(i) + " belongs to another session than entry 0";
        return std::make_shared<const failure>(std::move(why));
    }
    return nullptr;
}

/// What only one who enters a single queue may ask for.
shared_failure fault_for_several(const enter_options& options) {
    failure why(errc::invalid_option);
    if (options.wait == until_known) {
        why.details.message = "until_known is a time to wait for one queue, not for several at once";
    } else if (options.on_place) {
        why.details.message = "on_place is told of a place in one queue, not in several at once";
    } else {
        return nullptr;
    }
    return std::make_shared<const failure>(std::move(why));
}

using turns = std::vector<queue_turn>;

struct joint_outcome {
    turns granted{};
    shared_failure why{};
    bool place_lost = false;  ///< in one of them: all are to be entered again
    unsigned requests = 0;    ///< that were sent for it
    bool asked = false;       ///< the session was open, so that they could be entered
};

shared_failure of_queue(const queue_impl& front, failure why) {
    why.details.key = protocol::words_of_queue(front.queue());
    return std::make_shared<const failure>(std::move(why));
}

/// Somebody has the turn there; where none is known to, the first.
std::size_t first_in_use(const std::vector<queue_target>& targets) {
    const auto found =
        std::ranges::find_if(targets, [](const auto& target) { return !target.front->turn_in_words().empty(); });
    return found == targets.end() ? 0 : static_cast<std::size_t>(found - targets.begin());
}

/// Until it has its turn in each; otherwise it has none when this ends, and stands nowhere.
boost::asio::awaitable<joint_outcome> wait_for_all(std::shared_ptr<joint_ticket> entry, wait_limit limit,
                                                   dynalease::time_point came) {
    joint_outcome seen;
    for (std::size_t i = 0; i < entry->entrants.size() && !seen.why && !seen.place_lost; ++i) {
        const auto& front = *entry->targets[i].front;
        queue_grant one;
        const auto ended = co_await entry->entrants[i]->wait(limit.deadline, one);
        std::optional<failure> why;
        if (ended) {
            why = front.given_up(ended, entry->unanswered, *entry->entrants[i]);
        } else if (one.why) {
            why = *one.why;
        } else if (one.place_lost) {
            seen.place_lost = true;
        } else if (!one.turn) {
            auto& in_use = *entry->targets[first_in_use(entry->targets)].front;
            co_await in_use.see_holder(came);
            seen.why = of_queue(in_use, in_use.refused(came));
            break;
        }
        if (why) {
            seen.why = of_queue(front, with_last_seen(*std::move(why), front.in_the_way(entry->entrants[i].get())));
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

/// What was sent about one of them alone, and about several.
struct requests_seen {
    unsigned own = 0;
    unsigned joint = 0;
};

requests_seen seen_of(const queue_target& target) {
    const auto joint = target.front->view().joint_requests_made();
    return {.own = target.front->view().requests_made() - joint, .joint = joint};
}

/// What was about several each of these has counted; others of this process may have asked about some only.
unsigned requests_since(const std::vector<queue_target>& targets, const std::vector<requests_seen>& before) {
    unsigned own = 0;
    unsigned joint = 0;
    for (std::size_t i = 0; i < targets.size(); ++i) {
        const auto now = seen_of(targets[i]);
        own += now.own - before[i].own;
        joint = std::max(joint, now.joint - before[i].joint);
    }
    return own + joint;
}

/// In one life of the session.
boost::asio::awaitable<joint_outcome> enter_all_in_life(std::vector<queue_target> targets, item data,
                                                        wait_limit limit) {
    const auto core = targets.front().core;
    const auto came = core->now();
    auto session = co_await core->opening().until_live(limit);
    if (session.why) co_return not_asked<joint_outcome>(std::move(session));
    joint_outcome ended{.requests = session.requests, .asked = true};
    const bool cancelled = co_await runtime::cancellation_requested();
    if (cancelled) {
        ended.why = std::make_shared<const failure>(errc::cancelled);
        co_return ended;
    }
    const auto busy = std::ranges::find_if(targets, [](const auto& target) { return target.front->busy(); });
    if (limit.once && busy != targets.end()) {
        ended.why = of_queue(*busy->front, busy->front->refused(came));
        co_return ended;
    }
    const protocol::ticket_face face{core->options().owner, core->wall(), std::move(data)};
    ++core->counters().waiting;
    std::vector<requests_seen> before;
    for (const auto& target : targets) before.push_back(seen_of(target));
    for (unsigned lost = 0; lost == 0 || ended.place_lost; ++lost) {
        const auto entry = draw_jointly(targets, face, limit.once, lost);
        ended = co_await wait_for_all(entry, limit, came);
    }
    --core->counters().waiting;
    ended.requests = session.requests + requests_since(targets, before);
    ended.asked = true;
    co_return ended;
}

boost::asio::awaitable<runtime::completion<turns>> run_enter_all(std::vector<queue_handle> handles,
                                                                 enter_options options, asked_by by) {
    runtime::completion<turns> done;
    const auto lives = handles.front().lives;
    const auto limit = limit_of(lives->world().clock->now(), options.wait);
    std::vector<queue_target> targets;
    const auto come_to = [&](const std::shared_ptr<session_impl>& life) {
        targets.clear();
        for (const auto& each : handles) targets.push_back(in_life(each, life));
    };
    come_to(lives->present());
    auto fault = fault_among(handles, targets);
    if (!fault) fault = fault_of(options, targets.size());
    if (!fault) fault = fault_for_several(options);
    if (fault) {
        done.code = report(*fault, by.details);
        co_return done;
    }
    shared_failure seen;  // who has the turn in one of them, in the last life that has seen it
    auto ask = [&](const std::shared_ptr<session_impl>& life) {
        const auto& in_use = *targets[first_in_use(targets)].front;
        if (!in_use.turn_in_words().empty()) seen = of_queue(in_use, in_use.others_go_before(nullptr));
        come_to(life);
        return enter_all_in_life(targets, options.data, limit);
    };
    auto ended = co_await ask_in_lives<joint_outcome>(lives, limit, ask);
    by.note_requests(ended.requests);
    if (ended.why && !ended.asked && seen && leaves_holder_open(*ended.why)) {
        auto why = with_last_seen(*ended.why, seen->details.message);
        why.details.key = seen->details.key;
        done.code = report(why, by.details);
    } else if (ended.why) {
        auto why = *ended.why;
        // Why its session could not be opened has been explained.
        if (ended.asked) why = co_await explained_by_key(lives, std::move(why));
        done.code = report(why, by.details);
    } else {
        done.value = std::move(ended.granted);
    }
    co_return done;
}

}  // namespace

boost::asio::any_io_executor executor_of(const std::vector<queue>& queues) {
    if (queues.empty()) return boost::asio::system_executor();  // where nothing runs
    return queues.front().get_executor();
}

void enter_all_verb::operator()(diagnostics* details, handler_for<std::vector<queue_turn>> handler) && {
    if (queues.empty()) {
        failure none(errc::invalid_option);
        none.details.message = "there is no queue to enter";
        return answer_at_once<turns>({details, "enter_all"}, none, std::move(handler));
    }
    std::vector<queue_handle> handles;
    for (auto& each : queues) handles.push_back(std::move(each.target_));
    const auto executor = handles.front().lives->world().executor;
    const auto lives = handles.front().lives;
    const auto& table = lives->options().table;
    asking<queue_hold> asks(lives, {details, "enter_all", {}, table});
    for (const auto& each : handles) asks.expect(each.hooks, each.made.front->queue().entity, table);
    start_asking<turns>(
        executor, std::move(asks),
        [&](asked_by by) { return run_enter_all(std::move(handles), std::move(options), std::move(by)); },
        std::move(handler));
}

}  // namespace detail

boost::asio::awaitable<std::vector<queue_turn>> enter_all(std::vector<queue> queues, enter_options options) {
    auto where = detail::executor_of(queues);
    return detail::await_verb<std::vector<queue_turn>>(where,
                                                       detail::enter_all_verb{std::move(queues), std::move(options)});
}

}  // namespace dynalease
