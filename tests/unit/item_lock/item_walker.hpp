// One process that wants an item: the library's own machine, with a session, callers and guards made for a test.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "item_lock/protocol/item_lock_machine.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace dynalease::protocol::test {

inline const std::string tills = "tills";

/// What a mistake changes.
struct item_walk_rules {
    std::function<void(update_item_request&)> change = [](update_item_request&) {};
    /// Writes that are taken for done, though they are never sent.
    std::function<bool(const update_item_request&)> skips = [](const update_item_request&) { return false; };
    bool audits = true;        ///< a claim whose copies were all refused is looked after
    bool one_claim = true;     ///< a new claim only when the old one is closed
    bool heeds_doubt = true;   ///< nothing is written under a guard while an earlier write of it is in doubt
    bool counts_steps = true;  ///< the next write of a grant names the step after the last
};

/// What a process sees of the world.
class item_walk_surroundings {
public:
    virtual const item_walk_rules& rules() const = 0;
    virtual result<get_item_response> read(const get_item_request& request) = 0;
    virtual time_point now() const noexcept = 0;
    virtual wall_time wall() noexcept = 0;
    virtual bool over(const std::string& session) const = 0;
    /// @returns the number that all copies of it have
    virtual std::uint64_t send(const update_item_request& request, const std::string& session) = 0;
    virtual void wrong(const std::string& what) = 0;

protected:
    ~item_walk_surroundings() = default;
};

/// A sequence under way.
struct item_walk_task {
    bool rests() const { return needs.index() == 0; }
    bool pauses() const { return std::holds_alternative<pause_step*>(needs); }
    bool awaits_answer() const { return std::holds_alternative<write_step*>(needs); }

    stepper steps{};
    step needs{};
    std::uint64_t awaited = 0;  ///< the number of the write whose answer it waits for
    bool resent = false;        ///< by its client, for a copy of it seemed lost
};

class item_walker final : public session_view, public item_lock_callers {
public:
    struct caller {
        item_access wish;
        bool waits;
    };
    struct guard {
        std::int64_t attempt;
        bool exclusive;
        std::optional<std::string> doubtful{};  ///< a write of it that had no answer; empty: its downgrade
        std::int64_t doubtful_step = 0;
        bool let_go = false;  ///< for its last write
    };

    item_walker(item_walk_surroundings& around, std::string id);
    item_walker(const item_walker&) = delete;
    item_walker& operator=(const item_walker&) = delete;

    std::size_t callers() const { return callers_.size(); }
    const std::vector<guard>& guards() const { return guards_; }
    bool has_read_guard() const { return machine_.read_here() && !guards_.empty(); }
    /// A guard may be given back, or end by a write; none of its writes is under way.
    bool may_end() const { return !guards_.empty() && writer.rests(); }
    bool may_change() const;
    bool rests() const { return driver.rests() && writer.rests(); }
    bool audit_is_due() const { return audit_due_ && driver.rests() && machine_.has_idle_claim(); }
    bool has_open_claim() const { return machine_.has_idle_claim(); }
    /// A grant to that claim comes to somebody who looks out for it.
    bool expects(std::int64_t attempt) const { return machine_.expects(attempt); }
    /// Attempts up to this one have been given back.
    std::int64_t ended() const { return ended_; }
    /// Guarded writes that somebody was told of: whether they were done.
    const std::map<std::string, bool>& told() const { return told_; }

    // ---- what happens ----
    void come(caller who);
    void leave();
    void release();
    /// @param last the guard ends by it
    void change(const std::string& name, bool last);
    void downgrade();
    void audit();
    void wake(item_walk_task& which);
    void answer(item_walk_task& which, result<update_item_response> with);

    item_walk_task driver;  ///< of the machine
    item_walk_task writer;  ///< of a guard

    // ---- its session ----
    const std::string& id() const noexcept override { return id_; }
    const std::string& table() const noexcept override { return tills; }
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

    // ---- its callers, and the guards ----
    bool wanted() override { return !callers_.empty(); }
    bool waited_for() override;
    std::optional<time_point> tries_until_known() override { return {}; }
    bool wanted_together() override { return false; }
    item_access wish() override { return callers_.front().wish; }
    void serve() override;
    void fail_try(const dynalease::detail::shared_failure& why, time_point asked) override;
    void fail_all(const dynalease::detail::shared_failure& why, time_point asked) override;
    bool try_came_after(time_point) override { return false; }
    void kept() override {}
    bool begin_renewal() override { return false; }
    void end_renewal() override {}
    void lose_grant() override { around_.wrong("a grant was lost"); }
    void tell_release(const failure& how) override;
    void resolve_doubt(std::int64_t step) override;
    void end_release(const failure& how) override;
    void end_hand_over() override { end_release({}); }
    void at_rest() override {}
    void audit_later() override { audit_due_ = true; }

private:
    /// With a door for its mistakes.
    class machine : public item_lock_machine {
    public:
        using item_lock_machine::item_lock_machine;
        void mistake(const item_walk_rules& rules, const result<update_item_response>& answer);
        bool expects(std::int64_t attempt) const {
            const bool claims = lock_.open && !lock_.open->closed && lock_.open->id.attempt == attempt;
            return claims || lock_.grant.held.id.attempt == attempt;
        }
        void forget_step() { --lock_.grant.held.step; }
    };
    struct order {
        std::string name{};  ///< empty: it is a downgrade
        bool last = false;
    };

    void drive();
    void begin(sequence<void> what, order by);
    void take_up(item_walk_task& which, step next);
    bool answered_at_once(item_walk_task& which);
    void look(look_step& at);
    void end_write();
    void tell(const std::string& name, bool done);

    item_walk_surroundings& around_;
    const std::string id_;
    machine machine_;
    std::deque<caller> callers_;
    std::vector<guard> guards_;     ///< of the present grant
    std::optional<guard> leaving_;  ///< the one that is being given back
    order writing_;
    guarded_end write_end_;
    std::map<std::string, bool> told_;
    std::int64_t ended_ = 0;
    bool audit_due_ = false;
    std::int64_t attempts_ = 0;
    std::int64_t beats_ = 0;
    std::map<std::string, session_watch> watches_;
    protocol::session_tally counters_;
};

}  // namespace dynalease::protocol::test
