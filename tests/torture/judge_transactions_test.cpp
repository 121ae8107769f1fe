// The judge of transactions: a good history passes, and made bad in one place it does not.
// SPDX-License-Identifier: BSL-1.0
#include "torture/judge.hpp"
#include "torture/settings.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <string>

namespace {

using namespace std::chrono_literals;
using torture::event;
using torture::instant;
using torture::what;

constexpr instant start = 1000s;

/// One transfer that is told as committed, one that is told as failed, one whose process was killed and that another
/// ended, and one in doubt that happened; sums between them, and the audit.
class story {
public:
    story() {
        run(what::committed, "a", 1);
        run(what::failed, "b", 2);
        tell({.kind = what::ordered, .name = "c", .token = 3});
        tell({.kind = what::killed});
        tell({.kind = what::settled, .name = "c", .value = torture::committed_state});
        run(what::doubted, "d", 4);
        tell({.kind = what::summed, .value = torture::total_funds});
        tell({.kind = what::looked_up, .name = "a", .value = torture::committed_state});
        tell({.kind = what::settled, .name = "b", .value = rolled_back});
        for (const auto& id : {"a", "c", "d"}) {
            const auto token = static_cast<std::int64_t>(id[0] - 'a' + 1);
            tell({.kind = what::receipt, .name = id, .token = token, .value = 1});
        }
        for (std::size_t i = 0; i < torture::account_count; ++i) {
            tell({.kind = what::balance,
                  .name = "account-" + std::to_string(i),
                  .token = torture::opening_balance,
                  .value = torture::opening_balance});
        }
    }

    void run(what outcome, const std::string& id, std::int64_t number) {
        tell({.kind = what::ordered, .name = id, .token = number});
        tell({.kind = outcome, .name = id, .token = number});
    }
    /// One after the other.
    void tell(event happened) {
        happened.at = start + events.size() * 1ms;
        happened.who = "0.0";
        happened.task = 1;
        events.push_back(std::move(happened));
    }

    /// The first event of a kind and of that name.
    event& find(what kind, const std::string& name = {}) {
        return *std::find_if(events.begin(), events.end(),
                             [&](const event& each) { return each.kind == kind && each.name == name; });
    }
    void remove(what kind, const std::string& name) {
        std::erase_if(events, [&](const event& each) { return each.kind == kind && each.name == name; });
    }

    /// The promises that were broken, in the order of their names.
    std::string verdict() const {
        std::vector<torture::violation> found;
        judge_transactions(torture::case_file(events), found);
        std::vector<std::string> broken;
        for (const auto& each : found) broken.push_back(each.promise);
        std::sort(broken.begin(), broken.end());
        std::string all;
        for (const auto& each : broken) all += all.empty() ? each : " " + each;
        return all;
    }

    static constexpr std::int64_t rolled_back = torture::committed_state + 1;
    std::vector<event> events;
};

}  // namespace

TEST_CASE("a history of transactions that keeps all promises has no violation") {
    CHECK(story().verdict().empty());
}

TEST_CASE("the judge of all promises judges transactions") {
    story bad;
    bad.find(what::summed).value -= 1;
    const auto found = judge(torture::case_file(bad.events), torture::promised_terms("transaction"));
    REQUIRE(found.size() == 1);
    CHECK(found.front().promise == "sum");
}

TEST_CASE("accounts that do not hold the same together at one moment are seen") {
    story bad;
    bad.find(what::summed).value += 1;
    CHECK(bad.verdict() == "sum");
}

TEST_CASE("an account that does not hold at the end what the receipts say is seen, even if the sum is right") {
    story bad;
    bad.find(what::balance, "account-0").value += 5;
    bad.find(what::balance, "account-1").value -= 5;
    CHECK(bad.verdict() == "sum sum");
}

TEST_CASE("funds that are gone at the end are seen, even if the receipts say so too") {
    story bad;
    bad.find(what::balance, "account-0").value -= 5;
    bad.find(what::balance, "account-0").token -= 5;
    CHECK(bad.verdict() == "sum");
}

TEST_CASE("a transfer that happened twice is seen") {
    story bad;
    bad.find(what::receipt, "d").value = 2;
    CHECK(bad.verdict() == "once");
}

TEST_CASE("a transfer that was told as committed and left no receipt is seen") {
    story bad;
    bad.remove(what::receipt, "a");
    CHECK(bad.verdict() == "told told");  // by its own process, and by one who looked
}

TEST_CASE("a transfer that another said to have carried to its commit, and that left no receipt, is seen") {
    story bad;
    bad.remove(what::receipt, "c");
    CHECK(bad.verdict() == "told");
}

TEST_CASE("a run that was told as failed and left its receipt is seen, that of another run of the id is not") {
    story bad;
    bad.tell({.kind = what::receipt, .name = "b", .token = 2, .value = 1});
    CHECK(bad.verdict() == "told");

    story run_again;
    run_again.run(what::committed, "b", 5);
    run_again.tell({.kind = what::receipt, .name = "b", .token = 5, .value = 1});
    CHECK(run_again.verdict().empty());
}

TEST_CASE("whether a run in doubt happened is not known, and either is right") {
    story absent;
    absent.remove(what::receipt, "d");
    CHECK(absent.verdict().empty());
}

TEST_CASE("what has committed is told so by all who look later") {
    for (const auto kind : {what::looked_up, what::settled}) {
        story bad;
        bad.tell({.kind = kind, .name = "a", .value = story::rolled_back});
        CHECK(bad.verdict() == "told");
    }
    story meanwhile;  // begun before it was told
    meanwhile.tell({.kind = what::looked_up, .name = "a", .value = 1});
    meanwhile.events.back().at = start;
    meanwhile.events.back().until = start + 1s;
    CHECK(meanwhile.verdict().empty());
}

TEST_CASE("what is held when all have ended is seen") {
    story bad;
    bad.tell({.kind = what::left, .name = "account-3", .session = "d/run"});
    CHECK(bad.verdict() == "left");
}
