// A session lives from beat to beat, and ends once.
// SPDX-License-Identifier: BSL-1.0
#include "simulation/framework/session_checker.hpp"

#include "simulation/framework/request_text.hpp"

#include <utility>

namespace dynalease::simulation {

std::optional<std::variant<session_beaten, session_ended>> session_change(const std::string& session,
                                                                          const any_request& request,
                                                                          std::chrono::nanoseconds lease,
                                                                          testing::world& where, const char* table) {
    if (std::holds_alternative<put_item_request>(request)) {
        return session_beaten{.session = session, .beat = 1, .lease = lease};
    }
    const auto* write = std::get_if<update_item_request>(&request);
    if (write == nullptr) return {};
    if (const auto beat = integer_value(write->values, ":n")) {
        const auto row = where.row(table, std::string(session_prefix) + session);
        const bool expires = row && row->contains("ttl");
        return session_beaten{.session = session, .beat = *beat, .lease = lease, .expires = expires};
    }
    return session_ended{.session = session, .marked_dead = write->values.contains(":dead")};
}

std::string session_checker::see(time_point at, const session_beaten& seen) {
    auto& session = sessions_[seen.session];
    std::string broken;
    if (session.over) broken = "P5: session " + seen.session + " came back after it was over";
    if (broken.empty() && session.revoked) broken = "P5: session " + seen.session + " goes on though it was revoked";
    if (broken.empty() && seen.beat <= session.beat) {
        broken = "P1: the beat of session " + seen.session + " did not rise";
    }
    if (broken.empty() && seen.expires) broken = "P1: a live session's row could be removed by TTL";
    session.beat = seen.beat;
    session.lease = seen.lease;
    session.beaten_at = at;
    return broken;
}

std::string session_checker::see(time_point at, const session_ended& seen) {
    auto& session = sessions_[seen.session];
    if (session.over && seen.marked_dead) return "P5: session " + seen.session + " ended twice";
    session.over = true;
    // Whoever watches sees the beat after it was written, and waits a whole lease by a clock that may run fast.
    const auto least = session.lease / (1'000'000 + options_.drift_ppm) * 1'000'000 - std::chrono::microseconds(1);
    const bool early = seen.marked_dead && at - session.beaten_at < least;
    if (!early || options_.early_death_waived) return {};
    return "P1: session " + seen.session + " was marked dead before its lease was over";
}

std::string session_checker::see(time_point at, const session_revoked& seen) {
    auto& session = sessions_[seen.session];
    if (!std::exchange(session.revoked, true)) session.beaten_at = at;  // to those who watch
    return {};
}

std::string session_checker::see(time_point, const sessions_disturbed&) {
    sessions_.clear();
    return {};
}

bool session_checker::over(const std::string& session) const {
    const auto known = sessions_.find(session);
    return known != sessions_.end() && known->second.over;
}

time_point session_checker::last_beat(const std::string& session) const {
    const auto known = sessions_.find(session);
    return known == sessions_.end() ? time_point() : known->second.beaten_at;
}

}  // namespace dynalease::simulation
