// What the library promises with the settings of the workers.
// SPDX-License-Identifier: BSL-1.0
#include "torture/terms.hpp"

#include "torture/settings.hpp"

#include <algorithm>

namespace torture {

terms promised_terms(std::string_view primitive) {
    using std::chrono::duration_cast;
    using namespace std::chrono_literals;
    const std::chrono::duration<double, std::nano> whole = instant(lease);
    const double drift = clock_drift_ppm * 1e-6;
    // A waiter begins to watch a holder that it has seen for half a second, and looks at its session at most so far
    // apart that all waiters together look once a second; a look and the mark that follows it are one request each.
    const instant watch = std::min<instant>(std::chrono::seconds(worker_count), lease);
    const auto lease_of_watcher = duration_cast<instant>(whole / (1 - drift));
    terms promised{.longest_hold = duration_cast<instant>(whole * (1 - drift) / (1 + drift)),
                   .told_within = 100ms,
                   .free_within = 500ms + lease_of_watcher + 2 * watch + 2 * instant(request_limit) + 500ms,
                   .recovery = request_limit + 1s};
    // A ticket that was never written down is safe for three seconds. And whoever waits behind many looks rarely: up to
    // once a second for each of them, a fifth more by chance, every second time at their rows.
    constexpr instant claim = 3s;
    constexpr instant two_looks = 2400ms;
    if (primitive == "queue") promised.free_within += claim + worker_count * tasks_per_worker * two_looks;
    return promised;
}

}  // namespace torture
