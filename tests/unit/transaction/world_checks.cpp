// What must be true in the world of transactions, and those in it who look.
// SPDX-License-Identifier: BSL-1.0
#include "transaction_world.hpp"
#include "world_plans.hpp"

#include "item/protocol/item_state.hpp"
#include "transaction/protocol/stored_writes.hpp"
#include "transaction/protocol/transaction_requests.hpp"

#include <algorithm>
#include <stdexcept>
#include <type_traits>
#include <utility>

namespace dynalease::protocol::test {

/// The thing as the rule says: by the rows alone, whatever mistake the machines make.
std::optional<item> transaction_world::view(std::size_t which) const {
    const auto* shown = thing(which);
    const auto mark = mark_on(which);
    if (!mark) return shown ? std::optional(*shown) : std::nullopt;
    for (std::size_t t = 0; t < plans_->size(); ++t) {
        if ((*plans_)[t].name != mark->owner) continue;
        return decide_mark(*mark, header_of(t)) == mark_fate::keep ? after_mark(*shown, *mark)
                                                                   : before_mark(*shown, *mark);
    }
    throw std::logic_error("a mark of nobody");
}

void transaction_world::committed_now(std::size_t which, std::optional<item> state) {
    states_.at(which).push_back(std::make_shared<const std::optional<item>>(std::move(state)));
}

/// What it read is so when it commits: then all of it is as if nobody else had been at work.
void transaction_world::check_sights(const transaction_plan& plan) {
    const auto now = [&](const item_key& key) { return committed_of(key.at("id") == attribute_value("x") ? 0 : 1); };
    const auto as_seen = [&](const item_key& key, const guarded_table& on, const item_sight& seen) {
        return is_as_seen(on, seen, now(key));
    };
    for (const auto& each : plan.items) {
        if (each.seen && !as_seen(each.key, each.on, *each.seen)) wrong_ = "a commit on what it had not seen";
    }
    for (const auto& each : plan.checks) {
        if (each.fence && !guard_holds_) wrong_ = "a commit without its guard";
        if (each.seen && !as_seen(each.key, each.on, *each.seen)) wrong_ = "a commit on what it had not read";
        if (!each.demand) continue;
        const auto shown = now(each.key);
        if (!shown || shown->contains("last")) wrong_ = "a commit on what is not as it demanded";
    }
}

void transaction_world::heed_commit(std::size_t transaction, bool was_committed, bool was_rolled_back) {
    const auto header = header_of(transaction);
    if (is_call(transaction) || !header || header->state != header_state::committed || was_committed) return;
    if (was_rolled_back) wrong_ = "a commit after the run was rolled back";
    take_effect(transaction, setting_->holds.at(transaction) ? locks_of_call(transaction) : header->locks);
    if (!rules_->finish_early) return;
    const transaction_requests row(coordination, (*plans_)[transaction].name);
    send(nobody, {.request = row.finish(header_state::committed, wall)});
}

const transaction_world::member& transaction_world::machine_of(std::size_t transaction) const {
    return std::ranges::find(processes_, transaction, &process::transaction)->machine;
}

/// The stamps that its writes leave.
std::vector<committed_lock> transaction_world::locks_of_call(std::size_t transaction) const {
    std::vector<committed_lock> locks;
    const auto& plan = (*plans_)[transaction];
    for (std::size_t i = 0; i < plan.items.size(); ++i) {
        committed_lock lock{static_cast<std::int64_t>(i + 1), {plan.items[i].writes.front().stamp, {}}};
        const auto& machine = machine_of(transaction);
        for (std::size_t h = 0; h < machine.items().size(); ++h) {
            const auto& held = machine.items()[h];
            if (held.mark && machine.plan().items[h].key == plan.items[i].key) lock.lock = held.mark->lock;
        }
        locks.push_back(lock);
    }
    return locks;
}

/// What its body has read, is what it holds.
transaction_plan transaction_world::with_sights(std::size_t transaction) const {
    auto plan = (*plans_)[transaction];
    if (!setting_->holds.at(transaction)) return plan;
    const auto& machine = machine_of(transaction);
    const auto look = [&](const item_key& key, std::optional<item_sight>& seen) {
        for (std::size_t i = 0; seen && i < machine.items().size(); ++i) {
            const auto& sight = machine.items()[i].sight;
            if (machine.plan().items[i].key == key && sight) seen = sight_of(table_of_things(), *sight).value();
        }
    };
    for (auto& each : plan.items) look(each.key, each.seen);
    for (auto& each : plan.checks) look(each.key, each.seen);
    return plan;
}

void transaction_world::take_effect(std::size_t transaction, const std::vector<committed_lock>& locks) {
    if (std::exchange(committed_, committed_ | 1U << transaction) & 1U << transaction) wrong_ = "committed twice";
    ++commits_;
    check_sights(with_sights(transaction));
    std::int64_t number = 0;
    for (const auto& planned : (*plans_)[transaction].items) {
        const std::size_t which = planned.key.at("id") == attribute_value("x") ? 0 : 1;
        number += static_cast<std::int64_t>(planned.writes.size());
        const auto lock = std::ranges::find(locks, number, &committed_lock::write);
        if (lock == locks.end()) {
            wrong_ = "an item is missing in the commit map";
            return;
        }
        auto now = committed_of(which);
        const auto stamp = bytes_of(lock->lock.stamp);
        const auto digit = std::to_string(transaction + 1);
        switch (planned.writes.back().kind) {
            case mark_kind::read:
                continue;
            case mark_kind::to_erase:
                if (!now) wrong_ = "an absent item was erased";
                now.reset();
                break;
            case mark_kind::inserted:
                if (now) wrong_ = "an item was inserted over another one";
                now = planned.writes.back().whole;
                now->emplace("version", 1);
                now->emplace("_born", stamp);
                now->emplace("_stamp", stamp);
                break;
            case mark_kind::updated:
                if (!now) {
                    wrong_ = "an absent item was updated";
                    return;
                }
                for (const auto& write : planned.writes) {
                    if (write.kind == mark_kind::updated) now->insert_or_assign("h", appended(*now, digit));
                }
                now->insert_or_assign("last", digit);
                now->insert_or_assign("version", *find_integer(*now, "version") + 1);
                now->insert_or_assign("_trail", now->at("_stamp"));
                now->insert_or_assign("_stamp", stamp);
                break;
        }
        committed_now(which, std::move(now));
    }
}

// ---- others ------------------------------------------------------------------------------------------------

/// A versioned writer that looks under no mark, but for one that changes nothing: that it takes for a lock.
void transaction_world::load(std::size_t which) {
    const auto mark = mark_on(which);
    const bool locked = mark && mark->kind == mark_kind::read;
    loaded_.emplace(which, locked ? *before_mark(*thing(which), *mark) : *thing(which));
}

void transaction_world::save() {
    const auto [which, base] = *std::exchange(loaded_, std::nullopt);
    const auto on = table_of_things();
    auto unmarked = base;
    unmarked.erase(item_attribute::transaction);
    const auto sight = state_of(on.layout, unmarked).value();
    const checked_write write{
        .base = sight.state, .mine = stamp_of_save(saves_), .target = version_after(on.layout, sight.state).value()};
    const auto request =
        version_requests(on.layout).save(key_of_thing(which), write, {{{"h", appended(base, "s")}}, {}});
    const auto done = store_.execute(any_request(request));
    if (!done) {
        if (done.error().code != errc::condition_failed)
            wrong_ = "a save was rejected: " + done.error().details.message;
        return;
    }
    auto now = committed_of(which);
    if (!now) {
        wrong_ = "a save of an item that is not there";
        return;
    }
    const auto state = state_of(on.layout, *now).value().state;
    now->insert_or_assign("h", appended(*now, "s"));
    now->insert_or_assign("version", *state.version + 1);
    now->insert_or_assign("_trail", bytes_of(pushed_trail(state)));
    now->insert_or_assign("_stamp", bytes_of(write.mine));
    committed_now(which, std::move(now));
}

/// A reader who wants the latest sees the item first.
void transaction_world::see(std::size_t which) {
    reader_.emplace(reader_sight{which, *thing(which), *mark_on(which), states_.at(which).size() - 1});
}

/// ... and then the row of the run that holds it.
void transaction_world::read() {
    const auto sight = *std::exchange(reader_, std::nullopt);
    const auto request = transaction_requests(coordination, sight.mark.owner).look();
    const auto shown = execute(any_request(request), &sight.mark);
    const auto header = parse_transaction_header(shown.shown ? &*shown.shown : nullptr).value();
    auto step = decide_read(sight.mark, header, rules_->absent_is_before);
    if (step == read_step::read_again) return;
    const auto seen =
        step == read_step::after ? after_mark(sight.shown, sight.mark) : before_mark(sight.shown, sight.mark);
    const auto& states = states_.at(sight.thing);
    const auto from = states.begin() + static_cast<std::ptrdiff_t>(sight.from);
    if (std::none_of(from, states.end(), [&](const auto& state) { return *state == seen; })) {
        wrong_ = "a reader of the latest value was told one that was not current";
    }
}

// ---- what must be true -------------------------------------------------------------------------------------

std::string transaction_world::check_thing(std::size_t which) const {
    const auto& states = states_.at(which);
    if (view(which) != *states.back()) return "an item is not what was committed";
    const auto* shown = thing(which);
    auto seen = committed_view(shown ? std::optional(*shown) : std::nullopt).value();
    const auto mark = mark_on(which);
    if (mark && (rules_->read_raw || (rules_->read_inserts_raw && mark->kind == mark_kind::inserted))) {
        seen = after_mark(*shown, *mark);
    }
    const bool before = mark && states.size() > 1 && seen == *states[states.size() - 2];
    return seen == *states.back() || before ? "" : "a reader saw what was never committed, or is no more";
}

/// What the callers are told.
std::string transaction_world::check_told() const {
    std::string wrong;
    const auto check = [&](const auto& each) {
        const bool committed = committed_ >> each.transaction & 1U;
        const auto told = each.machine.decided();
        const bool ended = each.machine.now() == std::decay_t<decltype(each.machine)>::phase::ended;
        if (told == run_verdict::open && ended && each.machine.why().code != errc::in_doubt)
            wrong = "told a failure, and it may be committed";
        if (told == run_verdict::committed && !committed) wrong = "told committed, and it is not";
        if (told == run_verdict::rolled_back && committed) wrong = "told rolled back, and it was committed";
    };
    std::ranges::for_each(processes_, check);
    std::ranges::for_each(calls_, check);
    return wrong;
}

/// Whether a row that is not done names the item, and the run that holds it.
bool transaction_world::will_be_swept(std::size_t which) const {
    const auto owner = mark_on(which)->owner;
    for (const auto& key : {transaction_key(owner.id), aside_key(owner)}) {
        const auto* row = store_.find(coordination, key);
        const auto header = parse_transaction_header(row).value();
        if (!header || header->done || header->name != owner) continue;
        const auto wanted = wanted_in(*header);
        const auto planned = planned_in(wanted.value_or(attribute_list{})).value();
        if (std::ranges::find(planned, key_of_thing(which), &planned_item::key) != planned.end()) return true;
    }
    return false;
}

/// What is still held when all is over.
std::string transaction_world::check_left() const {
    const auto ended = [](const auto& each) { return each.machine.now() == decltype(each.machine)::phase::ended; };
    const bool dead = std::ranges::any_of(processes_, &process::dead);
    const bool all_over =
        std::ranges::all_of(processes_, [&](const process& each) { return each.dead || ended(each); }) &&
        std::ranges::all_of(calls_, ended) && at_rest();
    if (!all_over) return "";
    const bool went_well = !dead && faults_ == setting_->faults && rejections_ == setting_->rejections;
    for (std::size_t i = 0; i < names.size(); ++i) {
        if (!mark_on(i)) continue;
        if (went_well) return "an item is still held when all is over";
        if (!stray_ && !will_be_swept(i)) return "no sweep finds the item that is still held when all is over";
    }
    return "";
}

/// Whatever has happened: one who meets the marks, and nothing else, brings all to what was committed.
std::string transaction_world::check_recovery() const {
    auto later = store_;
    for (std::size_t i = 0; i < names.size(); ++i) {
        const auto key = key_of_thing(i);
        const auto shown = [&] {
            const auto* found = later.find(things, key);
            return found ? std::optional(*found) : std::nullopt;
        };
        for (unsigned round = 0;; ++round) {
            const auto now = shown();
            const auto mark = now ? mark_of(*now).value() : std::nullopt;
            if (!mark) break;
            if (round == 4) return "an item stays held for ever";
            resolver lone(coordination, {things, key}, *mark, {99, "passer-by"}, rivalry{.patience = {}});
            for (unsigned steps = 0; lone.ended() == resolver::end::none; ++steps) {
                if (steps == 8) return "the one who meets a mark does not come to an end";
                auto request = lone.next().request;
                if (rules_->change) rules_->change(request, later);
                auto answer = read_answer(later.execute(request));
                if (rules_->tell && std::holds_alternative<get_item_request>(request))
                    rules_->tell(answer.shown, *mark);
                lone.answer(std::move(answer));
            }
            if (lone.ended() == resolver::end::failed) return "the one who meets a mark fails";
        }
        if (shown() != committed_of(i)) return "once free, an item is not what was committed";
    }
    return {};
}

std::string transaction_world::wrong() const {
    if (!wrong_.empty()) return wrong_;
    for (std::size_t i = 0; i < names.size(); ++i) {
        if (auto what = check_thing(i); !what.empty()) return what;
    }
    if (auto what = check_told(); !what.empty()) return what;
    if (auto what = check_left(); !what.empty()) return what;
    if (auto what = check_pages(); !what.empty()) return what;
    return check_recovery();
}

}  // namespace dynalease::protocol::test
