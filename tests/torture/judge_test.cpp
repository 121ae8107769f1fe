// The judge itself: a good history passes, and made bad in one place it does not.
// SPDX-License-Identifier: BSL-1.0
#include "torture/judge.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <string>

namespace {

using namespace std::chrono_literals;
using torture::event;
using torture::instant;
using torture::what;

constexpr instant start = 1000s;

/// Two workers hand a lock to and fro for a while: each holds it for 100 ms, and sends a heartbeat every 250 ms.
class story {
public:
    story() {
        for (std::int64_t i = 0; i < turns; ++i) {
            const auto& who = i % 2 == 0 ? first : second;
            const auto at = start + i * 100ms;
            tell({.kind = what::asked, .at = at - 50ms, .who = who, .task = 1, .name = "a"});
            grant(who, 100 + i, at + 1ms, at + 95ms);
            access(what::read, who, 100 + i, i, at + 5ms);
            access(what::wrote, who, 100 + i, i + 1, at + 90ms);
            tell({.kind = what::releasing, .at = at + 96ms, .who = who, .task = 1, .name = "a", .token = 100 + i});
            tell({.kind = what::told, .at = at + 97ms, .who = who, .task = 1, .name = "a", .token = 100 + i});
        }
        for (int beat = -1; beat < 8; ++beat) {
            for (const auto& who : {first, second}) acknowledge(who, start + beat * 250ms);
        }
        for (const auto& who : {first, second}) {
            tell({.kind = what::closed, .at = end, .who = who, .session = "session-" + who});
        }
    }

    void tell(event happened) { events.push_back(std::move(happened)); }

    void grant(const std::string& who, std::int64_t token, instant from, instant until) {
        const auto session = "session-" + who;
        tell({.kind = what::granted,
              .at = from,
              .who = who,
              .task = 1,
              .name = "a",
              .session = session,
              .token = token});
        for (const auto at : {from, until}) valid(who, token, at);
    }
    void valid(const std::string& who, std::int64_t token, instant at) {
        const auto session = "session-" + who;
        tell({.kind = what::valid,
              .at = at,
              .until = at + 1us,
              .who = who,
              .task = 1,
              .name = "a",
              .session = session,
              .token = token});
    }
    void access(what kind, const std::string& who, std::int64_t token, std::int64_t value, instant at) {
        tell({.kind = kind, .at = at, .who = who, .task = 1, .name = "a", .token = token, .value = value});
    }
    void acknowledge(const std::string& who, instant received) {
        tell({.kind = what::acknowledged,
              .at = received,
              .until = received + 2ms,
              .who = std::string(torture::place_of(who)),
              .session = "session-" + who});
    }

    /// The events of a kind with a token; 0: any.
    template <class Change>
    void change(what kind, std::int64_t token, Change change_it) {
        for (auto& each : events) {
            if (each.kind == kind && (token == 0 || each.token == token)) change_it(each);
        }
    }
    void remove(what kind) {
        std::erase_if(events, [=](const event& each) { return each.kind == kind; });
    }

    /// The promises that were broken, each once, in the order of their names.
    std::string verdict() const {
        std::vector<std::string> broken;
        for (const auto& each : judge(torture::case_file(events), torture::promised_terms("lock"))) {
            broken.push_back(each.promise);
        }
        std::sort(broken.begin(), broken.end());
        broken.erase(std::unique(broken.begin(), broken.end()), broken.end());
        std::string all;
        for (const auto& each : broken) all += all.empty() ? each : " " + each;
        return all;
    }

    static constexpr std::int64_t turns = 20;
    static constexpr instant end = start + turns * 100ms;
    const std::string first = "0.0";
    const std::string second = "1.0";
    std::vector<event> events;
};

}  // namespace

TEST_CASE("a history that keeps all promises has no violation") {
    CHECK(story().verdict().empty());
}

TEST_CASE("an event survives being told") {
    const event told{.kind = what::acknowledged,
                     .at = 17ns,
                     .until = 23ns,
                     .who = "2",
                     .task = 4,
                     .name = "a",
                     .session = "abc",
                     .token = -1,
                     .value = 5};
    const auto heard = torture::parse_event(to_line(told));
    REQUIRE(heard);
    CHECK(to_line(*heard) == to_line(told));
    CHECK(heard->session == "abc");
    CHECK(heard->name == "a");
    CHECK_FALSE(torture::parse_event("granted 1 2"));
    CHECK_FALSE(torture::parse_event("guessed 1 2 a 0 - - 0 0"));
}

