// One rule after the other.
// SPDX-License-Identifier: BSL-1.0
#include "simulation/item_lock/checker.hpp"

#include <algorithm>
#include <utility>

namespace dynalease::simulation::item_locks {

namespace {
std::string text(const claimant& who) {
    return who.session + "/" + std::to_string(who.attempt);
}
bool stands(const claimant& who) {
    return !who.session.empty();
}
}  // namespace

void checker::see(const event& seen) {
    now_ = seen.at;
    std::visit([&](const auto& what) { on(what); }, seen.what);
}

void checker::fail(const char* promise, std::string what) {
    if (!broken_) broken_ = std::string(promise) + ": " + std::move(what);
}

std::optional<claimant> checker::grant_of(const std::string& session, std::size_t item, std::int64_t token) const {
    for (const auto& [who, its] : items_[item].tokens) {
        if (who.session == session && its == token) return who;
    }
    return std::nullopt;
}

time_point checker::last_sign(std::size_t item, const claimant& who) const {
    const auto& signs = items_[item].alive_at;
    const auto own = signs.find(who);
    if (own != signs.end()) return own->second;
    const auto beat = beats_.find(who.session);
    return beat == beats_.end() ? time_point() : beat->second;
}

bool checker::over(const item_record& of, const claimant& who) const {
    if (over(who.session)) return true;
    const auto known = of.alive_at.find(who);
    if (!plain_ || known == of.alive_at.end()) return false;
    // By a clock that runs fast.
    const auto least = std::chrono::nanoseconds(plain_->lease) * (1'000'000 - plain_->drift_ppm) / 1'000'000;
    return now_ - known->second >= least;
}

void checker::note_signs_of_life(item_record& of) const {
    if (!plain_) return;
    auto before = std::exchange(of.alive_at, {});
    const auto keep = [&](const claimant& who) {
        const auto known = before.find(who);
        if (stands(who)) of.alive_at[who] = known == before.end() ? now_ : known->second;
    };
    keep(of.state.writer);
    // One that comes back is a late copy: whoever saw that text before has seen it stand still.
    const auto& intent = of.state.intent;
    if (stands(intent)) of.alive_at[intent] = of.intended_at.try_emplace(intent, now_).first->second;
    for (const auto& each : of.state.readers) keep(each);
}

void checker::on(const kept_alive& seen) {
    auto& of = items_[seen.item];
    of.alive_at[of.state.writer] = now_;
}

void checker::on_succession(item_record& of, const claimant& from, const claimant& to) {
    of.tokens[to] = of.tokens[from];
    of.tokens.erase(from);
    const auto item = static_cast<std::size_t>(&of - items_.data());
    for (auto& [handle, guard] : guards_) {
        if (guard.item == item && guard.grant == from) guard.grant = to;
    }
    for (auto& [write, grant] : writes_) {
        if (write.second == item && grant == from) grant = to;
    }
}

/// A plain session lets its guards run out by itself, whatever their users do.
bool checker::in_hand(std::size_t item, const claimant& grant) const {
    if (plain_) return false;
    return std::ranges::any_of(guards_, [&](const auto& each) {
        const auto& guard = each.second;
        return guard.item == item && guard.grant == grant && !guard.perhaps_of_former_life;
    });
}

void checker::on(const lock_written& seen) {
    auto& of = items_[seen.item];
    const auto before = of.state;
    const auto& after = seen.after;
    if (!before.exists && after.exists && seen.number == 0) fail("E1", "a lock request made an item");
    if (before.exists && after.exists && after.floor < before.floor) fail("P2", "the floor fell");
    check_content(of, seen);
    // A reader without a session's row lives by entries beside its own.
    const bool more = after.readers.size() > before.readers.size();
    if (more && !plain_ && after.readers.size() > most_readers_) fail("P10", "more readers than there may be");
    if (stands(before.writer) && before.writer != after.writer) check_end(of, seen.item, seen, before.writer);
    for (const auto& each : before.readers) {
        if (!after.readers.contains(each)) check_end(of, seen.item, seen, each);
    }
    if (stands(after.writer) && before.writer != after.writer) check_grant(of, seen.item, seen, after.writer, true);
    for (const auto& each : after.readers) {
        if (before.readers.contains(each)) continue;
        const auto former = std::ranges::find_if(
            before.readers, [&](const auto& other) { return plain_ && other.session == each.session; });
        if (former != before.readers.end() && after.floor == before.floor) {
            on_succession(of, *former, each);
        } else {
            check_grant(of, seen.item, seen, each, false);
        }
    }
    if (stands(after.writer) && !after.readers.empty()) fail("P1", "a writer beside readers in the item");
    if (after.intent != before.intent) of.passed = 0;
    if (stands(before.intent) && before.intent != after.intent && before.intent.session != seen.session &&
        !over(of, before.intent) && after.exists) {
        fail("P9", "a session took away the intent of another, which is not over");
    }
    of.state = after;
    note_signs_of_life(of);
    // A downgrade changes the text, as each renewal does.
    if (plain_ && after.readers.contains(before.writer)) of.alive_at[before.writer] = now_;
    if (before.exists && !after.exists) end_life(seen.item);
}

void checker::check_content(const item_record& of, const lock_written& seen) {
    const auto guarded = writes_.find({seen.number, seen.item});
    if (guarded == writes_.end() || guarded->second == of.state.writer) return;
    fail("P3", "guarded write " + std::to_string(seen.number) + " of " + text(guarded->second) +
                   " happened while the item was " +
                   (stands(of.state.writer) ? text(of.state.writer) + "'s" : std::string("nobody's")));
}

void checker::on(const lock_tested& seen) {
    const auto& lock = items_[seen.item].state;
    const auto guarded = writes_.find({seen.number, seen.item});
    if (guarded == writes_.end()) return;
    if (guarded->second != lock.writer && !lock.readers.contains(guarded->second)) {
        fail("P3", "write " + std::to_string(seen.number) + " happened when " + text(guarded->second) +
                       " no longer held an item that it tests");
    }
}

void checker::check_grant(item_record& of, std::size_t item, const lock_written& seen, const claimant& who,
                          bool exclusive) {
    const auto& before = of.state;
    if (who.session != seen.session) fail("P1", "a session wrote another one into the item");
    const bool downgraded = !exclusive && before.writer == who;
    if (downgraded) return;
    const auto may_go = [&](const claimant& each) {
        return over(of, each) || (each.session == who.session && !in_hand(item, each));
    };
    if (stands(before.writer) && !may_go(before.writer))
        fail("P1", text(who) + " took the item from " + text(before.writer));
    for (const auto& each : before.readers) {
        if (exclusive && !may_go(each)) fail("P1", text(who) + " took the item from reader " + text(each));
    }
    // Between writers there is no order, and one of this process may hand the item to the next.
    const auto& intent = before.intent;
    const bool handed_over = exclusive && before.writer.session == who.session;
    if (stands(intent) && !handed_over && intent.session != who.session && !over(of, intent)) {
        fail("F1", text(who) + " passed " + text(intent) + ", which waits");
    }
    if (stands(intent) && handed_over && intent.session != who.session && !over(of, intent) && ++of.passed > 8) {
        fail("F2", text(intent) + ", which waits, was passed too often");
    }
    const auto token = seen.after.floor;
    if (token <= of.highest) fail("P2", "token " + std::to_string(token) + " after " + std::to_string(of.highest));
    if (of.former.contains(who)) fail("P9", text(who) + " holds the item for a second time");
    of.highest = std::max(of.highest, token);
    of.tokens[who] = token;
}

void checker::check_end(item_record& of, std::size_t item, const lock_written& seen, const claimant& who) {
    const bool downgraded = seen.after.readers.contains(who);
    if (downgraded) return;
    of.former.insert(who);
    if (who.session != seen.session && !over(of, who)) fail("P9", "a session freed the item of another");
    const bool own_end = who.session == seen.session && seen.number != 0;
    if (!over(who.session) && !own_end && in_hand(item, who)) fail("P9", "freed while a user still holds it");
}

void checker::on(const lock_replaced& seen) {
    auto& of = items_[seen.item];
    if (seen.after.life != of.state.life || !seen.after.exists) end_life(seen.item);
    of.state = seen.after;
    note_signs_of_life(of);
}

/// An item that is removed takes its floor along: tokens rise in each life of it, and no grant goes over to the next.
void checker::end_life(std::size_t item) {
    auto& of = items_[item];
    for (const auto& [who, token] : of.tokens) of.past.emplace(who.session, token);
    of.highest = 0;
    of.tokens.clear();
    of.former.clear();
    std::erase_if(guards_, [&](const auto& each) { return each.second.item == item; });
    for (auto& [write, grant] : writes_) {
        if (write.second == item) grant = {"a former life of the item", 0};
    }
}

void checker::on(const guard_given& seen) {
    const auto& of = items_[seen.item];
    const auto granted = std::ranges::find_if(
        of.tokens, [&](const auto& each) { return each.first.session == seen.session && each.second == seen.token; });
    // A grant of a former life is found out with the next write under it; a copy of its request may have brought it
    // back into this one.
    const bool was_one = of.past.contains({seen.session, seen.token});
    if (granted == of.tokens.end()) {
        if (!was_one) fail("P1", "a guard was given for a grant that never was");
        return;
    }
    guards_[seen.handle] = {
        .item = seen.item, .grant = granted->first, .exclusive = seen.exclusive, .perhaps_of_former_life = was_one};
}

void checker::on(const guarded_begun& seen) {
    const auto guard = guards_.find(seen.handle);
    writes_[{seen.number, seen.item}] =
        guard == guards_.end() ? claimant{"a guard that was never granted", 0} : guard->second.grant;
}

}  // namespace dynalease::simulation::item_locks
