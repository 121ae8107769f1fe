// A small world for one operation on a locked item that is disturbed at one point: who is on it, and what must hold.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "simulation/framework/session_stage.hpp"

#include <dynalease/item_lock.hpp>

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace dynalease::simulation::item_locks {

struct actor : session_actor {
    using session_actor::session_actor;

    item_lock lock(std::size_t item = 0);

    std::vector<item_guard> guards;  ///< what it has, or got
};

/// Each guarded write adds one to the item's sum.
class stage final : public session_stage<actor> {
public:
    using actor = item_locks::actor;

    stage();

    // ---- settings ----
    enum class access { exclusive, shared };
    /// Nobody has a session with a row. Before anything else.
    void go_without_rows();
    /// The world goes on until `who` holds the item.
    void hold(actor& who, access how = access::exclusive);
    /// ... until its session is live, and the item known to it and free.
    void warm_up(actor& who);

    // ---- for the ends of verbs ----
    static auto keep(actor& in) {
        return [&in](error_code, item_guard got) {
            if (got) in.guards.push_back(std::move(got));
        };
    }
    /// A write that adds one to the sum was asked for; call what this returns in its handler.
    auto count() {
        ++asked_;
        return [this](error_code code, auto&&...) {
            if (code != errc::in_doubt) --asked_;
            if (!code) ++done_;
        };
    }
    static item_ref till(std::size_t index = 0);
    static update_expression one_more() { return add(path("sum"), attribute_value(1)); }
    void expect_erasure() noexcept { may_be_gone_ = true; }

    /// Guards, locks and the session of `a`.
    void destroy_handles() override;
    void conclude() override;

private:
    void look() override;
    std::optional<item> row(std::size_t index);
    bool somebody_in(const item& stored) const;
    void check_rows(const char* when);
    void check_sum();
    void lock_by_a_third(std::size_t index);

    std::int64_t done_ = 0;   ///< writes whose caller was told that they happened
    std::int64_t asked_ = 0;  ///< ... that have no answer, or one that leaves it open
    bool may_be_gone_ = false;
    error_code told_;  ///< to the third, at the end
};

}  // namespace dynalease::simulation::item_locks
