// Who lives in a process; and what its requests and answers tell: to the checker what the store did, to the watch what
// may be believed.
// SPDX-License-Identifier: BSL-1.0
#include "simulation/lock/process.hpp"

#include "simulation/framework/request_text.hpp"

#include <memory>
#include <utility>
#include <variant>

namespace dynalease::simulation::locks {

namespace {

constexpr std::string_view lock_prefix = "lock#";

std::optional<std::size_t> lock_in(std::string_view key) {
    if (!key.starts_with(lock_prefix)) return {};
    return lock_world::number_of(key.substr(lock_prefix.size()));
}

/// Which of the lock's writes it is, by what it brings along.
const char* kind_of_write(const update_item_request& write) {
    const auto has = [&](const char* name) { return write.values.contains(name); };
    if (has(":head")) return "absent head dropped";
    if (has(":kp")) return "head of the line overtaken";
    if (has(":me")) return has(":a") ? "rejoined with the release" : "joined the line";
    if (has(":b")) return has(":t") ? "handed over" : "released either of two";
    if (has(":h")) return "taken over";
    if (has(":a")) return has(":t") ? "taken" : "released";
    if (has(":s")) return has(":t") ? "left the line" : "left the line, closed";
    return has(":expiry") ? "voided while free" : "voided while held";
}

}  // namespace

process::process(lock_world& where, std::size_t index)
    : watched_process(where, where.made_of(), index, where.lease()), world_(where) {
    open();
}

void process::begin() {
    begin_watched_session();
    writes_.forget();
    paused_.clear();
    life_ = 1;
    life_began_ = clock_now();
    releases_repeated_.clear();
    const auto count = world_.choices().between("users of a node", 1, world_.made_of().most_users);
    for (std::uint64_t i = 0; i < count; ++i) {
        const auto lock = world_.choices().choose("lock of a user", world_.locks());
        add(std::make_shared<user>(*this, lock, world_.next_number()));
    }
}

void process::note_life() {
    if (std::exchange(life_, session()->lives()) == session()->lives()) return;
    writes_.end_life(world_.now());
    life_began_ = clock_now();
}

// ---- sent --------------------------------------------------------------------------------------------------

void process::sent(const testing::logged_request& entry, const any_request& request) {
    if (session()) note_life();
    if (const auto lock = lock_in(entry.key)) writes_.sent(*lock, request, world_.now());
    watch_sent(entry, request);
}

void process::failed(const testing::logged_request& entry, const any_request& request, const failure& why) {
    // What may have happened stays open until the call has ended.
    if (why.outcome == outcome::unknown) return;
    paused_.insert(&entry);
    const auto lock = lock_in(entry.key);
    if (lock && entry.sent >= life_began_) writes_.answered(*lock, request, why, world_.now(), true);
}

void process::sent_again(const testing::logged_request& entry, const any_request& request) {
    if (paused_.erase(&entry) == 0) return;
    const auto lock = lock_in(entry.key);
    if (lock && entry.sent >= life_began_) writes_.sent(*lock, request, world_.now());
}

// ---- applied -----------------------------------------------------------------------------------------------

void process::applied(const testing::logged_request& entry, const any_request& request,
                      const result<any_response>& answer) {
    auto& coverage = world_.run().coverage;
    const bool late = entry.completed.has_value();
    if (!answer) {
        if (late && entry.lane == lane::heartbeat) coverage.hit("late heartbeat refused");
        if (late && lock_in(entry.key)) coverage.hit("late lock write refused");
        return;
    }
    if (const auto id = session_in(entry.key); !id.empty()) {
        if (const auto change = session_changed(id, request)) {
            std::visit([&](const auto& seen) { world_.tell(name(), seen); }, *change);
        }
        return;
    }
    if (const auto* write = std::get_if<update_item_request>(&request)) {
        const auto lock = lock_in(entry.key);
        if (!lock) return;
        coverage.hit(kind_of_write(*write));
        if (late) coverage.hit("late lock write applied");
        if (is_about_a_grant(request)) {
            for (const auto& each : users()) each->grant_written(*lock, entry.sent);
        }
        const auto token = integer_value(write->values, ":t");
        world_.tell(name(), lock_written{.lock = *lock,
                                         .writer = text_value(write->values, ":s"),
                                         .after = world_.row_of(*lock),
                                         .claim = token ? writes_.claim(*lock, *token) : std::nullopt,
                                         .late = late});
        return;
    }
    if (const auto* together = std::get_if<transact_write_items_request>(&request)) {
        if (is_replayed(*together)) return;
        const auto& fence = std::get<condition_check>(together->actions.front());
        const auto lock = lock_in(*fence.key.at("pk").get_if<std::string>());
        world_.tell(name(), fence_passed{.lock = lock.value_or(0),
                                         .session = text_value(fence.values, ":s"),
                                         .attempt = integer_value(fence.values, ":a").value_or(0)});
    }
}

/// The service knows a transaction that it has carried out by its token, and does nothing when it comes again.
bool process::is_replayed(const transact_write_items_request& request) {
    const auto& token = request.client_request_token;
    return !token.empty() && !carried_out_.insert(token).second;
}

// ---- answered ----------------------------------------------------------------------------------------------

void process::answered(const testing::logged_request& entry, const any_request& request,
                       const result<any_response>& answer) {
    world_.run().trace.add(world_.now(), name(), static_cast<std::uint64_t>(entry.code.value()), [&] {
        const auto* write = std::get_if<update_item_request>(&request);
        auto text = "r " + entry.operation + " " + entry.key;
        if (write != nullptr && lock_in(entry.key)) text += std::string(" (") + kind_of_write(*write) + ")";
        return text + " -> " + (answer ? "ok" : entry.code.message());
    });
    const bool paused = paused_.erase(&entry) != 0;
    if (const auto lock = lock_in(entry.key)) {
        if (entry.applied.size() > 1 && is_release(request)) releases_repeated_.insert(*lock);
        // What an earlier life asked for is answered to nobody.
        if (entry.sent >= life_began_) {
            if (paused) writes_.sent(*lock, request, world_.now());
            heard(*lock, entry, request, answer);
        }
    }
    if (session()) watch_answered(entry, request, answer);
}

void process::heard(std::size_t lock, const testing::logged_request& entry, const any_request& request,
                    const result<any_response>& answer) {
    const bool own = is_write(request) || inspections_.use_count() == 1;
    writes_.answered(lock, request, answer, world_.now(), own);
    // What giving the last grant back showed is no sight of those who came since.
    const bool looks = own && !is_release(request);
    if (const auto shown = looks ? row_in(answer, request) : std::nullopt) {
        for (const auto& each : users()) each->lock_seen(lock, entry.sent, shown->holder);
    }
    if (!answer && entry.code != errc::condition_failed && is_about_a_grant(request)) {
        const bool in_doubt = answer.error().outcome == outcome::unknown;
        for (const auto& each : users()) each->write_failed(lock, in_doubt);
    }
}

}  // namespace dynalease::simulation::locks
