// What the requests about a session's row, and their answers, prove of it.
// SPDX-License-Identifier: BSL-1.0
#include "simulation/framework/session_watches.hpp"

#include "simulation/framework/request_text.hpp"

#include <algorithm>
#include <cstddef>

namespace dynalease::simulation {

namespace {

std::optional<std::int64_t> beat_in(const any_request& request) {
    const auto* update = std::get_if<update_item_request>(&request);
    return update == nullptr ? std::optional<std::int64_t>() : integer_value(update->values, ":n");
}

}  // namespace

const lease_watch* session_watches::of(const std::string& session) const {
    const auto found = by_session_.find(session);
    return found == by_session_.end() ? nullptr : &found->second;
}

const lease_watch* session_watches::beating(const testing::logged_request& entry, const any_request& request) const {
    return beat_in(request) ? of(session_in(entry.key)) : nullptr;
}

std::string session_watches::writer_of(const any_request& request) {
    constexpr std::size_t id_length = 22;
    std::string name;
    if (const auto* put = std::get_if<put_item_request>(&request)) name = text_value(put->new_item, "session");
    if (const auto* update = std::get_if<update_item_request>(&request)) {
        for (const auto* of : {":s", ":k", ":w"}) {
            if (name.empty()) name = text_value(update->values, of);
        }
    }
    return name.substr(0, id_length);
}

std::string session_watches::check_heartbeat(const testing::logged_request& entry, const lease_watch& of,
                                             time_point now, time_point undisturbed) {
    if (entry.lane != lane::heartbeat) return "R2: a heartbeat left on the lane of ordinary requests";
    if (!of.begun() || !of.last_send()) return {};
    const auto again = of.lease() / 10 + std::chrono::milliseconds(100);
    const auto longest = std::max<std::chrono::nanoseconds>(of.period(), again) + std::chrono::milliseconds(5);
    const auto since = std::max(*of.last_send(), undisturbed);
    return now - since > longest ? "R2: a heartbeat was late though nothing kept the process" : std::string();
}

void session_watches::sent(const testing::logged_request& entry, const any_request& request, time_point now) {
    const auto id = session_in(entry.key);
    if (id.empty()) return;
    if (std::holds_alternative<put_item_request>(request)) {
        auto& created = by_session_.try_emplace(id, lease_, period_, drift_ppm_).first->second;
        if (!created.last_send()) created.sent(1, now);
        return;
    }
    const auto beat = beat_in(request);
    const auto found = by_session_.find(id);
    if (beat && found != by_session_.end()) found->second.sent(*beat, now);
}

void session_watches::answered(const testing::logged_request& entry, const any_request& request,
                               const result<any_response>& answer, time_point now) {
    const auto found = by_session_.find(session_in(entry.key));
    if (found == by_session_.end()) return;
    auto& watch = found->second;
    const auto beat = beat_in(request);
    const bool create = std::holds_alternative<put_item_request>(request);
    if (!create && !beat) return;
    if (answer) {
        const auto* updated = std::get_if<update_item_response>(&*answer);
        const auto former = updated ? find_integer(updated->attributes, "beat") : std::nullopt;
        if (former && watch.shows_another_past(*former)) {
            watch.told_over();
        } else {
            watch.acknowledged(create ? 1 : *beat, now);
        }
        return;
    }
    if (answer.error().code != errc::condition_failed) return;
    const auto& current = answer.error().current;
    const auto* state = current ? find_string(*current, "state") : nullptr;
    const bool revoked = beat && current && current->contains("by");
    if (state == nullptr || *state != "alive" || revoked) {
        if (beat) watch.told_over();
    } else {
        watch.acknowledged(create ? 1 : find_integer(*current, "beat").value_or(0), now);
    }
}

}  // namespace dynalease::simulation
