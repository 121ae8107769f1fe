// Drawing one number for several queues.
// SPDX-License-Identifier: BSL-1.0
#include "queue/joint_ticket.hpp"

#include "database/protocol/joint_reasons.hpp"
#include "queue/protocol/enter_all.hpp"
#include "queue/queue_impl.hpp"
#include "runtime/spawn.hpp"

#include <dynalease/dynamodb/database.hpp>

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <map>
#include <utility>

namespace dynalease::detail {

namespace {
/// No queue has more rows than that for long; and numbers stay near the wall clock in milliseconds.
constexpr std::int64_t longest_stride = 1 << 16;
}  // namespace

bool joint_ticket::wanted() const {
    return std::ranges::all_of(entrants, [](const auto& who) { return who->wanted(); });
}

void joint_ticket::begin_attempt() {
    attempt = core->world().new_id();
    for (std::size_t i = 0; i < targets.size(); ++i) targets[i].front->expect(entrants[i], attempt);
}

void joint_ticket::step_over(std::int64_t taken) {
    const auto numbers_left = protocol::last_ticket_ever - taken;
    beyond = taken + std::min(stride, numbers_left) - 1;
    stride = std::min(2 * stride, longest_stride);
}

void joint_ticket::fail(const shared_failure& why) {
    for (const auto& who : entrants) who->complete({{}, why});
}

namespace {

failure exhausted_counter() {
    failure why(errc::corrupt_row);
    why.details.message = "one of the queues' ticket counters is at its end";
    return why;
}

std::vector<protocol::queue_name> names_of(const joint_ticket& entry) {
    std::vector<protocol::queue_name> names;
    for (const auto& target : entry.targets) names.push_back(target.front->queue());
    return names;
}

/// What the queues have seen of their heads so far.
std::vector<std::uint64_t> sights_of(const joint_ticket& entry) {
    std::vector<std::uint64_t> sights;
    for (const auto& target : entry.targets) sights.push_back(target.front->view().head().count());
    return sights;
}

/// Of the whole key; of a row without one, what no key has.
std::string text_of(const item& row) {
    const auto* partition = find_string(row, protocol::attribute::partition);
    const auto* sort = find_string(row, protocol::attribute::sort);
    return partition && sort ? *partition + '\n' + *sort : std::string();
}

void hear(const joint_ticket& entry, dynalease::time_point sent, const shared_failure& why) {
    for (const auto& target : entry.targets) target.front->view().heard(sent, why);
}

/// A request about all of the queues. Each attempt is told as a request of its own; of the end, whoever sends it tells.
class joint_request : public attempt_watch {
public:
    joint_request(joint_ticket& entry, dynalease::time_point sent) : entry_(entry), sent_(sent) { ask(); }
    virtual ~joint_request() = default;

    void failed(const failure& why) override { hear(entry_, sent_, std::make_shared<const failure>(why)); }
    bool goes_on() override {
        if (!entry_.wanted()) return false;
        ask();
        return true;
    }

protected:
    void ask() {
        for (const auto& target : entry_.targets) target.front->view().asked_jointly();
    }

    joint_ticket& entry_;

private:
    const dynalease::time_point sent_;
};

/// The transaction that draws the number: while each of its attempts was answered, there is none in doubt.
class joint_drawing final : public joint_request {
public:
    joint_drawing(joint_ticket& entry, dynalease::time_point sent)
        : joint_request(entry, sent), in_doubt_(std::exchange(entry.unanswered, true)) {}

