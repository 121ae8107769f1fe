// What the coordinator knows: the workers' events, put together.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "lock/ledger.hpp"

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace demo {

using instant = std::chrono::steady_clock::time_point;

struct worker_view {
    std::string name;
    pid_t pid = 0;
    std::string state = "starting";
    std::string waiting_for{};
    instant waiting_since{};
    std::pair<std::string, std::string> dwelling_on{};  ///< the accounts it holds until it is told to go on
    std::optional<instant> taken_over{};                ///< when another was granted one of those
    bool overwritten = false;                           ///< and has written it
    std::uint64_t transfers = 0;
    std::chrono::nanoseconds longest_wait{};
    bool ended = false;
};

struct account_view {
    std::int64_t balance = 0;  ///< as the transfers that were acknowledged make it
    std::int64_t writes = 0;
    std::optional<std::size_t> holder{};
    std::int64_t fencing_token = 0;  ///< of the last grant
};

/// A line for people.
struct happening {
    instant when;
    std::string text;
};

class scene {
public:
    explicit scene(const std::vector<std::string>& worker_names);

    /// Takes one line that a worker wrote.
    void take(std::size_t worker, const std::string& line, instant now);
    void narrate(std::string text, instant now) { happenings_.push_back({now, std::move(text)}); }

    const std::vector<worker_view>& workers() const noexcept { return workers_; }
    worker_view& worker(std::size_t index) { return workers_[index]; }
    const std::map<std::string, account_view>& accounts() const noexcept { return accounts_; }
    const std::vector<happening>& happenings() const noexcept { return happenings_; }
    const std::vector<std::chrono::nanoseconds>& waits() const noexcept { return waits_; }

    std::uint64_t transfers() const noexcept { return transfers_; }
    std::uint64_t grants() const noexcept { return tokens_.size(); }
    std::uint64_t refusals() const noexcept { return refusals_; }
    std::uint64_t sessions_lost() const noexcept { return sessions_lost_; }
    std::uint64_t requests() const noexcept { return requests_; }
    /// Grants that brought a token which an earlier grant of the same lock had brought.
    std::uint64_t repeated_tokens() const noexcept { return repeated_tokens_; }
    /// What a worker could not explain.
    const std::vector<std::string>& failures() const noexcept { return failures_; }

    /// Whether somebody waits for an account that this worker holds.
    bool somebody_waits_behind(std::size_t worker) const;

private:
    void granted(std::size_t worker, const std::string& account, std::int64_t token, instant now);
    void moved(std::size_t worker, const std::string& from, const std::string& to, std::int64_t amount);

    std::vector<worker_view> workers_;
    std::map<std::string, account_view> accounts_;
    std::vector<happening> happenings_;
    std::vector<std::chrono::nanoseconds> waits_;
    std::set<std::pair<std::string, std::int64_t>> tokens_;
    std::vector<std::string> failures_;
    std::uint64_t transfers_ = 0;
    std::uint64_t refusals_ = 0;
    std::uint64_t sessions_lost_ = 0;
    std::uint64_t requests_ = 0;
    std::uint64_t repeated_tokens_ = 0;
};

}  // namespace demo
