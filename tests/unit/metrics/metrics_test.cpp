// The page that Prometheus reads: each figure under its name, once, whatever the labels hold.
// SPDX-License-Identifier: BSL-1.0
#include <dynalease/client.hpp>
#include <dynalease/error.hpp>
#include <dynalease/histogram.hpp>
#include <dynalease/metrics.hpp>
#include <dynalease/session/counters.hpp>

#include <catch2/catch.hpp>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <limits>
#include <regex>
#include <set>
#include <sstream>
#include <string>

using namespace dynalease;

namespace {

client_counters some_requests() {
    client_counters seen;
    seen.operations["UpdateItem"] = {.attempts = 5, .applied = 3, .not_applied = 1, .unknown = 1};
    seen.operations["UpdateItem"].latency.observe(std::chrono::milliseconds(4));
    seen.retries = 2;
    seen.connections_open = 7;
    return seen;
}

session_counters some_locks() {
    session_counters seen;
    seen.acquired = 31;
    seen.lost = 1;
    seen.worst_heartbeat_delay = std::chrono::milliseconds(250);
    seen.unknown_applied = 4;
    seen.state = session_state::jeopardy;
    seen.waits_granted.observe(std::chrono::seconds(12));
    seen.waits_in_vain.observe(std::chrono::seconds(2));
    seen.waits_in_vain.observe(std::chrono::seconds(2));
    seen.holds.observe(std::chrono::seconds(90));
    seen.heartbeat_delays.observe(std::chrono::microseconds(100));
    seen.heartbeat_answers.observe(std::chrono::milliseconds(7));
    return seen;
}

bool has_line(const std::string& text, const std::string& line) {
    return ("\n" + text).find("\n" + line + "\n") != std::string::npos;
}

/// Every name in a text that begins as ours do.
std::set<std::string> names_in(const std::string& text) {
    static const std::regex ours("dynalease_[a-z_]+");
    return {std::sregex_token_iterator(text.begin(), text.end(), ours), std::sregex_token_iterator()};
}
std::string content_of(const std::string& file) {
    const auto root = std::filesystem::path(DYNALEASE_TEST_DATA).parent_path().parent_path();
    std::ifstream in(root / "examples/monitoring" / file);
    std::ostringstream content;
    content << in.rdbuf();
    return content.str();
}
std::size_t times(const std::string& text, const std::string& part) {
    std::size_t count = 0;
    for (auto at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++count;
    return count;
}

errc code_of(void (*bad)(metrics&)) {
    metrics page;
    try {
        bad(page);
    } catch (const error& why) {
        return static_cast<errc>(why.code().value());
    }
    return {};
}

}  // namespace

TEST_CASE("what a client and a session count is written with help and type") {
    metrics page;
    page.add(some_requests());
    page.add(some_locks());
    const auto text = page.text();
    CHECK(has_line(text, "# TYPE dynalease_requests_total counter"));
    CHECK(has_line(text, R"(dynalease_requests_total{operation="UpdateItem",outcome="applied"} 3)"));
    CHECK(has_line(text, R"(dynalease_requests_total{operation="UpdateItem",outcome="unknown"} 1)"));
    CHECK(has_line(text, R"(dynalease_request_attempts_total{operation="UpdateItem"} 5)"));
    CHECK(has_line(text, "dynalease_retries_total 2"));
    CHECK(has_line(text, "# TYPE dynalease_connections_open gauge"));
    CHECK(has_line(text, "dynalease_connections_open 7"));
    CHECK(has_line(text, "dynalease_locks_acquired_total 31"));
    CHECK(has_line(text, "dynalease_locks_lost_total 1"));
    CHECK(has_line(text, "dynalease_heartbeat_worst_delay_seconds 0.25"));
    CHECK(has_line(text, R"(dynalease_unknown_writes_resolved_total{outcome="applied"} 4)"));
    CHECK(has_line(text, "# TYPE dynalease_session_state gauge"));
    CHECK(has_line(text, R"(dynalease_session_state{state="jeopardy"} 1)"));
    CHECK(has_line(text, R"(dynalease_session_state{state="live"} 0)"));
    CHECK(times(text, "dynalease_session_state{") == 6);
}

TEST_CASE("the times that a client and a session keep are written as histograms, by operation and outcome") {
    metrics page;
    page.add(some_requests());
    page.add(some_locks(), {{"session", "billing"}});
    const auto text = page.text();
    CHECK(has_line(text, "# TYPE dynalease_request_seconds histogram"));
    CHECK(has_line(text, R"(dynalease_request_seconds_bucket{le="0.005",operation="UpdateItem"} 1)"));
    CHECK(has_line(text, R"(dynalease_request_seconds_sum{operation="UpdateItem"} 0.004)"));
    CHECK(times(text, "# TYPE dynalease_acquire_wait_seconds histogram") == 1);
    CHECK(has_line(text, R"(dynalease_acquire_wait_seconds_bucket{le="10",outcome="granted",session="billing"} 0)"));
    CHECK(has_line(text, R"(dynalease_acquire_wait_seconds_bucket{le="30",outcome="granted",session="billing"} 1)"));
    CHECK(has_line(text, R"(dynalease_acquire_wait_seconds_sum{outcome="in_vain",session="billing"} 4)"));
    CHECK(has_line(text, R"(dynalease_acquire_wait_seconds_count{outcome="in_vain",session="billing"} 2)"));
    CHECK(has_line(text, R"(dynalease_hold_seconds_bucket{le="60",session="billing"} 0)"));
    CHECK(has_line(text, R"(dynalease_hold_seconds_bucket{le="+Inf",session="billing"} 1)"));
    CHECK(has_line(text, R"(dynalease_heartbeat_delay_seconds_bucket{le="0.001",session="billing"} 1)"));
    CHECK(has_line(text, R"(dynalease_heartbeat_answer_seconds_sum{session="billing"} 0.007)"));
}

TEST_CASE("a time belongs to the first bucket whose bound it does not exceed, one below zero to the first") {
    using std::chrono::nanoseconds;
    using namespace std::chrono_literals;
    CHECK(histogram::bucket_of(-1s) == 0);
    CHECK(histogram::bucket_of(0s) == 0);
    CHECK(histogram::bucket_of(1ms) == 0);
    CHECK(histogram::bucket_of(nanoseconds(1ms) + 1ns) == 1);
    CHECK(histogram::bucket_of(10s) == 12);
    CHECK(histogram::bucket_of(1min) == 14);
    CHECK(histogram::bucket_of(nanoseconds(1min) + 1ns) == 15);
    CHECK(histogram::bucket_of(nanoseconds::max()) == 15);
    histogram times;
    times.observe(-1s);
    times.observe(3s);
    CHECK(times.count() == 2);
    CHECK(times.sum() == 3s);
}

TEST_CASE("several sessions stand under one help and type, told apart by their labels") {
    metrics page;
    page.add(some_locks(), {{"session", "billing"}});
    page.add(some_locks(), {{"session", "shipping"}});
    const auto text = page.text();
    CHECK(times(text, "# TYPE dynalease_locks_acquired_total") == 1);
    CHECK(has_line(text, R"(dynalease_locks_acquired_total{session="billing"} 31)"));
    CHECK(has_line(text, R"(dynalease_locks_acquired_total{session="shipping"} 31)"));
}

TEST_CASE("of two figures with one name and the same labels the later stays") {
    metrics page;
    page.gauge("backlog", "What waits.", 1);
    page.gauge("backlog", "What waits.", 2);
    CHECK(page.text() == "# HELP backlog What waits.\n# TYPE backlog gauge\nbacklog 2\n");
}

TEST_CASE("labels and helps may hold anything") {
    metrics page;
    page.gauge("odd", "a \\ and\na line", 1, {{"of", "say \"x\"\\\n"}});
    CHECK(page.text() == "# HELP odd a \\\\ and\\na line\n# TYPE odd gauge\nodd{of=\"say \\\"x\\\"\\\\\\n\"} 1\n");
}

TEST_CASE("every number has a text") {
    metrics page;
    page.gauge("a", "-", std::numeric_limits<double>::infinity());
    page.gauge("b", "-", -std::numeric_limits<double>::infinity());
    page.gauge("c", "-", std::numeric_limits<double>::quiet_NaN());
    page.gauge("d", "-", 1e300);
    const auto text = page.text();
    CHECK(has_line(text, "a +Inf"));
    CHECK(has_line(text, "b -Inf"));
    CHECK(has_line(text, "c NaN"));
    CHECK(has_line(text, "d 1e+300"));
}

TEST_CASE("names that Prometheus does not take are refused, and leave nothing behind") {
    CHECK(code_of([](metrics& page) { page.gauge("", "-", 1); }) == errc::invalid_name);
    CHECK(code_of([](metrics& page) { page.gauge("1st", "-", 1); }) == errc::invalid_name);
    CHECK(code_of([](metrics& page) { page.gauge("a-b", "-", 1); }) == errc::invalid_name);
    CHECK(code_of([](metrics& page) { page.counter("requests", "-", 1); }) == errc::invalid_name);
    CHECK(code_of([](metrics& page) { page.gauge("a", "-", 1, {{"b:c", "d"}}); }) == errc::invalid_name);
    CHECK(code_of([](metrics& page) {
              page.counter("a_total", "-", 1);
              page.gauge("a_total", "-", 1);
          }) == errc::invalid_option);
    metrics page;
    for (const char* digit : {"0", "9"}) CHECK_THROWS_AS(page.gauge("a", "-", 1, {{digit, ""}}), error);
    CHECK(page.text().empty());
}

TEST_CASE("times are written as buckets that hold those below, their sum and their number") {
    histogram times;
    times.observe(std::chrono::milliseconds(3));
    times.observe(std::chrono::milliseconds(30));
    times.observe(std::chrono::seconds(60));
    metrics page;
    page.histogram("work_seconds", "Of work.", times, {{"of", "x"}});
    const auto text = page.text();
    CHECK(
        text.starts_with("# HELP work_seconds Of work.\n# TYPE work_seconds histogram\n"
                         "work_seconds_bucket{le=\"0.001\",of=\"x\"} 0\n"));
    CHECK(has_line(text, "work_seconds_bucket{le=\"0.005\",of=\"x\"} 1"));
    CHECK(has_line(text, "work_seconds_bucket{le=\"10\",of=\"x\"} 2"));
    CHECK(has_line(text, "work_seconds_bucket{le=\"+Inf\",of=\"x\"} 3"));
    CHECK(has_line(text, "work_seconds_sum{of=\"x\"} 60.033"));
    CHECK(has_line(text, "work_seconds_count{of=\"x\"} 3"));
    CHECK(code_of([](metrics& other) { other.histogram("work_bucket", "-", {}); }) == errc::invalid_name);
    CHECK(code_of([](metrics& other) { other.histogram("work_sum", "-", {}); }) == errc::invalid_name);
    CHECK(code_of([](metrics& other) { other.histogram("work_count", "-", {}); }) == errc::invalid_name);
    CHECK(code_of([](metrics& other) {
              other.gauge("a", "-", 1);
              other.histogram("a", "-", {});
          }) == errc::invalid_option);
}

TEST_CASE("the dashboard and the alerts ask for nothing that is not written") {
    metrics page;
    page.add(some_requests());
    page.add(some_locks());
    const auto written = names_in(page.text());
    for (const auto* file : {"dashboard.json", "alerts.yml"}) {
        const auto asked = names_in(content_of(file));
        CHECK(asked.size() >= 7);
        for (const auto& name : asked) {
            CAPTURE(file, name);
            CHECK(written.contains(name));
        }
    }
}

TEST_CASE("the page as a whole", "[page]") {
    metrics page;
    histogram times;
    times.observe(std::chrono::milliseconds(3));
    page.histogram("orders_seconds", "How long an order takes.", times);
    page.add(some_requests(), {{"client", "orders"}});
    page.add(some_locks(), {{"session", "say \"x\""}});
    const auto text = page.text();
    std::cout << text << "---\n";
    CHECK(text.ends_with("\n"));
}
