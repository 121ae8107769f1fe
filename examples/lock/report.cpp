// Compares what the accounts hold with what the acknowledged transfers say, account by account.
// SPDX-License-Identifier: BSL-1.0
#include "lock/report.hpp"

#include "lock/settings.hpp"
#include "support/json_line.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>

namespace demo {
namespace {

double milliseconds(std::chrono::nanoseconds time) {
    return std::chrono::duration<double, std::milli>(time).count();
}

double quantile(std::vector<std::chrono::nanoseconds> times, double part) {
    if (times.empty()) return 0;
    const auto place = static_cast<std::size_t>(part * static_cast<double>(times.size() - 1));
    std::nth_element(times.begin(), times.begin() + static_cast<std::ptrdiff_t>(place), times.end());
    return milliseconds(times[place]);
}

/// What the check found in the accounts themselves.
struct verdict {
    std::int64_t sum = 0;
    std::int64_t lost_updates = 0;    ///< acknowledged writes that are not in the account
    std::int64_t wrong_balances = 0;  ///< accounts that hold another balance than the transfers make
};

verdict check(const scene& state, const std::vector<account>& accounts) {
    verdict found;
    for (const auto& account : accounts) {
        const auto& expected = state.accounts().at(account.name);
        found.sum += account.balance;
        found.lost_updates += std::abs(expected.writes - account.writes);
        found.wrong_balances += expected.balance == account.balance ? 0 : 1;
    }
    return found;
}

}  // namespace

bool report(const scene& state, const interludes& times, const holding& leases,
            const std::vector<account>& final_accounts) {
    const auto found = check(state, final_accounts);
    constexpr auto deposited = opening_balance * static_cast<std::int64_t>(demo::accounts.size());
    const bool ok = found.sum == deposited && found.lost_updates == 0 && found.wrong_balances == 0 &&
                    state.refusals() >= 1 && state.repeated_tokens() == 0 && times.takeover.count() > 0 &&
                    leases.leases == many_leases && leases.lost == 0;
    const auto mib = [](std::uint64_t kib) { return static_cast<double>(kib) / 1024; };

    std::printf("\nWhat happened\n");
    std::printf("  %-34s %lu, in %lu requests of all workers\n", "transfers", state.transfers(), state.requests());
    std::printf("  %-34s %lu, %lu with a token that was used before\n", "locks granted", state.grants(),
                state.repeated_tokens());
    std::printf("  %-34s median %.0f ms, 90 %% within %.0f ms\n", "waits for a lock", quantile(state.waits(), 0.5),
                quantile(state.waits(), 0.9));
    std::printf("  %-34s %.0f ms until another held one of its locks (lease %ld ms)\n", "after kill -9",
                milliseconds(times.takeover), static_cast<long>(worker_lease.count()));
    std::printf("  %-34s for %.0f ms holding two locks; writes refused by the fence: %lu\n", "stopped by SIGSTOP",
                milliseconds(times.stopped), state.refusals());
    std::printf("  %-34s %lu, taken in %lu requests and %.2f s, given back in %.2f s\n", "leases of one process",
                leases.leases, leases.requests, leases.acquire_seconds, leases.release_seconds);
    std::printf("  %-34s %.3g per period of %ld ms\n", "  heartbeat writes", leases.writes_per_period,
                static_cast<long>(holder_heartbeat.count()));
    std::printf("  %-34s %.2f %% of a core, %lu thread(s), %.1f MiB resident (%.1f MiB more than without leases)\n",
                "  cost while it holds them", leases.cpu_percent, leases.threads, mib(leases.rss_kib),
                mib(leases.rss_growth_kib));
    std::printf("  %-34s %ld of %ld\n", "sum of all accounts", static_cast<long>(found.sum),
                static_cast<long>(deposited));
    std::printf("  %-34s %ld\n", "lost updates", static_cast<long>(found.lost_updates));
    std::printf("  %-34s %s\n\n", "nothing was lost", ok ? "yes" : "NO");

    support::json_line()
        .add("demo", "lock")
        .add("ok", ok)
        .add("lost_updates", found.lost_updates)
        .add("takeover_ms", milliseconds(times.takeover), 0)
        .add("fence_refusals", state.refusals())
        .add("leases", leases.leases)
        .add("heartbeat_writes_per_period", leases.writes_per_period, 2)
        .add("rss_mib", mib(leases.rss_kib), 1)
        .add("threads", leases.threads)
        .print();
    return ok;
}

}  // namespace demo
