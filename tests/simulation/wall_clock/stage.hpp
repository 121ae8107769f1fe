// A small world for one operation on an item that is locked by the wall clock, disturbed at one point: who is on it,
// and what must hold.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "simulation/framework/stage.hpp"

#include <dynalease/dynamodb/expression.hpp>
#include <dynalease/wall_clock_lock.hpp>

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace dynalease::simulation::wall_clocks {

/// Process `a`, whose clock is ahead, does what is disturbed; `b`, whose clock is behind, is the other one, if the
/// operation needs one. `c` comes at the end, to see whether the item can be locked. Each guarded write adds one to the
/// item's sum.
class stage final : public simulation::stage, private testing::network_observer {
public:
    stage();

    struct actor {
        actor(testing::world& where, std::uint64_t seed, std::int64_t drift_ppm, std::chrono::milliseconds ahead);

        testing::node machine;
        std::optional<wall_clock_lock> lock;
        std::vector<wall_clock_guard> guards;  ///< what it has, or got
    };

    actor a;
    actor b;
    actor c;

    // ---- settings ----
    /// The world goes on until `who` holds the item.
    void hold(actor& who);
    /// `b` dies with the item in its hand.
    void hold_and_die();
    /// A writer of another make holds it, and never gives it back.
    void hold_by_recipe();

    // ---- for the ends of verbs ----
    static auto keep(actor& in) {
        return [&in](error_code, wall_clock_guard got) {
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
    static update_expression one_more() { return add(path("sum"), attribute_value(1)); }

    std::vector<testing::node*> nodes() override { return {&a.machine, &b.machine, &c.machine}; }
    /// Guards and the lock of `a`.
    void destroy_handles() override;
    void conclude() override;

private:
    void look() override;
    item row();
    std::string moment_in_item();
    void check_free();
    void check_sum();
    void lock_by_a_third();

    // ---- what befell the requests of a ----
    void sent(const testing::logged_request&, const any_request&) override {}
    void applied(const testing::logged_request& entry, const any_request& request,
                 const result<any_response>& answer) override;
    void answered(const testing::logged_request&, const any_request&, const result<any_response>&) override {}

    std::string left_behind_;  ///< by the setting: it stands until it is over
    std::int64_t done_ = 0;    ///< writes whose caller was told that they happened
    std::int64_t asked_ = 0;   ///< ... that have no answer, or one that leaves it open
    bool late_lock_ = false;   ///< a write locked the item when its caller had gone on
};

}  // namespace dynalease::simulation::wall_clocks
