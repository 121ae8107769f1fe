// When to send a request again: AWS's "standard" retry mode of 2026, as decisions without time or chance of its own.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <chrono>
#include <optional>
#include <string_view>

#pragma GCC visibility push(default)
namespace dynalease::aws {

/// What kind of trouble an attempt met.
enum class retry_class {
    none,          ///< final: sending it again would give the same answer
    transient,     ///< 5xx, a cut connection, a timeout, a wrong checksum
    throttling,    ///< the service asked to slow down
    auth_refresh,  ///< the credentials may have been replaced: fetch them anew, and try once more
    skew,          ///< the clock was corrected just now: sign again, and try once more
};

struct retry_options {
    unsigned attempts = 4;                         ///< of one call, the first one included
    std::chrono::milliseconds transient_base{25};  ///< upper bound of the first pause; doubles each time
    std::chrono::milliseconds throttling_base{1000};
    std::chrono::milliseconds longest_pause{20'000};  ///< before jitter
    std::chrono::milliseconds hint_margin{5'000};     ///< at most so much longer than our own pause
    unsigned quota = 500;                             ///< shared by all calls of a client
    unsigned transient_cost = 14;
    unsigned throttling_cost = 5;
    unsigned success_refund = 1;  ///< for a call that needed no retry
};

enum class retry_verdict {
    again,          ///< after `pause`
    final_answer,   ///< not the kind of trouble that another attempt mends
    attempts_used,  ///< one more would be too many
    quota_used,     ///< too many calls of this client are failing: do not add to it
};

struct retry_decision {
    retry_verdict verdict = retry_verdict::final_answer;
    std::chrono::milliseconds pause{0};
};

/// One call's share of the policy. Make one per call, and report every attempt's end to it.
struct retry_budget {
    /// A heartbeat must not fail because other calls have used the quota up; it neither takes nor refunds.
    bool outside_quota = false;

    unsigned attempts = 0;      ///< so far
    unsigned last_cost = 0;     ///< what the last retry took of the quota
    unsigned pending_cost = 0;  ///< ... of one that was decided on, and is not made yet
    bool refreshed = false;
    bool skew_corrected = false;
};

class retry_policy {
public:
    explicit retry_policy(retry_options options = {});

    /// An attempt failed: is there another?
    /// @param random_unit uniform in [0, 1): the jitter
    /// @param hint what the service wishes as a pause; see `parse_retry_after`
    retry_decision decide(retry_budget& call, retry_class why, double random_unit,
                          std::optional<std::chrono::milliseconds> hint = std::nullopt);

    /// The call ended well: gives back what it took.
    void succeeded(retry_budget& call);
    /// The attempt that was decided on last is not made: gives back what it took.
    void called_off(retry_budget& call);

    unsigned quota_left() const noexcept { return quota_; }

private:
    std::chrono::milliseconds pause(retry_class why, unsigned retry, double random_unit,
                                    std::optional<std::chrono::milliseconds> hint) const;

    retry_options options_;
    unsigned quota_;
};

/// The header `x-amz-retry-after`: whole milliseconds; anything else is ignored.
std::optional<std::chrono::milliseconds> parse_retry_after(std::string_view value) noexcept;

}  // namespace dynalease::aws
#pragma GCC visibility pop
