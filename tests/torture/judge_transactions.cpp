// The promises about transactions, from what was told meanwhile and what was found at the end.
// SPDX-License-Identifier: BSL-1.0
#include "torture/judge.hpp"

#include "torture/settings.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <utility>

namespace torture {
namespace {

using run_key = std::tuple<std::string, std::string, std::int64_t, std::int64_t>;  ///< id, process, task, number

run_key run_of(const event& each) {
    return {each.name, each.who, each.task, each.token};
}

bool tells_committed(const event& each) {
    if (each.kind == what::committed) return true;
    return (each.kind == what::settled || each.kind == what::looked_up) && each.value == committed_state;
}

class audit {
public:
    audit(const case_file& facts, std::vector<violation>& found) : facts_(facts), found_(found) {}

    void run() {
        for (const auto& each : facts_.history) {
            if (each.kind == what::ordered) transfers_.insert(each.name);
            if (each.kind == what::receipt) receipts_[each.name] += each.value;
            if (each.kind == what::receipt) written_.insert(run_of(each));
            if (each.kind == what::balance) counted_ = true;
        }
        judge_sums();
        judge_ends();
        if (!counted_) return;  // the run was cut short, and says so
        judge_receipts();
        judge_balances();
    }

private:
    void complain(const char* promise, const event& about, std::string words) {
        found_.push_back(
            {.promise = promise, .words = std::move(words), .around = about.at, .name = about.name, .who = about.who});
    }

    void judge_sums() {
        for (const auto& each : facts_.history) {
            if (each.kind != what::summed || each.value == total_funds) continue;
            complain("sum", each, "all accounts at one moment: " + std::to_string(each.value));
        }
    }

    /// What has committed is never told as anything else again.
    void judge_ends() {
        std::map<std::string, instant> committed;
        for (const auto& each : facts_.history) {
            if (tells_committed(each)) {
                const auto known = committed.emplace(each.name, each.end()).first;
                known->second = std::min(known->second, each.end());
            }
        }
        for (const auto& each : facts_.history) {
            if (each.kind != what::settled && each.kind != what::looked_up) continue;
            const auto known = committed.find(each.name);
            if (tells_committed(each) || known == committed.end() || known->second >= each.at) continue;
            complain("told", each, "a transaction that had committed was then told as not committed");
        }
    }

    void judge_receipts() {
        for (const auto& [id, count] : receipts_) {
            if (count == 1) continue;
            found_.push_back({.promise = "once",
                              .words = "the transfer happened " + std::to_string(count) + " times",
                              .around = facts_.end,
                              .name = id});
        }
        for (const auto& each : facts_.history) {
            if (tells_committed(each) && transfers_.contains(each.name) && !receipts_.contains(each.name)) {
                complain("told", each, "a transfer was told as committed, and left no receipt");
            }
            if (each.kind == what::failed && written_.contains(run_of(each))) {
                complain("told", each, "a run of a transfer was told as failed, and left its receipt");
            }
        }
    }

    void judge_balances() {
        std::int64_t all = 0;
        const event* last = nullptr;
        for (const auto& each : facts_.history) {
            if (each.kind == what::left) complain("left", each, "it was not given back: " + each.session);
            if (each.kind != what::balance) continue;
            all += each.value;
            last = &each;
            if (each.value == each.token) continue;
            complain("sum", each,
                     "it holds " + std::to_string(each.value) + ", and by all receipts " + std::to_string(each.token));
        }
        if (all != total_funds) complain("sum", *last, "all accounts at the end: " + std::to_string(all));
    }

    const case_file& facts_;
    std::vector<violation>& found_;
    std::set<std::string> transfers_;
    std::map<std::string, std::int64_t> receipts_;
    std::set<run_key> written_;
    bool counted_ = false;
};

}  // namespace

void judge_transactions(const case_file& facts, std::vector<violation>& found) {
    audit(facts, found).run();
}

}  // namespace torture
