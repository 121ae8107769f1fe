// A process whose programs have a session each, and users of it.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "simulation/framework/grant_ledger.hpp"
#include "simulation/framework/process.hpp"
#include "simulation/framework/request_text.hpp"

#include <dynalease/session.hpp>

#include <algorithm>
#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace dynalease::simulation {

/// @tparam User a `user` with `live`, `waits`, `gone` and `let_go`.
template <class User>
class session_process : public process, public testing::network_observer {
public:
    /// Null: there is none at present.
    dynalease::session* session() noexcept { return session_ ? &*session_ : nullptr; }
    const dynalease::session* session() const noexcept { return session_ ? &*session_ : nullptr; }
    const std::vector<std::shared_ptr<User>>& users() const noexcept { return users_; }
    bool live() const {
        if (!session_ || machine().crashed()) return false;
        const auto state = session_->state();
        return state == session_state::live || state == session_state::jeopardy;
    }
    bool session_over() const {
        const auto state = session_->state();
        return state == session_state::lost || state == session_state::closed;
    }
    /// One of the users has ended. When all have, another program begins.
    void user_gone() {
        const bool all = std::all_of(users_.begin(), users_.end(), [](const auto& each) { return each->gone(); });
        if (all && !where().stopping()) reopen_after(std::chrono::milliseconds(500));
    }

    void interrupt() override {
        for (const auto& each : users_) {
            if (each->waits()) each->interrupt();
        }
    }
    std::string unresolved() const override {
        if (!live()) return {};
        const auto counters = session_->counters();
        if (counters.resolving != 0) return "something as unresolved";
        if (counters.waiting != 0) return "somebody as waiting";
        if (counters.leases_held != 0) return "something as held";
        return told_->fault(counters);
    }
    void close() override {
        closed_ = !live();
        if (closed_) return;
        session_->close({}, [this, before = session_->counters()](error_code code, const close_report& told) {
            closed_ = true;
            told_wrongly_ = code ? "failure: " + code.message() : fault_of(told, before);
        });
    }
    bool closed() const override { return closed_; }
    std::string told_wrongly() const override { return told_wrongly_; }
    void shut() override { drop(); }

protected:
    using process::process;

    template <class Options = session_options>
    void begin_session(Options options) {
        told_ = std::make_shared<grant_ledger>();
        options.on_grant = grant_ledger::hook_of(told_);
        session_.emplace(machine().database(), std::move(options));
    }
    void add(std::shared_ptr<User> one) {
        users_.push_back(one);
        spawn(User::live(std::move(one)));
    }

    testing::network_observer& observer() override { return *this; }
    void let_go() override {
        for (const auto& each : users_) each->let_go();
    }
    void drop() override {
        users_.clear();
        session_.reset();
    }

private:
    /// The weather is calm, and nobody there holds or wants anything any more.
    std::string fault_of(const close_report& told, const session_counters& before) {
        const auto after = session_->counters();
        if (told.released != after.released + after.hand_overs - before.released - before.hand_overs)
            return "another number of guards given back than counted";
        if (told.lost != after.lost - before.lost) return "another number of lost guards than counted";
        if (after.released + after.hand_overs + after.lost > after.acquired) return "more grants that ended than began";
        if (!told.failed.empty()) return told.failed.front().name + " as left";
        if (told.row) return "its row as left: " + told.row.message();
        const auto row = where().simulated().row(coordination, std::string(session_prefix) + session_->id());
        const auto* state = row ? find_string(*row, "state") : nullptr;
        return state && *state == "alive" ? "its row as closed, which says that it lives" : "";
    }

    std::shared_ptr<grant_ledger> told_;
    std::optional<dynalease::session> session_;
    std::vector<std::shared_ptr<User>> users_;
    bool closed_ = false;
    std::string told_wrongly_;
};

}  // namespace dynalease::simulation
