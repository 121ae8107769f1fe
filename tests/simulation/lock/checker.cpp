// One rule after the other.
// SPDX-License-Identifier: BSL-1.0
#include "simulation/lock/checker.hpp"

namespace dynalease::simulation::locks {

checker::checker(const checker_options& options)
    : options_(options),
      locks_(options.locks),
      sessions_({.drift_ppm = options.drift_ppm, .early_death_waived = options.exclusion_waived}) {}

void checker::see(const event& seen) {
    std::visit([&](const auto& what) { on(seen.at, what); }, seen.what);
}

void checker::fail(const char* promise, std::string what) {
    if (!broken_) broken_ = std::string(promise) + ": " + std::move(what);
}

checker::grant* checker::current_grant(lock_record& lock) {
    const auto found = lock.by_token.find(lock.current);
    if (found == lock.by_token.end()) return nullptr;
    const bool named = found->second.session == lock.row.holder && found->second.attempt == lock.row.attempt;
    return named ? &found->second : nullptr;
}

// ---- the row of a lock -------------------------------------------------------------------------------------

void checker::on(time_point at, const lock_written& seen) {
    auto& lock = locks_[seen.lock];
    const auto& before = lock.row;
    const auto& after = seen.after;
    if (before.exists && before.version != 1) fail("schema", "a row of another version was written");
    if (after.floor < before.floor) fail("P2", "the floor fell from " + std::to_string(before.floor));
    if (after.floor < after.token) fail("P2", "the floor lies below a granted token");
    if (!after.holder.empty() && after.expires) fail("P1", "a held lock could be removed by TTL");
    const bool same_grant = after.holder == before.holder && (after.holder.empty() || after.attempt == before.attempt);
    if (!same_grant && !after.holder.empty()) check_grant(lock, seen);
    if (!same_grant && after.holder.empty()) check_release(lock, seen);
    check_line(lock, after, !after.holder.empty() && after.holder != before.holder);
    lock.row = after;
    lock.past.push_back({at, after});
}

// A head of the line is overtaken 32 times at most, then it takes the lock, or is dropped; so each of those before.
void checker::check_line(lock_record& lock, const row_state& after, bool taken) {
    watch_line(lock, after);
    if (!taken) return;
    for (auto& [session, waits] : lock.line) {
        const auto bound = 33 * static_cast<std::int64_t>(waits.place + 1);
        if (++waits.overtaken > bound) {
            fail("fair", "session " + session + " was overtaken " + std::to_string(waits.overtaken) +
                             " times, though it joined the line at place " + std::to_string(waits.place));
        }
    }
}

void checker::watch_line(lock_record& lock, const row_state& after) {
    std::map<std::string, waiting> line;
    for (std::size_t place = 0; place < after.line.size(); ++place) {
        const auto& session = after.line[place];
        const auto before = lock.line.find(session);
        line.emplace(session, before != lock.line.end() ? before->second : waiting{.place = place});
    }
    lock.line = std::move(line);
}

bool checker::given_back(std::size_t lock, std::int64_t token) const {
    const auto found = locks_[lock].by_token.find(token);
    return found != locks_[lock].by_token.end() && found->second.given_back;
}

void checker::check_grant(lock_record& lock, const lock_written& seen) {
    const auto& after = seen.after;
    if (after.holder != seen.writer) fail("P1", "a session wrote another one into the lock");
    // Who sends again what it sent before the row was lost, and was shown no more of it than stands there, cannot know.
    // Nor can anybody help it where the network delivers again what was answered.
    const bool unaware = seen.claim && (seen.late || seen.claim->floor_seen <= lock.row.floor);
    const bool from_before_the_loss = lock.replaced && unaware && seen.claim->first_sent <= *lock.replaced;
    if (after.token <= lock.highest_token && !from_before_the_loss) {
        fail("P2", "token " + std::to_string(after.token) + " after " + std::to_string(lock.highest_token));
    }
    if (!attempts_.emplace(after.holder, after.attempt).second && !from_before_the_loss) {
        fail("P9", "attempt " + std::to_string(after.attempt) + " of " + after.holder + " holds for a second time");
    }
    auto* former = current_grant(lock);
    if (former != nullptr && lock.row.holder == after.holder) former->given_back = true;
    if (!lock.row.holder.empty() && lock.row.holder != after.holder && !options_.exclusion_waived &&
        !over(lock.row.holder)) {
        fail("P1", "taken from session " + lock.row.holder + ", which is not over");
    }
    if (former != nullptr && former->held && lock.row.holder == after.holder) {
        fail("P9", "taken from a user of the same session who still holds it");
    }
    lock.highest_token = std::max(lock.highest_token, after.token);
    lock.current = after.token;
    lock.by_token.insert_or_assign(after.token,
                                   grant{.session = after.holder, .attempt = after.attempt, .order = ++grants_});
}

void checker::check_release(lock_record& lock, const lock_written& seen) {
    if (lock.row.holder != seen.writer) fail("P9", "a session released the lock of another");
    auto* former = current_grant(lock);
    if (former != nullptr) former->given_back = true;
    if (former != nullptr && former->held) fail("P9", "released while a user still holds it");
}

void checker::on(time_point at, const lock_replaced& seen) {
    locks_[seen.lock].replaced = at;
    locks_[seen.lock].row = seen.after;
    locks_[seen.lock].line.clear();
    watch_line(locks_[seen.lock], seen.after);
    locks_[seen.lock].past.push_back({at, seen.after});
}

// ---- users -------------------------------------------------------------------------------------------------

void checker::on(time_point, const guard_given& seen) {
    auto& lock = locks_[seen.lock];
    const auto found = lock.by_token.find(seen.token);
    if (found == lock.by_token.end() || found->second.session != seen.session) {
        fail("P1", "a user got token " + std::to_string(seen.token) + ", which the store never granted to it");
        return;
    }
    if (found->second.given) fail("P2", "token " + std::to_string(seen.token) + " was given twice");
    found->second.given = found->second.held = true;
    handles_[seen.handle] = {seen.lock, seen.token};
}

void checker::on(time_point, const guard_let_go& seen) {
    const auto found = handles_.find(seen.handle);
    if (found == handles_.end()) return;
    const auto [lock, token] = found->second;
    locks_[lock].by_token.at(token).held = false;
    handles_.erase(found);
}

// ---- the fence ---------------------------------------------------------------------------------------------

void checker::on(time_point, const outside_written& seen) {
    auto& lock = locks_[seen.lock];
    const auto found = lock.by_token.find(seen.token);
    if (found == lock.by_token.end()) {
        fail("P3", "a write with a token that was never granted was accepted");
        return;
    }
    if (lock.last_accepted && found->second.order < *lock.last_accepted) {
        fail("P3", "a write of an older grant was accepted after one of a newer grant");
    }
    lock.last_accepted = found->second.order;
}

void checker::on(time_point, const fence_passed& seen) {
    const auto& row = locks_[seen.lock].row;
    if (row.holder != seen.session || row.attempt != seen.attempt) {
        fail("P3", "a fenced transaction of a grant that is over was carried out");
    }
}

// ---- who only looks ----------------------------------------------------------------------------------------

void checker::on(time_point, const lock_shown& seen) {
    const auto shows = [&](const row_state& row) {
        return row.holder == seen.holder && row.token == seen.token && row.line.size() == seen.waiting;
    };
    const auto& past = locks_[seen.lock].past;
    // Before its first write there is no row.
    bool was_so = shows(row_state{}) && (past.empty() || past.front().from >= seen.asked);
    for (auto each = past.rbegin(); each != past.rend() && !was_so; ++each) {
        was_so = shows(each->row);
        if (each->from < seen.asked) break;
    }
    if (!was_so) fail("shown", "token " + std::to_string(seen.token) + ", which the row did not bear meanwhile");
    if (seen.held.value_or(true) || seen.holder.empty() || options_.exclusion_waived || over(seen.holder)) return;
    fail("shown", "session " + seen.holder + " as over, which it is not");
}

}  // namespace dynalease::simulation::locks
