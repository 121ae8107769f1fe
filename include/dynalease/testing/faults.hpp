// What can happen to a request on its way to a database and back, and plans of it.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <dynalease/dynamodb/database.hpp>
#include <dynalease/dynamodb/failure.hpp>
#include <dynalease/dynamodb/operations.hpp>
#include <dynalease/runtime/clock.hpp>

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#pragma GCC visibility push(default)
namespace dynalease::testing {

/// The fate of one request, or of one attempt where a call makes several.
struct fault {
    enum class kind {
        pass,             ///< applied once, and answered
        lose_request,     ///< never applied, never answered
        lose_answer,      ///< applied, never answered
        apply_twice,      ///< applied and answered, and a copy of it applied later
        answer_copy,      ///< applied, and a copy of it applied later, whose answer is the one that is told
        fail,             ///< never applied, answered with `answer`
        apply_then_fail,  ///< applied, answered with `answer`
        hold,             ///< never sent: the caller waits until it is cancelled, whatever its deadline
        stale_read,       ///< an eventually consistent read shows its item as before the last write to it
        partial_batch,    ///< of a batch only the first half is carried out, the rest comes back unprocessed
    };
    kind what = kind::pass;
    /// How long it stands in line for a connection. Not sent before; never, if the caller's deadline comes first.
    clock::duration queued{};
    clock::duration before{};  ///< how long the request travels; it is applied even when the caller has given up
    clock::duration after{};   ///< how long the answer travels
    clock::duration copy{};    ///< how long after the answer (`apply_twice`) or the first (`answer_copy`) it is applied
    failure answer{};          ///< `fail` and `apply_then_fail`
    /// If it comes to no answer, or to one that says to try again: so long afterwards the client sends the same bytes
    /// once more within the same call, where the call's options leave room for it. That attempt has a fate of its own.
    std::optional<clock::duration> again{};
};

/// Where requests arrive: carries them out at once. `what` matters to `stale_read` and `partial_batch`.
using receiver = std::function<result<any_response>(const any_request& request, fault::kind what)>;

/// Decides the fate of each attempt, in the order in which they are sent.
using fault_plan = std::function<fault(const any_request& request, const call_options& options)>;

/// The given fates one by one, then no more faults.
fault_plan scripted_faults(std::vector<fault> fates);

/// Probabilities, each from 0 to 1, that together do not exceed 1; the rest passes.
struct fault_rates {
    double lose_request = 0;
    double lose_answer = 0;
    double apply_twice = 0;
    double throttle = 0;      ///< refused with `errc::throttled`, not applied
    double server_error = 0;  ///< answered with `errc::server_error`: applied or not, by a coin
    /// Of a delay on either way, beside any of these; most are short, few near `longest_delay`.
    double delay = 0;
    clock::duration longest_delay = std::chrono::minutes(5);
};

/// The same fates for the same seed. Each is what a whole call comes to: the client's own attempts, of which a real one
/// makes up to four, are not played, so that calls fail far more often than with the same rates in production.
fault_plan seeded_faults(std::uint64_t seed, const fault_rates& rates);

}  // namespace dynalease::testing
#pragma GCC visibility pop
