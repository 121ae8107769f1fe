// Each event changes one worker and at most two accounts.
// SPDX-License-Identifier: BSL-1.0
#include "lock/scene.hpp"

#include "lock/settings.hpp"

#include <algorithm>
#include <sstream>

namespace demo {
namespace {

bool dwells_on(const worker_view& worker, const std::string& account) {
    return worker.dwelling_on.first == account || worker.dwelling_on.second == account;
}

}  // namespace

scene::scene(const std::vector<std::string>& worker_names) {
    for (const auto& name : worker_names) workers_.emplace_back().name = name;
    for (const auto name : demo::accounts) accounts_[std::string(name)].balance = opening_balance;
}

void scene::take(std::size_t index, const std::string& line, instant now) {
    std::istringstream words(line);
    std::string event;
    std::string first;
    std::string second;
    words >> event;
    auto& self = workers_[index];
    if (event == "session") {
        self.state = "working";
    } else if (event == "waiting") {
        words >> self.waiting_for;
        self.waiting_since = now;
    } else if (event == "granted") {
        std::int64_t token = 0;
        words >> first >> token;
        granted(index, first, token, now);
    } else if (event == "dwelling") {
        words >> self.dwelling_on.first >> self.dwelling_on.second;
        self.taken_over.reset();
        self.overwritten = false;
    } else if (event == "moved") {
        std::int64_t amount = 0;
        words >> first >> second >> amount;
        moved(index, first, second, amount);
    } else if (event == "refused") {
        int valid = 0;
        words >> first >> second >> valid;
        ++refusals_;
        self.dwelling_on = {};
        narrate(self.name + " wrote " + first + " and " + second + " with old tokens: refused by the fence" +
                    (valid ? "" : ", and its own guards say lost"),
                now);
    } else if (event == "released") {
        words >> first;
        auto& account = accounts_[first];
        if (account.holder == index) account.holder.reset();
    } else if (event == "lost") {
        ++sessions_lost_;
        narrate(self.name + " learnt that its session is over and opens a new one", now);
    } else if (event == "done") {
        std::uint64_t requests = 0;
        words >> requests;
        requests_ += requests;
        self.state = "done";
    } else {
        failures_.push_back(self.name + ": " + line);
        narrate(failures_.back(), now);
    }
}

void scene::granted(std::size_t index, const std::string& name, std::int64_t token, instant now) {
    auto& self = workers_[index];
    const auto waited = now - self.waiting_since;
    waits_.push_back(waited);
    self.longest_wait = std::max<std::chrono::nanoseconds>(self.longest_wait, waited);
    self.waiting_for.clear();
    if (!tokens_.emplace(name, token).second) ++repeated_tokens_;
    auto& account = accounts_[name];
    // Each worker has a pipe of its own, so a younger grant may have been read first.
    if (token <= account.fencing_token) return;
    account.holder = index;
    account.fencing_token = token;
    for (auto& other : workers_) {
        if (dwells_on(other, name) && !other.taken_over) other.taken_over = now;
    }
}

void scene::moved(std::size_t index, const std::string& from, const std::string& to, std::int64_t amount) {
    ++transfers_;
    auto& self = workers_[index];
    ++self.transfers;
    self.dwelling_on = {};
    accounts_[from].balance -= amount;
    accounts_[to].balance += amount;
    for (const auto& name : {from, to}) {
        ++accounts_[name].writes;
        if (accounts_[name].holder != index) continue;  // an old line, read late
        for (auto& other : workers_) other.overwritten |= dwells_on(other, name);
    }
}

bool scene::somebody_waits_behind(std::size_t index) const {
    return std::any_of(workers_.begin(), workers_.end(), [&self = workers_[index]](const worker_view& other) {
        return !other.waiting_for.empty() && dwells_on(self, other.waiting_for);
    });
}

}  // namespace demo
