// What is told to those who have not got an item, and who is not told so for nothing.
// SPDX-License-Identifier: BSL-1.0
#include "tills.hpp"

#include <catch2/catch.hpp>

#include <optional>
#include <string>
#include <utility>
#include <vector>

using namespace dynalease;
using namespace dynalease::tests;
using testing::fault;

namespace {

asio::awaitable<void> told_of(asio::awaitable<void> call, std::optional<error>& told) {
    try {
        co_await std::move(call);
    } catch (const error& e) {
        told = e;
    }
}

struct two_tellers : tills_world {
    node a{*this, 1};
    node b{*this, 2};
    item_guard mine;
    item_guard theirs;
    std::vector<item_guard> all;
    std::optional<error> told;

    /// @returns what the first process was told when it had waited for so long
    std::string wait(std::chrono::nanoseconds time) {
        run(*this, a, told_of(take(lock_in(a), mine, {.wait = time}), told));
        REQUIRE(told);
        CHECK(told->code() == errc::wait_timeout);
        return told->diagnostics().message;
    }
    bool tells(const std::string& message, const std::string& words) {
        return message.find(words) != std::string::npos;
    }
};

}  // namespace

TEST_CASE("a wait for an item ends with who has it, and for how long") {
    two_tellers w;
    run(w, w.b, take(lock_in(w.b), w.theirs));
    const auto message = w.wait(5s);
    CHECK(w.tells(message, "session " + w.b.session->id() + " of " + w.b.session->options().owner));
    CHECK(w.tells(message, "has held it for at least 4 s") != w.tells(message, "has held it for at least 5 s"));
}

TEST_CASE("a wait for an item that a transaction holds ends with that") {
    two_tellers w;
    w.put({{"id", "north"}, {"amount", 0}, {"_TxId", "somebody's"}});
    CHECK(w.tells(w.wait(5s), "a transaction has it"));
    CHECK(w.a.session->counters().resolving == 0);
}

TEST_CASE("a wait for an item that others read ends with how many they are") {
    two_tellers w;
    node c(w, 3);
    item_guard also;
    run(w, w.b, share(lock_in(w.b), w.theirs));
    run(w, c, share(lock_in(c), also));
    const auto message = w.wait(5s);
    CHECK(w.tells(message, " has read it for at least "));
    CHECK(w.tells(message, ", and 1 more read it"));
}

TEST_CASE("a wait for an item that this process holds ends with that") {
    two_tellers w;
    item_guard first;
    run(w, w.a, take(lock_in(w.a), first));
    const auto token = std::to_string(first.fencing_token());
    CHECK(w.tells(w.wait(2s), "this process has held it for 2 s under token " + token + "; "));
}

TEST_CASE("a wait to write what this process reads ends with that") {
    two_tellers w;
    item_guard first;
    run(w, w.a, share(lock_in(w.a), first));
    const auto message = w.wait(2s);
    CHECK(w.tells(message, "this process has read it for 2 s under token "));
    CHECK(w.tells(message, "release it first"));
}

TEST_CASE("a reader behind a writer who waits is told of that, and not of readers alone") {
    two_tellers w;
    node c(w, 3);
    item_guard theirs;
    run(w, w.b, share(lock_in(w.b), w.theirs));
    running waits(w, c, take(lock_in(c), theirs));
    w.scheduler.run_for(2s);
    run(w, w.a, told_of(share(lock_in(w.a), w.mine, {.wait = 2s}), w.told));
    REQUIRE(w.told);
    CHECK(w.tells(w.told->diagnostics().message, "and a writer elsewhere waits before further readers"));
    run(w, w.b, give_back(w.theirs));
    waits.wait(5s);
}

TEST_CASE("a wait and a try for several items end with who has one of them") {
    const auto wait = GENERATE(0s, 4s);
    two_tellers w;
    run(w, w.b, take(lock_of(w.b, "south"), w.theirs));
    run(w, w.a, told_of(take_all(every_till(w.a), w.all, {.wait = wait}), w.told));
    REQUIRE(w.told);
    CHECK(w.told->code() == errc::wait_timeout);
    CHECK(w.tells(w.told->diagnostics().message, "session " + w.b.session->id()));
    CHECK(w.told->diagnostics().key == lock_of(w.b, "south").name());
}

TEST_CASE("a try for several items that are just being given back has them") {
    two_tellers w;
    run(w, w.a, take_all(every_till(w.a), w.all));
    w.a.network->set_plan([](const any_request&, const call_options&) { return fault{.before = 20ms, .after = 20ms}; });
    w.all.clear();
    w.scheduler.run_for(1ms);
    run(w, w.a, told_of(take_all(every_till(w.a), w.all, {.wait = 0s}), w.told));
    CHECK_FALSE(w.told);
    CHECK(all_valid(w.all));
}

TEST_CASE("a try for several items that cannot be given back ends with what became of that") {
    two_tellers w;
    run(w, w.a, take_all(every_till(w.a), w.all));
    w.a.network->set_plan([](const any_request&, const call_options& how) {
        if (how.lane == lane::heartbeat) return fault{};
        return fault{.what = fault::kind::fail, .answer = failure(errc::unreachable)};
    });
    w.all.clear();
    w.scheduler.run_for(1ms);
    const auto began = w.scheduler.now();
    run(w, w.a, told_of(take_all(every_till(w.a), w.all, {.wait = 0s}), w.told), 20s);
    REQUIRE(w.told);
    CHECK(w.told->code() == errc::unreachable);
    CHECK(w.scheduler.now() - began < 5s);
}

TEST_CASE("items whose keys are called differently are two, whatever their values") {
    two_tellers w;
    run(w, w.a, take(lock_in(w.a), w.mine));
    item_lock odd{*w.a.session, {"tills", {{"nr", "north"}}}};
    item_guard got;
    run(w, w.a, told_of(take(odd, got, {.wait = 0s}), w.told));
    REQUIRE(w.told);
    CHECK(w.told->code() == errc::validation);  // the table's key is called id
    CHECK(w.mine.held());
    CHECK(odd.name() == lock_in(w.a).name());
}
