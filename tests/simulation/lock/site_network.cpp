// What a process's requests and answers tell: to the judge what the store did, to the watch what may be believed.
#include "simulation/lock/site.hpp"

#include <variant>

namespace dynalease::simulation::locks {

namespace {

constexpr std::string_view session_prefix = "session#";
constexpr std::string_view lock_prefix = "lock#x";

/// The id in "session#<id>/-"; empty for other rows.
std::string session_in(const std::string& key) {
    if (!key.starts_with(session_prefix)) return {};
    return key.substr(session_prefix.size(), key.size() - session_prefix.size() - 2);
}

std::optional<std::size_t> lock_in(std::string_view key) {
    if (!key.starts_with(lock_prefix)) return {};
    return static_cast<std::size_t>(key[lock_prefix.size()] - '0');
}

template <class Values>
std::string text_value(const Values& values, const char* name) {
    const auto found = values.find(name);
    if (found == values.end()) return {};
    const auto* text = found->second.template get_if<std::string>();
    return text ? *text : std::string();
}

template <class Values>
std::optional<std::int64_t> integer_value(const Values& values, const char* name) {
    const auto found = values.find(name);
    if (found == values.end()) return {};
    const auto* digits = found->second.template get_if<number>();
    if (digits == nullptr) return {};
    return std::stoll(digits->text());
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
    const auto id = session_in(entry.key);
    if (id.empty()) return;
    const auto now = clock_now();
    if (std::holds_alternative<put_item_request>(request)) {
        auto& created = watches_.try_emplace(id, world_.lease(), heartbeat_, world_.made_of().drift_ppm).first->second;
        if (!created.last_send()) created.sent(1, now);
        return;
    }
    const auto* update = std::get_if<update_item_request>(&request);
    const auto found = watches_.find(id);
    if (update == nullptr || found == watches_.end()) return;
    const auto beat = integer_value(update->values, ":n");
    if (!beat) return;
    check_state();
    check_heartbeat(entry, found->second);
    found->second.sent(*beat, now);
}

void site::check_heartbeat(const testing::logged_request& entry, lease_watch& watch) {
    if (entry.lane != lane::heartbeat) world_.fail("R2", "a heartbeat left on the lane of ordinary requests");
    if (!watch.begun() || !watch.last_send()) return;
    const auto again = watch.lease() / 10 + std::chrono::milliseconds(100);
    const auto longest = std::max<std::chrono::nanoseconds>(watch.period(), again) + std::chrono::milliseconds(5);
    const auto since = std::max(*watch.last_send(), undisturbed_);
    if (clock_now() - since > longest) world_.fail("R2", "a heartbeat was late though nothing kept the process");
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
    if (std::holds_alternative<put_item_request>(request)) {
        world_.tell(name_, session_beaten{.session = id, .beat = 1, .lease = world_.lease()});
        return;
    }
    const auto* write = std::get_if<update_item_request>(&request);
    if (write == nullptr) return;
    if (const auto beat = integer_value(write->values, ":n")) {
        const auto row = world_.simulated().row(table, std::string(session_prefix) + id);
        const bool expires = row && row->contains("ttl");
        world_.tell(name_, session_beaten{.session = id, .beat = *beat, .lease = world_.lease(), .expires = expires});
        return;
    }
    const bool marked = write->values.contains(":dead");
    world_.run().census.hit(marked ? "session marked dead" : "session closed");
    world_.tell(name_, session_ended{.session = id, .marked_dead = marked});
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
    const auto id = session_in(entry.key);
    if (id.empty()) return;
    const auto found = watches_.find(id);
    if (found == watches_.end() || !session_ || session_->id() != id) return;
    auto& watch = found->second;
    const auto* update = std::get_if<update_item_request>(&request);
    const auto beat = update == nullptr ? std::optional<std::int64_t>() : integer_value(update->values, ":n");
    const bool create = std::holds_alternative<put_item_request>(request);
    if (!create && !beat) return;
    const auto now = clock_now();
    if (answer) {
        watch.acknowledged(create ? 1 : *beat, now);
        return;
    }
    if (answer.error().code != errc::condition_failed) return;
    const auto& current = answer.error().current;
    const auto* state = current ? find_string(*current, "state") : nullptr;
    if (state == nullptr || *state != "alive") {
        if (beat) watch.told_over();
    } else {
        watch.acknowledged(create ? 1 : find_integer(*current, "beat").value_or(0), now);
    }
}

}  // namespace dynalease::simulation::locks
