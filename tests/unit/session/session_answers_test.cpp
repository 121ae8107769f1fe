// What follows from each answer to a session's own requests: its creation, and its heartbeats.
// SPDX-License-Identifier: BSL-1.0
#include "session/protocol/beat_ledger.hpp"
#include "session/protocol/row.hpp"
#include "session/protocol/session_creation.hpp"

#include <catch2/catch.hpp>

#include <chrono>
#include <string>

namespace dynalease::protocol {

namespace {

using namespace std::chrono_literals;
using step = session_creation::step;

time_point at(std::chrono::milliseconds since) {
    return time_point(since);
}

item row(const std::string& state, const std::string& creation, std::int64_t beat = 1) {
    return {{"v", 1}, {"state", state}, {"beat", beat}, {"lease", 10'000}, {"creation", creation}};
}

failure refused_by(std::optional<item> current) {
    failure why(errc::condition_failed, outcome::not_applied);
    why.current = std::move(current);
    return why;
}

session_creation creation_sent() {
    session_creation made("ours");
    made.begin(at(0s), lease_times_for(10s, 0ms, 1000));
    made.sends(at(0s));
    return made;
}

const failure silent(errc::in_doubt, outcome::unknown);
const failure throttled(errc::throttled, outcome::not_applied);
const failure nobody(errc::unreachable, outcome::not_applied);
const failure denied(errc::access_denied, outcome::not_applied);

}  // namespace

// ---- the creation ----------------------------------------------------------------------------------------------

TEST_CASE("a session lives from the first copy of its creation on") {
    auto made = creation_sent();
    CHECK(made.judge(&silent, at(1s)) == step::again);
    made.sends(at(2s));
    CHECK(made.judge(nullptr, at(3s)) == step::live);
    CHECK(made.first_sent() == at(0s));
}

TEST_CASE("a refused creation is ours only after a copy without an answer, by its very name, and alive") {
    const auto in_doubt = GENERATE(false, true);
    auto made = creation_sent();
    if (in_doubt) CHECK(made.judge(&silent, at(1s)) == step::again);
    const auto ours = refused_by(row("alive", "ours"));
    CHECK(made.judge(&ours, at(2s)) == (in_doubt ? step::live : step::rename));
    for (const auto& other : {refused_by(row("alive", "another")), refused_by(row("dead", "ours")), refused_by({})}) {
        CHECK(made.judge(&other, at(2s)) == step::rename);
    }
}

TEST_CASE("under another id nothing is known of the copies of the former") {
    auto made = creation_sent();
    made.judge(&silent, at(1s));
    REQUIRE(made.in_doubt());
    made.rename("later");
    made.sends(at(5s));
    CHECK_FALSE(made.in_doubt());
    CHECK(made.first_sent() == at(5s));
    const auto seen = refused_by(row("alive", "later"));
    CHECK(made.judge(&seen, at(6s)) == step::rename);
}

TEST_CASE("what passes is asked again, and is fruitless for a reason") {
    auto made = creation_sent();
    CHECK(made.judge(&throttled, at(1s)) == step::again);
    CHECK_FALSE(made.fruitless());
    CHECK_FALSE(made.in_doubt());
    CHECK(made.failures() == 1);
    SECTION("a second silence") {
        auto other = creation_sent();
        CHECK(other.judge(&silent, at(1s)) == step::again);
        CHECK_FALSE(other.fruitless());
        CHECK(other.judge(&silent, at(2s)) == step::again);
        CHECK(other.fruitless());
    }
    SECTION("nobody is there") {
        CHECK(made.judge(&nobody, at(2s)) == step::again);
        CHECK(made.fruitless());
        CHECK(made.judge(&throttled, at(3s)) == step::again);
        CHECK_FALSE(made.fruitless());
    }
    SECTION("a whole lease has passed") {
        CHECK(made.judge(&throttled, at(9'999ms)) == step::again);
        CHECK_FALSE(made.fruitless());
        CHECK(made.judge(&throttled, at(10s)) == step::again);
        CHECK(made.fruitless());
    }
    SECTION("the row is older than its lease") {
        made.note_stale();
        CHECK(made.fruitless());
        CHECK(made.in_doubt());
    }
    SECTION("asking again would not help") {
        CHECK(made.judge(&denied, at(2s)) == step::fail);
    }
}

// ---- the heartbeat ---------------------------------------------------------------------------------------------

TEST_CASE("a heartbeat that follows an earlier one than has landed shows that the table is as it was before") {
    beat_ledger ledger;
    const auto first = ledger.next(at(1s));
    const auto second = ledger.next(at(2s));
    const auto third = ledger.next(at(3s));
    CHECK(ledger.judge_applied(first, 1).over.empty());
    CHECK(ledger.judge_applied(third, second.number).landed == at(3s));  // whose answer was lost
    const auto fourth = ledger.next(at(4s));
    CHECK(ledger.judge_applied(fourth, std::nullopt).landed == at(4s));  // of a service that does not tell
    const auto fifth = ledger.next(at(5s));
    const auto back = ledger.judge_applied(fifth, third.number);
    CHECK_FALSE(back.landed);
    CHECK(back.over.starts_with("the table is as it was before"));
    CHECK(back.row_stands);

    // What landed may be known by a refusal alone.
    beat_ledger other;
    const auto early = other.next(at(1s));
    const auto late = other.next(at(2s));
    CHECK(other.judge_failed(refused_by(row("alive", "ours", late.number))).landed == at(2s));
    CHECK_FALSE(other.judge_applied(other.next(at(3s)), early.number).over.empty());
}

TEST_CASE("an answer to a heartbeat proves which one has landed, or that the session is over") {
    beat_ledger ledger;
    const auto first = ledger.next(at(1s));
    const auto second = ledger.next(at(2s));
    CHECK(ledger.judge_applied(first, 1).landed == at(1s));

    const auto later = refused_by(row("alive", "ours", second.number));
    CHECK(ledger.judge_failed(later).landed == at(2s));
    const auto strange = refused_by(row("alive", "ours", 99));
    CHECK_FALSE(ledger.judge_failed(strange).landed);
    CHECK(ledger.judge_failed(strange).over.empty());

    for (const auto* why : {&silent, &throttled, &denied}) {
        const auto seen = ledger.judge_failed(*why);
        CHECK(seen.missed);
        CHECK_FALSE(seen.landed);
        CHECK(seen.over.empty());
    }

    auto dead = row("dead", "ours");
    dead["by"] = "another";
    const auto marked = refused_by(dead);
    CHECK(ledger.judge_failed(marked).over == "marked dead by session another");
    const auto closed = refused_by(row("closed", "ours"));
    CHECK(ledger.judge_failed(closed).over == "another has closed the session's row");
    const auto foreign = refused_by(item{{"v", 7}});
    CHECK(ledger.judge_failed(foreign).over.starts_with("the session's row was edited: "));
    const auto gone = refused_by({});
    CHECK(ledger.judge_failed(gone).over == "the session's row is gone: somebody deleted it");
}

}  // namespace dynalease::protocol
