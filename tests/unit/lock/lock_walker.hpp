// One process that wants a lock: the library's own machine, with a session and callers made for a test.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "support/row_world.hpp"

#include "lock/protocol/lock_machine.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace dynalease::protocol::test {

/// What a mistake changes.
struct walk_rules {
    std::function<void(update_item_request&)> change = [](update_item_request&) {};
    /// Writes that are taken for done, though they are never sent.
    std::function<bool(const update_item_request&)> skips = [](const update_item_request&) { return false; };
    bool audits = true;         ///< a claim whose copies were all refused is looked after
    bool one_hand_over = true;  ///< never a second hand-over beside an open one
    bool one_claim = true;      ///< a new claim only when the old one is closed
};

/// What a process sees of the world.
class walk_surroundings {
public:
    virtual const walk_rules& rules() const = 0;
    virtual row_world& store() = 0;
    virtual time_point now() const noexcept = 0;
    virtual wall_time wall() noexcept = 0;
    virtual bool over(const std::string& session) const = 0;
    virtual void send(const update_item_request& request) = 0;
    virtual void wrong(const std::string& what) = 0;

protected:
    ~walk_surroundings() = default;
};

class lock_walker final : public session_view, public lock_callers {
public:
    lock_walker(walk_surroundings& around, std::string id, const std::string& name);
    lock_walker(const lock_walker&) = delete;
    lock_walker& operator=(const lock_walker&) = delete;

    bool at_rest() const { return needs_.index() == 0; }
    bool paused() const { return std::holds_alternative<pause_step*>(needs_); }
    std::chrono::nanoseconds pause() const { return std::get<pause_step*>(needs_)->time; }
    bool awaits_answer() const { return std::holds_alternative<write_step*>(needs_); }
    /// The grant that a caller has.
    const std::optional<claim>& holds() const { return holds_; }
    std::size_t callers() const { return callers_.size(); }
    bool audit_is_due() const { return audit_due_ && at_rest() && machine_.has_idle_claim(); }
    bool has_open_claim() const { return machine_.has_idle_claim(); }
    /// Attempts up to this one have been given back.
    std::int64_t ended() const { return ended_; }

    // ---- what happens ----
    void come(bool waits);
    void leave();
    void release();
    void audit();
    void wake();
    void answer(result<update_item_response> with);

    // ---- its session ----
    const std::string& id() const noexcept override { return id_; }
    const std::string& table() const noexcept override { return test::table; }
    std::chrono::hours retention() const noexcept override { return std::chrono::hours(24); }
    const plain_keeping* plain() const noexcept override { return nullptr; }
    bool live() const noexcept override { return true; }
    bool may_write() const noexcept override { return true; }
    failure over_failure() const override { return failure(errc::session_lost); }
    void lose(const std::string& why) override { around_.wrong(why); }
    time_point now() const noexcept override { return around_.now(); }
    wall_time wall() const noexcept override { return around_.wall(); }
    double unit() override { return 0.5; }
    std::int64_t next_attempt() noexcept override { return ++attempts_; }
    const session_watch& watch(std::string_view of) override { return watches_[std::string(of)]; }
    protocol::session_tally& counters() noexcept override { return counters_; }
    void log(severity, const std::string&) const override {}

    // ---- its callers ----
    bool wanted() override { return !callers_.empty(); }
    bool waited_for() override;
    std::optional<time_point> tries_until_known() override { return {}; }
    const item& data() override { return nothing_; }
    void serve(const claim& grant) override;
    void fail_try(const dynalease::detail::shared_failure& why, time_point asked) override;
    void fail_first(const dynalease::detail::shared_failure& why, time_point asked) override;
    void fail_all(const dynalease::detail::shared_failure& why, time_point asked) override;
    bool try_came_after(time_point) override { return false; }
    void tell_release(const failure& how) override { end_release(how); }
    void end_release(const failure& how) override;
    void end_hand_over() override { end_release({}); }
    void audit_later() override { audit_due_ = true; }

private:
    /// With a door for its mistakes.
    class machine : public lock_machine {
    public:
        using lock_machine::lock_machine;
        void mistake(const walk_rules& rules, const result<update_item_response>& answer);
    };

    void drive();
    void take_up(step next);
    bool answered_at_once();
    void look(look_step& at);

    walk_surroundings& around_;
    const std::string id_;
    const item nothing_;
    machine machine_;
    stepper steps_;
    step needs_;
    std::deque<bool> callers_;  ///< whether each waits, or only tries
    std::optional<claim> holds_;
    std::optional<claim> ending_;  ///< the grant that is being given back
    std::int64_t ended_ = 0;
    bool audit_due_ = false;
    std::int64_t attempts_ = 0;
    std::int64_t beats_ = 0;
    std::map<std::string, session_watch> watches_;
    protocol::session_tally counters_;
};

}  // namespace dynalease::protocol::test
