// Who asks only until it is known whether the holder lives rides out a short outage, and is told of a long one.
// SPDX-License-Identifier: BSL-1.0
#include "support/lock_steps.hpp"

#include <catch2/catch.hpp>

#include <optional>

using namespace dynalease;
using namespace dynalease::tests;

namespace {

constexpr auto lease = 10s;

testing::fault_plan all_fail(errc how) {
    return [how](const any_request&, const call_options&) {
        return testing::fault{.what = testing::fault::kind::fail, .answer = failure(how)};
    };
}

/// A process that is begun for one call, while another may have the lock.
struct one_call {
    void begin() {
        began = w.scheduler.now();
        call.emplace(w, job, take_told(lock{*job.session, "x"}, {.wait = until_known}, got, told));
    }
    std::chrono::nanoseconds took() const { return w.scheduler.now() - began; }
    void hold() { run(w, *holder, take(*holder, "x", guard)); }
    void kill_holder() {
        guard = {};
        holder->crash();
    }

    world w;
    std::optional<node> holder{std::in_place, w, 1};
    node job{w, 2};
    lock_guard guard;
    lock_guard got;
    error_code told;
    dynalease::time_point began;
    std::optional<running> call;
};

}  // namespace

TEST_CASE("a job that starts in a short outage takes a free lock when that is over") {
    const auto how = GENERATE(errc::unreachable, errc::throttled);
    one_call in;
    in.job.network->set_plan(all_fail(how));
    in.begin();
    in.w.scheduler.run_for(5s);
    CHECK_FALSE(in.call->done());
    in.job.network->set_plan({});
    in.call->wait(1100ms);
    CHECK_FALSE(in.told);
    CHECK(in.got.held());
}

TEST_CASE("a job that starts in an outage that lasts is told of that after a lease") {
    const auto how = GENERATE(errc::unreachable, errc::throttled);
    one_call in;
    in.job.network->set_plan(all_fail(how));
    in.begin();
    in.call->wait(lease + 1s);
    CHECK(in.told == how);
    CHECK(in.took() >= lease);
}

TEST_CASE("a job whose table stops to answer while it asks is told of that after a lease") {
    const auto how = GENERATE(errc::unreachable, errc::throttled);
    const bool heartbeats_too = GENERATE(false, true);
    one_call in;
    in.hold();
    in.begin();
    in.w.scheduler.run_for(1s);
    in.job.network->set_plan([=](const any_request&, const call_options& options) {
        const bool beats = options.lane == lane::heartbeat && !heartbeats_too;
        return beats ? testing::fault{} : testing::fault{.what = testing::fault::kind::fail, .answer = failure(how)};
    });
    in.call->wait(2 * lease);
    // With its heartbeats the session of the job itself is lost, which ends the call, too.
    CHECK(in.told == how);
    CHECK(in.took() >= lease - 30ms);
    CHECK(in.took() <= lease + 3500ms);
}

TEST_CASE("a job that asks through an outage knows afterwards whether the holder lives") {
    const bool lives = GENERATE(true, false);
    one_call in;
    in.hold();
    in.w.scheduler.run_for(3s);
    in.begin();
    in.w.scheduler.run_for(1s);
    if (!lives) in.kill_holder();
    in.job.network->set_plan(all_fail(errc::unreachable));
    in.w.scheduler.run_for(6s);
    CHECK_FALSE(in.call->done());
    in.job.network->set_plan({});
    in.call->wait(lease);
    if (lives) {
        CHECK(in.told == errc::wait_timeout);
        CHECK(in.guard.held());
    } else {
        CHECK(in.got.held());
        CHECK(in.took() <= lease + 3s);
    }
}

TEST_CASE("a job whose requests have no answer for a lease is told so, in doubt where it may have been granted") {
    const bool open = GENERATE(false, true);
    one_call in;
    if (open) {
        lock_guard other;
        run(in.w, in.job, take(in.job, "other", other));
    }
    in.job.network->set_plan([](const any_request&, const call_options& options) {
        const bool beats = options.lane == lane::heartbeat;
        return testing::fault{beats ? testing::fault::kind::pass : testing::fault::kind::lose_request};
    });
    in.begin();
    in.call->wait(lease + 3s);
    CHECK(in.told == (open ? errc::in_doubt : errc::timeout));
    CHECK(in.took() >= lease);
}