TEST_CASE("two grants that are valid at once are seen") {
    story bad;
    bad.valid(bad.first, 106, start + 702ms);  // the next one is valid from 701 ms on
    CHECK(bad.verdict() == "P1");
}

TEST_CASE("a grant that stays valid over many others is seen") {
    story bad;
    bad.valid(bad.first, 102, start + 1800ms);
    CHECK(bad.verdict() == "P1");
}

TEST_CASE("two grants may be valid at once only where the table was lost under the session of one of them") {
    story bad;
    bad.valid(bad.first, 106, start + 702ms);
    bad.tell({.kind = what::table_lost, .at = start + 650ms, .until = start + 660ms});
    CHECK(bad.verdict().empty());
    bad.remove(what::table_lost);
    bad.tell({.kind = what::table_lost, .at = start - 400ms, .until = start - 390ms});
    CHECK(bad.verdict() == "P1");
}

TEST_CASE("who was granted a lock in a lost table may learn of it when another holds it already") {
    const auto learns_late = [](instant loss) {
        story bad;
        // The third's session began at 1405 ms, and it holds the lock before the first hears of a grant of long ago.
        bad.tell({.kind = what::acknowledged,
                  .at = start + 1405ms,
                  .until = start + 1407ms,
                  .who = "2",
                  .session = "session-2.0"});
        for (auto& each : bad.events) {
            if (each.token != 115) continue;
            each.who = "2.0";
            if (!each.session.empty()) each.session = "session-2.0";
        }
        bad.tell({.kind = what::asked, .at = start + 1300ms, .who = bad.first, .task = 2, .name = "a"});
        bad.tell({.kind = what::granted,
                  .at = start + 1550ms,
                  .who = bad.first,
                  .task = 2,
                  .name = "a",
                  .session = "session-" + bad.first,
                  .token = 90});
        bad.valid(bad.first, 90, start + 1551ms);
        bad.tell({.kind = what::table_lost, .at = loss, .until = loss + 1ms});
        return bad.verdict();
    };
    CHECK(learns_late(start + 1400ms).empty());
    // Lost before the sessions of both: an excuse for neither.
    CHECK(learns_late(start - 400ms) == "P1 P2 told");
}

TEST_CASE("tokens that do not rise are seen, also over the loss of the table") {
    story bad;
    for (auto& each : bad.events) {
        if (each.token == 110) each.token = 1110;
    }
    CHECK(bad.verdict() == "P2 P3");
    bad.remove(what::read);
    bad.remove(what::wrote);
    bad.tell({.kind = what::table_lost, .at = start + 1100ms, .until = start + 1110ms});
    CHECK(bad.verdict() == "P2");
}

TEST_CASE("a token that comes twice is seen, even if nobody ever saw that grant valid") {
    story bad;
    bad.tell({.kind = what::granted,
              .at = start + 1500ms,
              .who = bad.second,
              .task = 2,
              .name = "a",
              .session = "session-" + bad.second,
              .token = 103});
    CHECK(bad.verdict() == "P2");
}

TEST_CASE("a grant without a token is seen") {
    story bad;
    for (auto& each : bad.events) {
        if (each.token == 100) each.token = 0;
    }
    CHECK(bad.verdict() == "P2");
}

TEST_CASE("a write of an older grant after a newer one is seen") {
    story bad;
    bad.access(what::wrote, bad.first, 104, 6, start + 506ms);  // 105 has read
    CHECK(bad.verdict() == "P3");
}

TEST_CASE("an update that is lost is seen") {
    story bad;
    bad.change(what::read, 108, [](event& read) { read.value -= 1; });
    CHECK(bad.verdict() == "P3");
    story worse;
    worse.change(what::wrote, 108, [](event& wrote) { wrote.value -= 1; });
    CHECK(worse.verdict() == "P3");
}

TEST_CASE("a guard that is valid after its session's deadline is seen") {
    story bad;
    // The last heartbeat is acknowledged 250 ms before the end of the story.
    bad.valid(bad.first, 118, story::end + 700ms);
    bad.remove(what::releasing);
    bad.change(what::closed, 0, [](event& closed) { closed.at = story::end + 800ms; });
    std::erase_if(bad.events, [&](const event& each) { return each.token == 119; });
    CHECK(bad.verdict().empty());
    bad.valid(bad.first, 118, story::end + 751ms);
    CHECK(bad.verdict() == "P4");
}

