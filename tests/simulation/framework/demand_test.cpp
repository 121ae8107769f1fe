// The checker of demand: what waiting, an outage and a crowd may cost passes; each way of asking without end does not.
// SPDX-License-Identifier: BSL-1.0
#include "simulation/framework/demand.hpp"

#include <catch2/catch.hpp>

#include <optional>
#include <string>
#include <utility>

using namespace dynalease;
using namespace dynalease::simulation;
using namespace std::chrono_literals;

namespace {

struct nobody final : testing::network_observer {
    void sent(const testing::logged_request&, const any_request&) override {}
    void applied(const testing::logged_request&, const any_request&, const result<any_response>&) override {}
    void answered(const testing::logged_request&, const any_request&, const result<any_response>&) override {}
};

/// A process that asks for something again and again.
struct asking {
    time_point now{};
    std::string broken;
    nobody others;
    demand_checker checked{{.at_once = 40}, [this] { return now; }, [this](const std::string& what) { broken = what; }};

    asking() { checked.look_for(others); }

    void ask(const std::string& key, const result<any_response>& answer, lane on = lane::ordinary) {
        testing::logged_request entry;
        entry.table = "coordination";
        entry.key = key;
        entry.lane = on;
        if (!answer) entry.code = answer.error().code;
        checked.sent(entry, update_item_request{});
        checked.answered(entry, update_item_request{}, answer);
    }
    /// For a minute.
    void ask_every(std::chrono::nanoseconds pause, const result<any_response>& answer, lane on = lane::ordinary) {
        for (const auto end = now + 1min; now < end; now += pause) ask("lock#x", answer, on);
    }
};

const result<any_response> done = any_response(update_item_response{});
const result<any_response> refused = failure(errc::condition_failed);
const result<any_response> throttled = failure(errc::throttled);

}  // namespace

TEST_CASE("demand: a look eight times a second is what waiting costs") {
    asking one;
    one.ask_every(125ms, done);
    CHECK(one.broken.empty());
}

TEST_CASE("demand: twenty requests a second to one row get nobody on") {
    asking one;
    one.ask_every(50ms, throttled);
    CHECK_THAT(one.broken, Catch::StartsWith("S3: "));
}

TEST_CASE("demand: a storm of less than two seconds is one, unless users act meanwhile") {
    asking one;
    for (int i = 0; i < 50; ++i, one.now += 15ms) one.ask("lock#x", done);
    CHECK_THAT(one.broken, Catch::EndsWith("within a second, and no user did anything"));
    asking busy;
    for (int i = 0; i < 50; ++i, busy.now += 15ms) {
        if (i % 10 == 0) busy.checked.act();
        busy.ask("lock#x", done);
    }
    CHECK(busy.broken.empty());
}

TEST_CASE("demand: what users do is paid for, each time") {
    asking one;
    for (int i = 0; i < 1200; ++i, one.now += 50ms) {
        if (i % 5 == 0) one.checked.act();
        one.ask("lock#x", done);
    }
    CHECK(one.broken.empty());
}

TEST_CASE("demand: many rows, one request each, are many requests") {
    asking one;
    for (int i = 0; i < 320 && one.broken.empty(); ++i, one.now += 10ms) one.ask("row" + std::to_string(i), done);
    CHECK_THAT(one.broken, Catch::StartsWith("S3: "));
}

TEST_CASE("demand: a heartbeat that is refused at once is not repeated at once") {
    asking patient;
    patient.ask_every(250ms, throttled, lane::heartbeat);
    CHECK(patient.broken.empty());
    asking hasty;
    hasty.ask_every(75ms, throttled, lane::heartbeat);
    CHECK_THAT(hasty.broken, Catch::StartsWith("S3: "));
}

TEST_CASE("demand: who is always refused waits for a chance that never comes") {
    asking one;
    one.ask_every(2s, refused);
    CHECK(one.broken.empty());
    one.ask("lock#x", done);
    one.ask_every(2s, refused);
    CHECK(one.broken.empty());
    one.checked.act();
    one.ask_every(2s, refused);
    CHECK(one.broken.empty());
    one.ask_every(1s, refused);
    CHECK_THAT(one.broken, Catch::StartsWith("S3: "));
}
