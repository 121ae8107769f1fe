// A verb that asks for grants: how its end is counted, and told to whoever listens.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "database/called_verb.hpp"
#include "session/grant_reporter.hpp"
#include "session/session_lives.hpp"

#include <dynalease/runtime/clock.hpp>

#include <boost/asio/any_io_executor.hpp>

#include <cstddef>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace dynalease::detail {

/// What the verb's body is given: where it reports why it failed, and how many requests it took.
struct asked_by {
    diagnostics* details;
    std::vector<grant_reporter*> told;  ///< in the order of what was asked for; empty: nobody listens

    void note_requests(unsigned requests) const {
        for (auto* each : told) each->requests = requests;
    }
};

/// From the call of the verb to its end, which every verb comes to exactly once.
/// @tparam Hold what the guards point to
template <class Hold>
class asking {
public:
    asking(std::shared_ptr<session_lives> lives, called_verb called)
        : lives_(std::move(lives)), time_(lives_->world().clock), called_(std::move(called)), came_(time_->now()) {}
    /// Of what is under no session.
    asking(std::shared_ptr<clock> time, called_verb called)
        : time_(std::move(time)), called_(std::move(called)), came_(time_->now()) {}

    /// It asks for that, among others. Once for each, in their order.
    void expect(const std::shared_ptr<const grant_hooks>& hooks, const std::string& name, const std::string& table) {
        const auto place = expected_++;
        if (!hooks) return;
        asked_words what{called_.verb, name, table};
        told_.push_back({place, std::make_unique<grant_reporter>(hooks, lives_, *time_, std::move(what))});
        if (called_.details != nullptr) return;
        own_details_ = std::make_unique<diagnostics>();
        called_.details = own_details_.get();
    }

    asked_by by() const {
        asked_by body{called_.details, {}};
        for (const auto& each : told_) body.told.push_back(each.by.get());
        return body;
    }

    template <class Guard>
    void operator()(runtime::completion<Guard>& end) {
        end.code = called_(end.code);
        const bool granted = !end.code && end.value;
        count(granted);
        // Who only tried completes without an error where others have it; who they are is told all the same.
        const auto why = end.code || granted ? end.code : called_(errc::wait_timeout);
        for (auto& each : told_) {
            if (granted) {
                Hold::of(end.value)->report_to(std::move(each.by));
            } else {
                tell_in_vain(*each.by, why);
            }
        }
    }
    template <class Guard>
    void operator()(runtime::completion<std::vector<Guard>>& end) {
        end.code = called_(end.code);
        count(!end.code);
        for (auto& each : told_) {
            if (end.code) {
                tell_in_vain(*each.by, end.code);
            } else {
                Hold::of(end.value[each.place])->report_to(std::move(each.by));
            }
        }
    }

private:
    void count(bool granted) {
        if (!lives_) return;
        auto& counters = lives_->counters();
        (granted ? counters.waits_granted : counters.waits_in_vain).observe(time_->now() - came_);
    }
    void tell_in_vain(grant_reporter& by, const error_code& why) {
        by.not_granted(time_->now(), why, *called_.details);
    }

    std::shared_ptr<session_lives> lives_;  ///< null: there is no session
    std::shared_ptr<clock> time_;
    called_verb called_;
    time_point came_;
    std::unique_ptr<diagnostics> own_details_;  ///< of a caller that asked for none
    struct listened {
        std::size_t place;
        std::unique_ptr<grant_reporter> by;
    };
    std::size_t expected_ = 0;
    std::vector<listened> told_;  ///< of what is listened to
};

/// Runs the body of a verb that asks for grants.
/// @param body makes it, of an `asked_by`
template <class T, class Hold, class Body>
void start_asking(const boost::asio::any_io_executor& executor, asking<Hold> asks, Body body, handler_for<T> handler) {
    auto by = asks.by();
    if (by.details) *by.details = {};
    runtime::spawn<T>(executor, body(std::move(by)), std::move(handler), std::move(asks));
}

}  // namespace dynalease::detail
