// Which writes of one session may yet bring it a lock, worked out from what its network shows.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "simulation/lock/history.hpp"

#include <dynalease/dynamodb/failure.hpp>
#include <dynalease/dynamodb/operations.hpp>
#include <dynalease/runtime/time.hpp>

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>

namespace dynalease::simulation::locks {

/// As much of a lock's row as matters here.
struct shown_row {
    std::int64_t floor = 0;
    std::optional<std::int64_t> attempt{};
    std::string holder{};  ///< empty: free
};

/// The row that an answer shows; empty: none does.
std::optional<shown_row> row_in(const result<any_response>& answer, const any_request& request);
/// A take, a hand-over or a release.
bool is_about_a_grant(const any_request& request);
/// It takes back, too, what a hand-over before it may have done.
bool is_release(const any_request& request);

/// A take, a place in the line or a hand-over is open from the moment it is sent until an answer shows that it was
/// applied, or that no copy of it can be applied any more.
class open_writes {
public:
    void sent(std::size_t lock, const any_request& request, time_point now);
    /// @param own the lock asked itself; else it may have been somebody who inspects it, of which the lock knows
    /// nothing
    void answered(std::size_t lock, const any_request& request, const result<any_response>& answer, time_point now,
                  bool own);

    /// A write is open that was sent since then.
    bool any_since(std::size_t lock, time_point began) const;
    /// One is open, or was a moment ago.
    bool any_lately(std::size_t lock, time_point now) const;
    /// Empty: no write of that token was sent.
    std::optional<sent_claim> claim(std::size_t lock, std::int64_t token) const;
    /// Another session begins.
    void forget() { locks_.clear(); }
    /// Another life of the session begins: what was open for the last one is void with it.
    void end_life(time_point now);

private:
    struct open_write {
        time_point sent{};
        unsigned under_way = 0;
        bool unanswered = false;
        bool seen_closed = false;            ///< by a look that may not have been the lock's own
        std::optional<std::int64_t> from{};  ///< of a hand-over: the attempt that it takes the place of
    };
    struct record {
        std::map<std::int64_t, open_write> by_token{};
        time_point resolved{};  ///< when the last one ceased to be open
        std::int64_t floor_seen = 0;
        std::map<std::int64_t, time_point> first_sent{};        ///< by token
        std::map<std::int64_t, sent_claim> of_earlier_lives{};  ///< by token
    };

    std::map<std::size_t, record> locks_;
};

}  // namespace dynalease::simulation::locks
