// Entering several queues at once.
#include <dynalease/enter_all.hpp>

#include "primitives/queue_front.hpp"
#include "primitives/queue_options.hpp"
#include "primitives/verb_failure.hpp"
#include "protocol/enter_all.hpp"
#include "protocol/waiting.hpp"
#include "runtime/cancellation.hpp"
#include "runtime/spawn.hpp"

#include <algorithm>
#include <map>
#include <utility>

namespace dynalease {

namespace detail {

namespace {

/// One entry into several queues: an entrant in each of them, of which all have the same number or none has any.
struct joint_entry {
    std::shared_ptr<session_core> core;
    std::vector<queue_target> targets;
    std::vector<std::shared_ptr<queue_entrant>> entrants;
    std::string attempt{};
    bool unanswered = false;  ///< a copy of the transaction may have been applied

    bool wanted() const {
        return std::all_of(entrants.begin(), entrants.end(), [](const auto& who) { return who->wanted(); });
    }
    /// Each front knows of it before anything is sent: it ends with the session, and its rows are ours.
    void begin_attempt() {
        attempt = core->world().random->id();
        for (std::size_t i = 0; i < targets.size(); ++i) targets[i].front->expect(entrants[i], attempt);
    }
    void fail(const shared_failure& why) {
        for (const auto& who : entrants) who->complete({{}, why});
    }
};

failure exhausted_counter() {
    failure why(errc::corrupt_row);
    why.details.message = "one of the queues' ticket counters is at its end";
    return why;
}

std::vector<protocol::queue_name> names_of(const joint_entry& entry) {
    std::vector<protocol::queue_name> names;
    for (const auto& target : entry.targets) names.push_back(target.front->queue());
    return names;
}

/// The heads, from memory where they were seen a moment ago.
boost::asio::awaitable<result<protocol::seen_heads>> read_heads(std::shared_ptr<joint_entry> entry) {
    const auto& table = entry->core->options().table;
    protocol::seen_heads heads(entry->targets.size());
    std::map<std::string, std::size_t> asked;  // by the whole key, as text
    keys_and_options wanted{.keys = {}, .consistent_read = true};
    const auto text_of = [](const item_key& key) {
        return *find_string(key, protocol::attribute::partition) + '\n' + *find_string(key, protocol::attribute::sort);
    };
    for (std::size_t i = 0; i < heads.size(); ++i) {
        const auto& front = *entry->targets[i].front;
        if (const auto* fresh = front.fresh_head()) {
            heads[i] = *fresh;
            continue;
        }
        wanted.keys.push_back(protocol::queue_head_key(front.queue()));
        asked.emplace(text_of(wanted.keys.back()), i);
    }
    while (!wanted.keys.empty()) {
        batch_get_item_request request;
        request.tables.emplace(table, std::move(wanted));
        auto read = co_await entry->core->target().call(std::move(request));
        if (!read) co_return std::move(read).error();
        for (const auto& row : read->items[table]) {
            auto parsed = protocol::parse_queue_head(row);
            if (!parsed) co_return std::move(parsed).error();
            heads[asked.at(text_of(row))] = *std::move(parsed);
        }
        wanted = std::move(read->unprocessed[table]);
        wanted.consistent_read = true;
    }
    co_return heads;
}

void join_all(const joint_entry& entry, const protocol::seen_heads& heads, const std::vector<protocol::place>& places) {
    for (std::size_t i = 0; i < entry.entrants.size(); ++i) {
        const auto& who = entry.entrants[i];
        const auto head = protocol::head_after(heads[i], places[i], entry.attempt);
        who->ticket->mine = places[i];
        who->ticket->position = static_cast<std::size_t>(protocol::tickets_ahead(head, places[i]));
        entry.targets[i].front->join(who, head);
    }
}

/// Until the places are ours, or it is certain that they never will be.
boost::asio::awaitable<void> draw_for_all(std::shared_ptr<joint_entry> entry) {
    auto& core = *entry->core;
    runtime::alarm pause(core.world());
    protocol::seen_heads heads;
    std::vector<protocol::place> places;
    unsigned failures = 0;
    bool chosen = false;
    while (core.may_write() && (entry->unanswered || (entry->wanted() && core.live()))) {
        if (heads.empty()) {
            auto read = co_await read_heads(entry);
            if (!read) {
                const auto why = std::make_shared<const failure>(std::move(read).error());
                if (classify(*why) == answer::rejected) entry->fail(why);
                co_await pause.wait_until(core.now() + protocol::retry_pause(failures++));
                continue;
            }
            heads = *std::move(read);
        }
        if (!std::exchange(chosen, true)) {
            places = protocol::choose_places(heads, core.wall());
            if (places.empty()) {
                entry->fail(std::make_shared<const failure>(exhausted_counter()));
                break;
            }
        }
        const bool in_doubt = std::exchange(entry->unanswered, true);
        auto request = protocol::enter_all(core.options().table, names_of(*entry), heads, places, entry->attempt,
                                           core.id(), entry->entrants.front()->ticket->face);
        const auto sent = co_await core.target().call(std::move(request));
        auto next = protocol::enter_all_step::again;
        if (sent) {
            next = protocol::enter_all_step::entered;
        } else if (sent.error().outcome != outcome::unknown && sent.error().code == errc::transaction_canceled) {
            next = protocol::decide_enter_all(sent.error(), entry->attempt, heads);
        } else if (classify(sent.error()) == answer::rejected) {
            next = protocol::enter_all_step::refused;
        }
        entry->unanswered = in_doubt || (!sent && sent.error().outcome == outcome::unknown);
        if (next == protocol::enter_all_step::entered) {
            entry->unanswered = false;
            join_all(*entry, heads, places);
            co_return;
        }
        if (next == protocol::enter_all_step::refused) {
            entry->fail(std::make_shared<const failure>(sent.error()));
            if (!entry->unanswered) break;
        }
        if (next == protocol::enter_all_step::renew) {
            // Others entered meanwhile: no copy of this number can be applied any more.
            entry->unanswered = false;
            entry->begin_attempt();
            chosen = false;
        }
        const auto step = std::chrono::milliseconds(10) * (1u << std::min(failures++, 5u));
        const std::chrono::duration<double> spread = step * (0.5 + core.world().random->unit());
        co_await pause.wait_until(core.now() + std::chrono::duration_cast<std::chrono::nanoseconds>(spread));
    }
    entry->unanswered = false;
    if (!core.live()) entry->fail(std::make_shared<const failure>(core.over_failure()));
}

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

boost::asio::awaitable<runtime::completion<turns>> run_enter_all(std::vector<queue_target> targets,
                                                                 enter_options options, diagnostics* details) {
    runtime::completion<turns> done;
    const auto refuse = [&](const failure& why) { done.code = report(why, details, "enter_all", {}); };
    auto fault = fault_among(targets);
    if (!fault) fault = fault_of(options);
    if (fault) {
        refuse(*fault);
        co_return done;
    }
    const auto core = targets.front().core;
    std::optional<dynalease::time_point> deadline;
    if (options.wait) deadline = core->now() + std::min(*options.wait, dynalease::time_point::max() - core->now());
    const auto unopened = co_await core->open(deadline);
    if (unopened) {
        refuse(*unopened);
        co_return done;
    }
    auto entry = std::make_shared<joint_entry>();
    entry->core = core;
    entry->targets = std::move(targets);
    const protocol::ticket_face face{core->options().owner, core->wall(), std::move(options.data)};
    for (std::size_t i = 0; i < entry->targets.size(); ++i) {
        entry->entrants.push_back(std::make_shared<queue_entrant>(core->world(), face, false));
    }
    const bool cancelled = co_await runtime::cancellation_requested();
    if (cancelled) {
        refuse(errc::cancelled);
        co_return done;
    }
    ++core->counters().waiting;
    entry->begin_attempt();
    if (!runtime::spawn_background(core->world().executor, core->work(), draw_for_all(entry))) {
        entry->fail(std::make_shared<const failure>(core->over_failure()));
    }
    turns granted;
    std::optional<failure> why;
    for (std::size_t i = 0; i < entry->entrants.size() && !why; ++i) {
        queue_grant one;
        const auto ended = co_await entry->entrants[i]->wait(deadline, one);
        if (ended) {
            why = failure(ended != boost::asio::error::timed_out ? errc::cancelled : errc::wait_timeout);
            if (entry->unanswered) why = failure(errc::in_doubt);
        } else if (one.why) {
            why = *one.why;
        }
        granted.push_back(std::move(one.turn));
    }
    --core->counters().waiting;
    if (!why) {
        done.value = std::move(granted);
        co_return done;
    }
    for (std::size_t i = 0; i < entry->entrants.size(); ++i) {
        entry->entrants[i]->give_up();
        entry->targets[i].front->gave_up(entry->entrants[i]);
    }
    refuse(*why);
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
    runtime::spawn<turns>(executor, run_enter_all(std::move(targets), std::move(options), details), std::move(handler));
}

}  // namespace detail

boost::asio::awaitable<std::vector<queue_turn>> enter_all(std::vector<queue> queues, enter_options options) {
    auto where = detail::executor_of(queues);
    return detail::await_verb<std::vector<queue_turn>>(where,
                                                       detail::enter_all_verb{std::move(queues), std::move(options)});
}

}  // namespace dynalease
