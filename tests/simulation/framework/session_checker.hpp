// Whether sessions end as promised: checked from the writes of their rows alone.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <dynalease/dynamodb/database.hpp>
#include <dynalease/runtime/time.hpp>
#include <dynalease/testing/world.hpp>

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <variant>

namespace dynalease::simulation {

/// A session's row came to be, or its beat moved.
struct session_beaten {
    std::string session{};
    std::int64_t beat = 0;
    std::chrono::nanoseconds lease{};
    bool expires = false;
};

/// A session's row says that it is over: marked dead, or closed by its owner.
struct session_ended {
    std::string session{};
    bool marked_dead = false;
};

/// An operator has revoked it: no heartbeat of it lands any more.
struct session_revoked {
    std::string session{};
};

/// What is known of sessions no longer counts: the world lost or changed their rows.
struct sessions_disturbed {};

/// What a write that was applied to the row of `session` did; empty for a request that writes none.
std::optional<std::variant<session_beaten, session_ended>> session_change(const std::string& session,
                                                                          const any_request& request,
                                                                          std::chrono::nanoseconds lease,
                                                                          testing::world& where, const char* table);

struct session_checker_options {
    /// By how much any clock of the world may run fast or slow.
    std::int64_t drift_ppm = 1000;
    /// Clocks stood still, or rows were lost: a session may be taken for dead too early.
    bool early_death_waived = false;
};

class session_checker {
public:
    explicit session_checker(const session_checker_options& options) : options_(options) {}

    // Each returns the promise that it breaks; empty: none.
    std::string see(time_point at, const session_beaten& seen);
    std::string see(time_point at, const session_ended& seen);
    std::string see(time_point at, const session_revoked& seen);
    std::string see(time_point at, const sessions_disturbed& seen);

    bool over(const std::string& session) const;
    /// When the session's row was last proof of life; true time.
    time_point last_beat(const std::string& session) const;

private:
    struct record {
        bool over = false;
        bool revoked = false;
        std::int64_t beat = 0;
        std::chrono::nanoseconds lease{};
        time_point beaten_at{};
    };

    const session_checker_options options_;
    std::unordered_map<std::string, record> sessions_;
};

}  // namespace dynalease::simulation
