// Those who wait for their session to be live, and what has kept it from that.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "database/protocol/reply.hpp"
#include "runtime/waiter_list.hpp"

#include <boost/asio/any_io_executor.hpp>

#include <list>
#include <memory>
#include <utility>

namespace dynalease::detail {

class openers {
public:
    using line = runtime::waiter_list<shared_failure>;

    explicit openers(const boost::asio::any_io_executor& executor) : hasty_(executor), patient_(executor) {}

    /// One of them, while it lives. What is told to it counts the requests that were sent since it came.
    class caller {
    public:
        explicit caller(openers& among) : in_(among.here_), position_(in_.insert(in_.end(), this)) {}
        ~caller() { in_.erase(position_); }
        caller(const caller&) = delete;
        caller& operator=(const caller&) = delete;

        shared_failure told(const shared_failure& why) const {
            auto mine = std::make_shared<failure>(*why);
            mine->details.attempts = attempts_;
            return mine;
        }

    private:
        friend openers;
        std::list<caller*>& in_;
        std::list<caller*>::iterator position_;
        bool asked_ = false;  ///< a request was begun since it came
        unsigned attempts_ = 0;
    };

    /// @param patient of who is not told of what may pass
    line& of(bool patient) noexcept { return patient ? patient_ : hasty_; }
    bool any_patient() const noexcept { return !patient_.empty(); }

    /// A request that is to open the session begins.
    void asks() {
        for (auto* each : here_) each->asked_ = true;
    }
    /// ... and has ended after so many attempts.
    void asked(unsigned attempts) {
        for (auto* each : here_) each->attempts_ += each->asked_ ? attempts : 0;
    }

    /// What keeps the session from being opened, for whoever gives up now; null: nothing does.
    const shared_failure& trouble() const noexcept { return trouble_; }
    /// @returns whether it is new that there is any
    bool note_trouble(shared_failure why) {
        const bool is_new = !trouble_;
        trouble_ = std::move(why);
        return is_new;
    }
    /// Those who are not patient are told of it.
    void tell_hasty() {
        while (hasty_.complete_one(shared_failure(trouble_))) {
        }
    }
    /// @param why null: the session is live
    void tell_all(const shared_failure& why) {
        if (!why) trouble_.reset();  // else it was told, and is not told again for each who tries
        for (auto* each : {&hasty_, &patient_}) {
            while (each->complete_one(shared_failure(why))) {
            }
        }
    }
    void session_ends() {
        hasty_.complete_all({});
        patient_.complete_all({});
    }

private:
    line hasty_;
    line patient_;
    std::list<caller*> here_;
    shared_failure trouble_;
};

}  // namespace dynalease::detail