    bool in_doubt() const noexcept { return in_doubt_; }
    void failed(const failure& why) override {
        joint_request::failed(why);
        entry_.unanswered = in_doubt_ || why.outcome == outcome::unknown;
    }
    bool goes_on() override {
        if (!entry_.wanted() && !entry_.unanswered) return false;
        entry_.unanswered = true;
        ask();
        return true;
    }

private:
    const bool in_doubt_;  ///< before
};

/// The pause between requests that are in each other's way.
boost::asio::awaitable<void> back_off(session_impl& core, unsigned failures) {
    const auto step = std::chrono::milliseconds(10) * (1u << std::min(failures, 5u));
    const std::chrono::duration<double> spread = step * (0.5 + core.world().random->unit());
    runtime::alarm pause(core.world());
    co_await pause.wait_until(core.now() + std::chrono::duration_cast<std::chrono::nanoseconds>(spread));
}

failure left_unread(std::size_t keys) {
    failure why(errc::throttled);
    why.details.message = "the service left " + std::to_string(keys) + " of the queues' heads unread";
    return why;
}

/// Also what the service leaves unprocessed. Not for long: nobody may be waiting any more.
/// @param rows those that were read, also where not all were. @returns why not; null: all that are there were
boost::asio::awaitable<shared_failure> read_rows(std::shared_ptr<joint_ticket> entry, std::vector<item_key> keys,
                                                 std::vector<item>& rows) {
    auto& core = *entry->core;
    const auto until = core.now() + std::chrono::seconds(1);
    for (unsigned in_vain = 0;;) {
        const auto asked = keys.size();
        batch_get_item_request look;
        look.tables.emplace(core.options().table, keys_and_options{.keys = std::move(keys), .consistent_read = true});
        const auto sent = core.now();
        joint_request watch(*entry, sent);
        const call_options watched{.watch = &watch};
        auto read = co_await core.target().call(std::move(look), watched);
        keys.clear();
        if (read) {
            // By the name that the service has for the table.
            for (auto& [table, found] : read->items) std::ranges::move(found, std::back_inserter(rows));
            for (auto& [table, left] : read->unprocessed) std::ranges::move(left.keys, std::back_inserter(keys));
        }
        auto why = why_not(read);
        if (!keys.empty()) why = std::make_shared<const failure>(left_unread(keys.size()));
        hear(*entry, sent, why);
        if (keys.empty()) co_return why;
        in_vain = keys.size() < asked ? 0 : in_vain + 1;
        co_await back_off(core, in_vain);
        if (core.now() >= until || !entry->wanted()) co_return why;
    }
}

/// The heads, from memory where they were seen a moment ago. Whoever enters only what is free asks for a busy one: a
/// moment ago is not now.
boost::asio::awaitable<result<protocol::seen_heads>> read_heads(std::shared_ptr<joint_ticket> entry) {
    protocol::seen_heads heads(entry->targets.size());
    std::vector<item_key> keys;
    std::map<std::string, std::size_t> asked;  // by the whole key, as text
    for (std::size_t i = 0; i < heads.size(); ++i) {
        const auto& front = *entry->targets[i].front;
        const auto* fresh = front.view().fresh_head();
        if (fresh && (fresh->free() || !entry->once)) {
            heads[i] = *fresh;
            continue;
        }
        keys.push_back(protocol::queue_head_key(front.queue()));
        asked.emplace(text_of(keys.back()), i);
    }
    if (keys.empty()) co_return heads;
    const auto sights = sights_of(*entry);
    std::vector<item> rows;
    const auto why = co_await read_rows(entry, std::move(keys), rows);
    for (const auto& row : rows) {
        const auto place = asked.find(text_of(row));
        if (place == asked.end()) continue;  // not of an endpoint that is DynamoDB's
        auto parsed = protocol::parse_queue_head(row);
        if (!parsed) co_return std::move(parsed).error();
        heads[place->second] = *std::move(parsed);
    }
    // Of those that were not read it is not known whether they are there.
    for (const auto& [key, i] : asked) {
        if (heads[i] || !why) entry->targets[i].front->view().sight(heads[i], sights[i]);
    }
    if (why) co_return *why;
    co_return heads;
}

/// A refusal shows the heads that moved.
void note_heads(const joint_ticket& entry, const failure& why, const protocol::seen_heads& heads,
                const std::vector<std::uint64_t>& sights) {
    for (std::size_t i = 0; i < heads.size() && 2 * i < why.reasons.size(); ++i) {
        if (kind_of(why.reasons[2 * i]) == joint_reason::condition)
            entry.targets[i].front->view().sight(heads[i], sights[i]);
    }
}

/// The places that were chosen, and the heads as the transaction makes them.
struct chosen_places {
    std::vector<protocol::place> places{};
    std::vector<protocol::queue_head> made{};
};

chosen_places choose(const joint_ticket& entry, const protocol::seen_heads& heads) {
    chosen_places chosen{.places = protocol::choose_places(heads, entry.beyond, entry.core->wall())};
    for (std::size_t i = 0; i < chosen.places.size(); ++i) {
        chosen.made.push_back(protocol::head_after(heads[i], chosen.places[i], entry.attempt));
    }
    return chosen;
}

void join_all(const joint_ticket& entry, const chosen_places& chosen) {
    for (std::size_t i = 0; i < entry.entrants.size(); ++i) {
        const auto& who = entry.entrants[i];
        who->ticket->mine = chosen.places[i];
        who->ticket->position = static_cast<std::size_t>(protocol::tickets_ahead(chosen.made[i], chosen.places[i]));
        entry.targets[i].front->join(who, chosen.made[i], entry.asked[i]);
    }
}

protocol::enter_all_step read_answer(const result<transact_write_items_response>& sent, const std::string& attempt,
                                     protocol::seen_heads& heads) {
    using protocol::enter_all_step;
    if (sent) return enter_all_step::entered;
    const auto& why = sent.error();
    // Also behind a copy without an answer: where a head has moved, that can do nothing any more.
    if (why.code == errc::transaction_canceled) return protocol::decide_enter_all(why, attempt, heads);
    return classify(why) == answer::rejected ? enter_all_step::refused : enter_all_step::again;
}

/// Until the places are ours, or it is certain that they never will be.
boost::asio::awaitable<void> draw_for_all(std::shared_ptr<joint_ticket> entry) {
    using protocol::enter_all_step;
    auto& core = *entry->core;
    protocol::seen_heads heads;
    chosen_places chosen;
    unsigned failures = 0;
    unsigned overtaken = 0;
    unsigned silent = 0;
    while (core.may_write() && (entry->unanswered || (entry->wanted() && core.live()))) {
        if (heads.empty()) {
            auto read = co_await read_heads(entry);
            if (!read) {
                const auto why = std::make_shared<const failure>(std::move(read).error());
                if (entry->once || classify(*why) == answer::rejected) entry->fail(why);
                if (!entry->wanted()) continue;
                co_await back_off(core, failures++);
                continue;
            }
            heads = *std::move(read);
            if (!entry->wanted()) continue;  // whoever gave up meanwhile was told that there is no ticket
        }
        if (chosen.places.empty()) {
            const bool free =
                std::all_of(heads.begin(), heads.end(), [](const auto& head) { return !head || head->free(); });
            if (entry->once && (!free || overtaken > 1)) {
                for (const auto& target : entry->targets) target.front->examine_soon();
                entry->fail(nullptr);
                break;
            }
            chosen = choose(*entry, heads);
            if (chosen.places.empty()) {
                entry->fail(std::make_shared<const failure>(exhausted_counter()));
                break;
            }
        }
        const auto sights = sights_of(*entry);
        const auto began = core.now();
        joint_drawing watch(*entry, began);
        const bool in_doubt = watch.in_doubt();
        if (!in_doubt) entry->asked = sights;
        auto request = protocol::enter_all(core.options().table, names_of(*entry), heads, chosen.places, entry->attempt,
                                           core.id(), entry->entrants.front()->ticket->face);
        const call_options watched{.watch = &watch};
        const auto sent = co_await core.target().call(std::move(request), watched);
        hear(*entry, began, why_not(sent));
        auto shown = heads;
        const auto next = read_answer(sent, entry->attempt, shown);
        if (!sent) note_heads(*entry, sent.error(), shown, sights);
        entry->unanswered = in_doubt || (!sent && sent.error().outcome == outcome::unknown);
        if (next == enter_all_step::entered) {
            entry->unanswered = false;
            join_all(*entry, chosen);
            co_return;
        }
        if (entry->unanswered) ++silent;
        // Whoever does not wait is told after its second request without an answer.
        const bool passing = next == enter_all_step::again && entry->once && (!entry->unanswered || silent > 1);
        if (next == enter_all_step::refused || passing) {
            const auto why = std::make_shared<const failure>(sent.error());
            entry->fail(entry->unanswered ? told_in_doubt(*why) : why);
            if (!entry->unanswered) break;
        }
        if (next == enter_all_step::renew || next == enter_all_step::beyond) {
            // No copy of this number can be applied any more, or the row in its way would have to go first.
            entry->unanswered = false;
            if (next == enter_all_step::beyond) entry->step_over(chosen.places.front().ticket);
            entry->begin_attempt();
            chosen = {};
            heads = std::move(shown);
        }
        if (next == enter_all_step::renew) {
            // Others entered meanwhile. Their heads are known now, and not for long: the next copy goes out at once,
            // and each second time the heads are read anew after a pause.
            if (++overtaken % 2 == 1) continue;
            heads.clear();
        }
        co_await back_off(core, failures++);
    }
    entry->unanswered = false;
    if (!core.live()) entry->fail(std::make_shared<const failure>(core.over_failure()));
}

/// Callers of this process that want some of the same queues draw one after the other: their numbers would make each
/// other's void. Each waits for its queues in one and the same order, so that no circle closes.
boost::asio::awaitable<void> draw_in_line(std::shared_ptr<joint_ticket> entry) {
    std::vector<queue_impl*> fronts;
    for (const auto& target : entry->targets) fronts.push_back(target.front.get());
    if (entry->once && std::ranges::any_of(fronts, [](auto* front) { return front->drawing_jointly().drawing(); })) {
        entry->fail(nullptr);
        co_return;
    }
    // The first loss may be bad luck. More of it means that the table is not what it was: no storm of numbers then.
    if (entry->places_lost > 1) co_await back_off(*entry->core, entry->places_lost);
    std::ranges::sort(fronts, {}, [](const auto* front) { return front->key().name; });
    for (auto* front : fronts) co_await front->drawing_jointly().begin();
    co_await draw_for_all(entry);
    for (auto* front : fronts) front->drawing_jointly().end();
}

}  // namespace

std::shared_ptr<joint_ticket> draw_jointly(const std::vector<queue_target>& targets, const protocol::ticket_face& face,
                                           bool once, unsigned places_lost) {
    auto entry = std::make_shared<joint_ticket>();
    entry->core = targets.front().core;
    entry->targets = targets;
    entry->once = once;
    entry->places_lost = places_lost;
    auto& core = *entry->core;
    for (std::size_t i = 0; i < targets.size(); ++i) {
        entry->entrants.push_back(std::make_shared<queue_entrant>(core.world(), face, wait_limit{}));
    }
    for (const auto& who : entry->entrants) who->together.assign(entry->entrants.begin(), entry->entrants.end());
    entry->begin_attempt();
    if (!runtime::spawn_background(core.world().executor, core.members().running(), draw_in_line(entry))) {
        entry->fail(std::make_shared<const failure>(core.over_failure()));
    }
    return entry;
}

}  // namespace dynalease::detail
