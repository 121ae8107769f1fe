// What a process's requests and answers tell: to the judge what the store did, to the watch what may be believed.
#include "simulation/framework/request_text.hpp"
#include "simulation/lock/site.hpp"

#include <variant>

namespace dynalease::simulation::locks {

namespace {

constexpr std::string_view lock_prefix = "lock#x";

std::optional<std::size_t> lock_in(std::string_view key) {
    if (!key.starts_with(lock_prefix)) return {};
    return static_cast<std::size_t>(key[lock_prefix.size()] - '0');
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

// ---- sent --------------------------------------------------------------------------------------------------

void site::sent(const testing::logged_request& entry, const any_request& request) {
    ++(entry.lane == lane::heartbeat ? sent_.beats : sent_.others);
    if (const auto* beating = watches_.beating(entry, request)) {
        check_state();
        const auto wrong = session_watches::judge_heartbeat(entry, *beating, clock_now(), undisturbed_);
        if (!wrong.empty()) world_.fail(wrong);
    }
    watches_.sent(entry, request, clock_now());
}

// ---- applied -----------------------------------------------------------------------------------------------

void site::applied(const testing::logged_request& entry, const any_request& request,
                   const result<any_response>& answer) {
    auto& census = world_.run().census;
    const bool late = entry.completed.has_value();
    if (!answer) {
        if (late && entry.lane == lane::heartbeat) census.hit("late heartbeat refused");
        if (late && lock_in(entry.key)) census.hit("late lock write refused");
        return;
    }
    if (const auto id = session_in(entry.key); !id.empty()) {
        session_row_written(id, request);
        return;
    }
    if (const auto* write = std::get_if<update_item_request>(&request)) {
        const auto lock = lock_in(entry.key);
        if (!lock) return;
        census.hit(kind_of_write(*write));
        if (late) census.hit("late lock write applied");
        world_.tell(
            name_,
            lock_written{.lock = *lock, .writer = text_value(write->values, ":s"), .after = world_.row_of(*lock)});
        return;
    }
    if (const auto* together = std::get_if<transact_write_items_request>(&request)) {
        const auto& fence = std::get<condition_check>(together->actions.front());
        const auto lock = lock_in(*fence.key.at("pk").get_if<std::string>());
        world_.tell(name_, fence_passed{.lock = lock.value_or(0),
                                        .session = text_value(fence.values, ":s"),
                                        .attempt = integer_value(fence.values, ":a").value_or(0)});
    }
}

void site::session_row_written(const std::string& id, const any_request& request) {
    const auto change = session_change(id, request, world_.lease(), world_.simulated(), table);
    if (!change) return;
    if (const auto* ended = std::get_if<session_ended>(&*change)) {
        world_.run().census.hit(ended->marked_dead ? "session marked dead" : "session closed");
    }
    std::visit([&](const auto& seen) { world_.tell(name_, seen); }, *change);
}

// ---- answered ----------------------------------------------------------------------------------------------

void site::answered(const testing::logged_request& entry, const any_request& request,
                    const result<any_response>& answer) {
    world_.run().trace.add(world_.now(), name_, static_cast<std::uint64_t>(entry.code.value()), [&] {
        const auto* write = std::get_if<update_item_request>(&request);
        auto text = "r " + entry.operation + " " + entry.key;
        if (write != nullptr && lock_in(entry.key)) text += std::string(" (") + kind_of_write(*write) + ")";
        return text + " -> " + (answer ? "ok" : entry.code.message());
    });
    if (session_ && session_->id() == session_in(entry.key)) watches_.answered(entry, request, answer, clock_now());
}

}  // namespace dynalease::simulation::locks