TEST_CASE("only an answer that has come moves the deadline, and only to when its request was sent") {
    story bad;
    bad.remove(what::acknowledged);
    for (const auto& who : {bad.first, bad.second}) bad.acknowledge(who, start - 10ms);
    for (const auto& who : {bad.first, bad.second}) {
        bad.tell({.kind = what::acknowledged,
                  .at = start + 800ms,
                  .until = start + 1100ms,
                  .who = std::string(torture::place_of(who)),
                  .session = "session-" + who});
    }
    // By 1100 ms the answer is there; from about 990 ms on there was none.
    CHECK(bad.verdict() == "P4");
}

TEST_CASE("a heartbeat answered to another worker proves nothing") {
    story bad;
    bad.change(what::acknowledged, 0, [](event& answer) { answer.who = "5"; });
    CHECK(bad.verdict() == "P4");
}

TEST_CASE("a loss that is never told, or too late, is seen") {
    const auto lost = [](instant told) {
        story bad;
        bad.remove(what::closed);
        bad.tell({.kind = what::closed, .at = story::end, .who = bad.second, .session = "session-" + bad.second});
        // Deadline of the first: just under 750 ms after the end.
        if (told > 0s) {
            bad.tell({.kind = what::over, .at = told, .who = bad.first, .session = "session-" + bad.first});
        }
        bad.tell({.kind = what::gap, .at = story::end + 5s, .until = story::end + 6s, .who = "3.0"});
        return bad;
    };
    CHECK(lost({}).verdict() == "P4");
    CHECK(lost(story::end + 760ms).verdict().empty());
    CHECK(lost(story::end + 900ms).verdict() == "P4");

    auto stood_still = lost(story::end + 2050ms);
    stood_still.tell({.kind = what::stopped, .at = story::end + 100ms, .until = story::end + 2s, .who = "0.0"});
    CHECK(stood_still.verdict().empty());

    auto dead = lost({});
    dead.tell({.kind = what::killed, .at = story::end + 100ms, .until = story::end + 101ms, .who = "0.0"});
    CHECK(dead.verdict().empty());
}

TEST_CASE("a lock that nobody gets although somebody waits undisturbed is seen") {
    const auto promised = torture::promised_terms("lock");
    const auto waits_in_vain = [&] {
        story bad;
        bad.tell({.kind = what::killed, .at = story::end + 1ms, .until = story::end + 2ms, .who = bad.first});
        bad.tell({.kind = what::asked, .at = story::end, .who = "2.0", .task = 1, .name = "a"});
        const auto last = story::end + promised.free_within + 100ms;
        bad.tell({.kind = what::gave_up, .at = last, .who = "2.0", .task = 1, .name = "a"});
        return bad;
    };
    CHECK(waits_in_vain().verdict() == "P6");

    auto granted = waits_in_vain();
    granted.change(what::gave_up, 0, [](event& outcome) {
        outcome.kind = what::granted;
        outcome.token = 200;
        outcome.session = "session-2.0";
    });
    CHECK(granted.verdict() == "P6");

    auto in_time = granted;
    in_time.change(what::granted, 200, [](event& grant) { grant.at -= 200ms; });
    CHECK(in_time.verdict().empty());

    auto disturbed = waits_in_vain();
    disturbed.tell({.kind = what::cut, .at = story::end + 1s, .until = story::end + 2s, .who = "2"});
    CHECK(disturbed.verdict().empty());

    // A late heartbeat of the dead one keeps its session alive.
    auto late = waits_in_vain();
    late.tell({.kind = what::applied, .at = story::end + 1s, .who = "0", .session = "session-0.0"});
    CHECK(late.verdict().empty());
}

TEST_CASE("a worker that ends by itself is seen") {
    story bad;
    bad.tell({.kind = what::crashed, .at = story::end + 1ms, .who = "0.0"});
    CHECK(bad.verdict() == "life");
}

TEST_CASE("whoever gives back what another has by then is told so") {
    story bad;
    bad.change(what::releasing, 103, [](event& each) { each.at += 150ms; });
    bad.change(what::told, 103, [](event& each) { each.at += 150ms; });
    CHECK(bad.verdict() == "told");
    story lost = bad;
    lost.change(what::told, 103,
                [](event& each) { each.value = static_cast<std::int64_t>(torture::giving_back::lost); });
    CHECK(lost.verdict().empty());
    story without_table = bad;
    without_table.tell({.kind = what::table_lost, .at = start + 350ms, .until = start + 351ms});
    CHECK(without_table.verdict().find("told") == std::string::npos);
}
