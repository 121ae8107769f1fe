// Drawing the fate of each request.
// SPDX-License-Identifier: BSL-1.0
#include "simulation/framework/network_faults.hpp"

#include <algorithm>
#include <utility>

namespace dynalease::simulation {

using namespace std::chrono_literals;
using testing::fault;

namespace {

constexpr std::array<request_fault, static_cast<std::size_t>(request_fault_kind::count)> request_fault_descriptions{{
    {"lost", "swarm: lost"},
    {"answer_lost", "swarm: answer_lost"},
    {"slow", "swarm: slow"},
    {"late", "swarm: late"},
    {"twice", "swarm: twice"},
    {"reordered", "swarm: reordered"},
    {"error_not_applied", "swarm: error_not_applied"},
    {"error_applied", "swarm: error_applied"},
    {"throttled", "swarm: throttled"},
    {"refused", "swarm: refused"},
    {"cut_answer", "swarm: cut_answer"},
    {"garbage_answer", "swarm: garbage_answer"},
    {"transaction_conflict", "swarm: transaction_conflict"},
    {"transaction_in_progress", "swarm: transaction_in_progress"},
    {"stale_read", "swarm: stale_read"},
    {"partial_batch", "swarm: partial_batch"},
    {"copy_answered", "swarm: copy_answered"},
}};

constexpr std::uint64_t whole = 1'000'000;
constexpr std::chrono::minutes signature_life{5};

/// Most are short, few near `longest`: races hide at both ends.
clock::duration heavy_tailed(testing::tape& choices, const char* label, clock::duration longest) {
    const auto part = static_cast<double>(choices.choose(label, whole)) / static_cast<double>(whole);
    return std::chrono::duration_cast<clock::duration>(part * part * part * longest);
}

}  // namespace

const request_fault& describe(request_fault_kind kind) {
    return request_fault_descriptions[static_cast<std::size_t>(kind)];
}

network_faults::network_faults(world_run& run, testing::world& where, const network_fault_options& options,
                               std::size_t nodes)
    : run_(run), world_(where), longer_ways_(options.longer_ways), lines_(nodes) {
    for (std::size_t i = 0; i < kinds; ++i) {
        if (static_cast<request_fault_kind>(i) == request_fault_kind::copy_answered && !options.answers_copies)
            continue;
        const bool present = run.choices.chance(request_fault_descriptions[i].swarm_label, options.presence);
        const auto strength = run.choices.choose(request_fault_descriptions[i].swarm_label, 3);
        if (present)
            chances_[i] = strength == 2 ? options.worst_chance : options.worst_chance / (strength == 1 ? 3 : 10);
    }
    for (const auto kind : options.always) chances_[static_cast<std::size_t>(kind)] = options.worst_chance;
    for (const auto kind : options.never) chances_[static_cast<std::size_t>(kind)] = 0;
    const auto again = run.choices.choose("swarm: sent_again", 4);
    if (options.sent_again) again_ = static_cast<std::uint32_t>(whole * again / 3);
    latency_ = std::chrono::milliseconds(run.choices.between("latency of the world", 1, 30));
}

testing::fault_plan network_faults::plan(std::size_t index, testing::node& machine) {
    return [this, index, &machine](const any_request& request, const call_options& options) {
        return fate_of(index, machine, request, options);
    };
}

void network_faults::close(window way, std::size_t node, time_point end) {
    lines_[node].closed_until[static_cast<std::size_t>(way)] = end;
}

void network_faults::close_for_all(window way, time_point end) {
    for (std::size_t node = 0; node < lines_.size(); ++node) close(way, node, end);
}

fault network_faults::fate_of(std::size_t index, testing::node& machine, const any_request& request,
                              const call_options& options) {
    fault fate;
    auto& own = lines_[index];
    draw_latency(fate, index);
    if (hit_wrong_clock(own, machine, fate, options) || calm_) return fate;
    if (!hit_closed_way(own, fate, options)) hit_by_chance(fate, request);
    if (fate.what == fault::kind::lose_request || fate.what == fault::kind::lose_answer) own.connected = false;
    draw_repetition(fate, options);
    return fate;
}

void network_faults::draw_latency(fault& fate, std::size_t index) {
    const auto latency = latency_ * (index == 0 ? longer_ways_ : 1);
    fate.before = latency / 2 + heavy_tailed(run_.choices, "way there", latency);
    fate.after = latency / 2 + heavy_tailed(run_.choices, "way back", latency);
    if (calm_) return;
    // Uniform latencies miss the races at the edges of time: some arrive just when something else falls due.
    const auto edge = run_.choices.choose("edge", 20);
    if (edge == 18) fate.before = aligned(fate.before);
    if (edge == 19) fate.after = aligned(fate.before + fate.after) - fate.before;
    fate.after = std::max(fate.after, clock::duration{});
}

void network_faults::draw_repetition(fault& fate, const call_options& options) {
    if (again_ == 0 || options.attempts == 1) return;
    const auto drawn = run_.choices.choose("sent again", whole);
    const auto pause = heavy_tailed(run_.choices, "pause before another attempt", 100ms);
    if (drawn >= again_) return;
    fate.again = pause;
    if (fate.what != fault::kind::pass) run_.coverage.fault("sent_again");
}

clock::duration network_faults::aligned(clock::duration otherwise) {
    const auto index = run_.choices.choose("edge of which wait", 6);
    const auto due = world_.scheduler().pending_wait(index);
    if (!due || *due - world_.now() > 30s) return otherwise;
    constexpr std::array<clock::duration, 5> offsets{0ns, -1ns, 1ns, -1ms, 1ms};
    const auto offset = offsets[run_.choices.choose("side of the edge", offsets.size())];
    return std::max<clock::duration>(*due - world_.now() + offset, 0ns);
}

bool network_faults::hit_wrong_clock(line& own, testing::node& machine, fault& fate, const call_options& options) {
    const auto skew = machine.clock().wall() - world_.store_clock().wall();
    if (std::chrono::abs(skew - own.signing_skew) <= signature_life) return false;
    // The refusal carries the service's date, by which a client signs from then on.
    own.signing_skew = skew;
    // Within the same call, too; in a storm its attempts may be used up.
    if (calm_ && options.attempts != 1) return false;
    fate.what = fault::kind::fail;
    fate.answer = failure(errc::invalid_signature, outcome::not_applied);
    run_.coverage.fault("signature_refused");
    return true;
}

bool network_faults::hit_closed_way(line& own, fault& fate, const call_options& options) {
    const auto now = world_.now();
    const auto left = [&](window way) { return own.closed_until[static_cast<std::size_t>(way)] - now; };
    const auto refuse = [&](errc code) {
        fate.what = fault::kind::fail;
        fate.answer = failure(code, outcome::not_applied);
        return true;
    };
    if (left(window::no_credentials) > 0ns) return refuse(errc::expired_credentials);
    if (left(window::outage) > 0ns) {
        fate.what = fault::kind::lose_request;
        return true;
    }
    if (left(window::unreachable) > 0ns) return refuse(errc::unreachable);
    if (left(window::no_names) > 0ns && !own.connected) return refuse(errc::unreachable);
    own.connected = true;
    if (left(window::no_connection) > 0ns && options.lane == lane::ordinary) {
        fate.queued = left(window::no_connection);
        return true;
    }
    if (left(window::throttle_storm) > 0ns) return refuse(errc::throttled);
    if (left(window::to_store) > 0ns) {
        fate.what = fault::kind::lose_request;
        return true;
    }
    if (left(window::from_store) > 0ns) {
        fate.what = fault::kind::lose_answer;
        return true;
    }
    return false;
}

void network_faults::hit_by_chance(fault& fate, const any_request& request) {
    auto drawn = run_.choices.choose("fate", whole);
    // From the top down, so that the plainest number is the plainest fate.
    drawn = whole - 1 - drawn;
    for (std::size_t i = 0; i < kinds; ++i) {
        if (drawn >= chances_[i]) {
            drawn -= chances_[i];
            continue;
        }
        const auto kind = static_cast<request_fault_kind>(i);
        const bool write = is_write(request);
        const bool only_writes = kind == request_fault_kind::transaction_conflict ||
                                 kind == request_fault_kind::transaction_in_progress ||
                                 kind == request_fault_kind::copy_answered;
        if (only_writes && !write) return;
        // A transaction has a token by which the service knows its copy.
        const bool transaction = std::holds_alternative<transact_write_items_request>(request);
        if (kind == request_fault_kind::copy_answered && transaction) return;
        if (kind == request_fault_kind::stale_read && write) return;
        const bool batch = std::holds_alternative<batch_write_item_request>(request) ||
                           std::holds_alternative<batch_get_item_request>(request);
        if (kind == request_fault_kind::partial_batch && !batch) return;
        run_.coverage.fault(request_fault_descriptions[i].name);
        apply(kind, fate);
        return;
    }
}

fault& network_faults::apply(request_fault_kind kind, fault& fate) {
    auto& choices = run_.choices;
    const auto answer_with = [&fate](fault::kind what, errc code, outcome known) {
        fate.what = what;
        fate.answer = failure(code, known);
    };
    switch (kind) {
        case request_fault_kind::lost:
            fate.what = fault::kind::lose_request;
            break;
        case request_fault_kind::answer_lost:
            fate.what = fault::kind::lose_answer;
            break;
        case request_fault_kind::slow:
            fate.after += heavy_tailed(choices, "how slow", 3s);
            break;
        case request_fault_kind::late:
            fate.before += 1s + heavy_tailed(choices, "how late", 5min);
            break;
        case request_fault_kind::twice:
            fate.what = fault::kind::apply_twice;
            fate.copy = heavy_tailed(choices, "how late the copy", 5min);
            break;
        case request_fault_kind::reordered:
            fate.before += heavy_tailed(choices, "how far behind", 900ms);
            break;
        case request_fault_kind::error_not_applied:
            answer_with(fault::kind::fail, errc::server_error, outcome::unknown);
            break;
        case request_fault_kind::error_applied:
            answer_with(fault::kind::apply_then_fail, errc::server_error, outcome::unknown);
            break;
        case request_fault_kind::throttled:
            answer_with(fault::kind::fail, errc::throttled, outcome::not_applied);
            break;
        case request_fault_kind::refused:
            answer_with(fault::kind::fail, errc::unreachable, outcome::not_applied);
            break;
        case request_fault_kind::cut_answer:
            answer_with(fault::kind::apply_then_fail, errc::server_error, outcome::unknown);
            break;
        case request_fault_kind::garbage_answer:
            answer_with(fault::kind::apply_then_fail, errc::bad_response, outcome::unknown);
            break;
        case request_fault_kind::transaction_conflict:
            answer_with(fault::kind::fail, errc::transaction_conflict, outcome::not_applied);
            break;
        case request_fault_kind::transaction_in_progress:
            answer_with(fault::kind::fail, errc::transaction_conflict, outcome::unknown);
            break;
        case request_fault_kind::stale_read:
            fate.what = fault::kind::stale_read;
            break;
        case request_fault_kind::partial_batch:
            fate.what = fault::kind::partial_batch;
            break;
        case request_fault_kind::copy_answered:
            fate.what = fault::kind::answer_copy;
            fate.copy = heavy_tailed(choices, "how late the answered copy", 300ms);
            break;
        case request_fault_kind::count:
            break;
    }
    return fate;
}

}  // namespace dynalease::simulation
