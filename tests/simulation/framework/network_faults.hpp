// What befalls requests in one world: chances drawn once for the whole of it, and windows in which a way is closed.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "simulation/framework/world_run.hpp"

#include <dynalease/testing/faults.hpp>
#include <dynalease/testing/node.hpp>
#include <dynalease/testing/world.hpp>

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

namespace dynalease::simulation {

/// Faults of single requests. A world has a chance for each, many of them zero: one that is never seen alone, or never
/// without another, hides what it can do.
struct request_fault {
    std::string_view name;    ///< in the report
    const char* swarm_label;  ///< of the choice of its chance
};
enum class request_fault_kind {
    lost,
    answer_lost,
    slow,
    late,
    twice,
    reordered,
    error_not_applied,
    error_applied,
    throttled,
    refused,
    cut_answer,
    garbage_answer,
    transaction_conflict,
    transaction_in_progress,
    stale_read,
    partial_batch,
    copy_answered,
    count,
};
const request_fault& describe(request_fault_kind kind);

/// Ways that can be closed to a node for a while.
enum class window {
    to_store,
    from_store,
    outage,
    throttle_storm,
    unreachable,
    no_names,
    no_connection,
    no_credentials,
    count
};

struct network_fault_options {
    /// The highest chance of any one fault, per million; the drawn ones lie at a tenth of it, or at it, or at zero.
    std::uint32_t worst_chance = 80'000;
    /// How likely a fault is to be met in a world at all.
    double presence = 0.35;
    /// Clients send the same bytes again within a call, as ours does.
    bool sent_again = true;
    /// Whether `copy_answered` is met at all: the network repeats a write, and its caller is told how the copy fared.
    bool answers_copies = false;
    /// By how much the ways of the first node are longer than those of the others.
    int longer_ways = 1;
    /// Always present at their worst.
    std::vector<request_fault_kind> always{};
    std::vector<request_fault_kind> never{};
};

class network_faults {
public:
    network_faults(world_run& run, testing::world& where, const network_fault_options& options, std::size_t nodes);

    /// For the network of a node; asked again after a restart.
    testing::fault_plan plan(std::size_t index, testing::node& machine);

    /// Closes a way until `end`, in true time.
    void close(window way, std::size_t node, time_point end);
    void close_for_all(window way, time_point end);
    /// From now on every request passes at once.
    void calm() noexcept { calm_ = true; }
    bool is_calm() const noexcept { return calm_; }
    bool present(request_fault_kind kind) const noexcept { return chances_[static_cast<std::size_t>(kind)] != 0; }

private:
    static constexpr auto kinds = static_cast<std::size_t>(request_fault_kind::count);
    static constexpr auto ways = static_cast<std::size_t>(window::count);

    /// What a client knows of its own connection to the service.
    struct line {
        std::array<time_point, ways> closed_until{};
        std::chrono::milliseconds signing_skew{};  ///< learnt from a refusal
        bool connected = true;                     ///< false: the next request needs a new connection
    };

    testing::fault fate_of(std::size_t index, testing::node& machine, const any_request& request,
                           const call_options& options);
    bool hit_closed_way(line& own, testing::fault& fate, const call_options& options);
    bool hit_wrong_clock(line& own, testing::node& machine, testing::fault& fate, const call_options& options);
    void hit_by_chance(testing::fault& fate, const any_request& request);
    void draw_repetition(testing::fault& fate, const call_options& options);
    void draw_latency(testing::fault& fate, std::size_t index);
    clock::duration aligned(clock::duration otherwise);
    testing::fault& apply(request_fault_kind kind, testing::fault& fate);

    world_run& run_;
    testing::world& world_;
    std::array<std::uint32_t, kinds> chances_{};
    clock::duration latency_{};
    std::uint32_t again_ = 0;  ///< the chance of one more attempt
    const int longer_ways_;
    std::vector<line> lines_;
    bool calm_ = false;
};

}  // namespace dynalease::simulation
