// The one place of a process for what it claims: its callers, and who carries its protocol out.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "runtime/spawn.hpp"
#include "session/callers.hpp"
#include "session/holder_words.hpp"
#include "session/protocol/outage.hpp"
#include "session/session_driver.hpp"
#include "session/session_impl.hpp"
#include "session/session_member.hpp"

#include <boost/asio/awaitable.hpp>
#include <boost/asio/deferred.hpp>
#include <boost/asio/post.hpp>

#include <memory>
#include <optional>
#include <string>
#include <utility>

namespace dynalease::detail {

/// At most one coroutine drives the machine, and only while there is something to do: what is held costs none.
/// @tparam Target keeps the session, and the front itself @tparam Wish what a caller wants of it
/// @tparam Callers as the machine sees them: a front is its machine's callers
template <class Target, class Guard, class Wish, class Machine, class Callers>
class claiming_front : public claiming_member,
                       public std::enable_shared_from_this<typename decltype(Target::front)::element_type>,
                       protected Callers,
                       private attempt_watch {
public:
    using guard_type = Guard;
    using callers_type = detail::callers<Guard, Wish>;
    callers_type& callers() noexcept { return callers_; }

    const std::string& name() const noexcept { return machine_.name(); }
    member_key key() const noexcept override { return {&decltype(Target::front)::element_type::membership, name()}; }
    auto requests() const { return machine_.requests(); }
    /// How many were sent.
    unsigned requests_made() const noexcept { return service_.requests(); }

    // ---- the database's executor ----
    /// Why a caller has nothing whose wait ended with `waited`: the table in `dynalease/error.hpp`.
    failure given_up(const typename callers_type::caller& who, error_code waited) {
        auto why = core_.given_up(waited, left(who));
        if (why.code == errc::wait_timeout) return in_vain(who.came);
        const auto last = why.code == errc::in_doubt ? service_.last_since(who.came) : nullptr;
        return last ? in_doubt(last->details) : why;
    }
    /// ... who came then, and for whom nothing may land any more. @param waited as `outage::unheard`
    failure in_vain(dynalease::time_point came, bool waited = true) const {
        auto unheard = machine_.held() ? std::nullopt : service_.unheard(came, waited);
        return unheard ? *std::move(unheard) : others_have_it();
    }
    /// Why somebody who came then knows nothing. Empty: he was answered.
    std::optional<failure> unheard(dynalease::time_point came) const { return service_.unheard(came); }
    failure others_have_it() const {
        failure why(errc::wait_timeout);
        why.details.message = in_the_way();
        if (!why.details.message.empty()) return why;
        why.details.message = callers_.any() ? "other callers of this process are asking for it"
                              : driven_      ? "this process is giving it back"
                                             : "others had it, or asked for it, a moment ago";
        return why;
    }
    /// By a caller of this process.
    bool held_here() const { return machine_.held(); }
    bool unsettled() const override { return driven_; }
    const std::string& title() const noexcept override { return name(); }
    void resolve_claim(bool look_first) override {
        machine_.resolve(look_first);
        drive();
    }
    bool has_idle_claim() const noexcept override { return machine_.has_idle_claim(); }
    std::optional<dynalease::time_point> last_sent() const noexcept override { return machine_.last_sent(); }

protected:
    /// Who has it, as far as it is known here: for whoever waited in vain. Empty: nothing is known.
    virtual std::string in_the_way() const { return {}; }
    /// @param rest what the machine takes beside the session and its callers
    template <class... Rest>
    explicit claiming_front(session_impl& core, Rest&&... rest)
        : core_(core),
          registered_in_(core.weak_from_this()),
          machine_(core, static_cast<Callers&>(*this), std::forward<Rest>(rest)...),
          service_(core) {}
    ~claiming_front() override {
        // Handles may let go of the session first.
        if (const auto core = registered_in_.lock()) core->members().forget(key());
    }

    void drive() {
        if (driven_) return;
        drive_begins();
        driven_ = runtime::spawn_background(core_.world().executor, core_.members().running(),
                                            run({core_.shared_from_this(), this->shared_from_this()}));
        if (!driven_) machine_.drop();
    }
    /// Somebody is about to wait who looks more often than whoever is first.
    void hurry() {
        if (driver_ && callers_.is_first_behind_question()) driver_->wake();
    }
    typename callers_type::caller* first() { return callers_.first(may_land()); }
    /// Whether a write for those who wait may still land: not while each attempt of it was answered, and none is under
    /// way.
    bool may_land() const noexcept { return machine_.may_land(!between_attempts_); }
    /// All who wait, and the driver's sleep: nobody waits any more.
    void turn_away(const failure& why) {
        callers_.fail_all(std::make_shared<const failure>(why), dynalease::time_point::max());
        if (driver_) driver_->wake();
    }

    // The machine's callers.
    bool wanted() override { return first() != nullptr; }
    bool waited_for() override { return callers_.waited_for(may_land()); }
    void fail_try(const shared_failure& why, dynalease::time_point asked) override {
        callers_.fail_try(why, asked, may_land());
    }
    void fail_try_unheard(const shared_failure& why, dynalease::time_point asked) override {
        const auto* who = first();
        const bool bears_it = who != nullptr && who->until_known && service_.is_borne(who->came, core_.options().lease);
        if (!bears_it) fail_try(why, asked);
    }
    void fail_all(const shared_failure& why, dynalease::time_point asked) override { callers_.fail_all(why, asked); }
    bool try_came_after(dynalease::time_point asked) override { return callers_.try_came_after(asked, may_land()); }
    void audit_later() override { core_.members().idle().audit_later(this->shared_from_this()); }

    session_impl& core_;
    const std::weak_ptr<session_impl> registered_in_;
    Machine machine_;
    bool driven_ = false;               ///< a coroutine is at work, or somebody has it in hand
    session_driver* driver_ = nullptr;  ///< ... by this
    bool between_attempts_ = false;     ///< of its request, which has surely done nothing so far
    callers_type callers_;
    protocol::outage service_;  ///< as the driver meets it

private:
    // The driver's request between its attempts.
    void failed(const failure& why) override {
        service_.heard(core_.now(), std::make_shared<const failure>(why));
        between_attempts_ = why.outcome != outcome::unknown;
    }
    bool goes_on() override {
        // For callers who have gone nothing is sent that might land after all.
        const bool for_callers = machine_.may_land(true);
        const bool wanted_still = first() != nullptr;
        between_attempts_ = false;
        if (for_callers && !wanted_still) return false;
        service_.asked();
        return true;
    }

    /// A caller goes that was not served. @returns whether its write may still land: the machine then resolves it.
    bool left(const typename callers_type::caller& who) {
        if (wanted()) return false;
        if (driver_) driver_->wake();
        return who.in_doubt();
    }
    virtual void drive_begins() {}
    virtual void drive_ended() {}

    boost::asio::awaitable<void> run(Target self) {
        // Whoever woke us begins to wait after the call, not before.
        co_await boost::asio::post(core_.world().executor, boost::asio::deferred);
        {
            session_driver driver(core_, driver_, &service_, this);
            co_await driver.run(machine_.run(driver.steps()));
        }
        driven_ = false;
        if (machine_.idle()) core_.members().idle().remember(self.front);
        drive_ended();
    }
};

}  // namespace dynalease::detail
