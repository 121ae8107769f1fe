// Whoever waits for a call sees what has become of its attempts between them, and may end it there.
// SPDX-License-Identifier: BSL-1.0
#include "unit/client/fixture.hpp"

#include <algorithm>
#include <vector>

using namespace client_test;

namespace {

class attempt_recorder final : public attempt_watch {
public:
    explicit attempt_recorder(unsigned most) : left_(most) {}
    void failed(const failure& why) override { seen.push_back(why); }
    bool goes_on() override { return left_-- > 0; }

    std::vector<failure> seen;

private:
    unsigned left_;
};

}  // namespace

TEST_CASE("a call that is watched tells of each attempt that failed, and ends where it is told to") {
    const unsigned more = GENERATE(0u, 1u, 9u);
    fixture f;
    unsigned requests = 0;
    f.serve([&requests](std::size_t, const std::string&) {
        ++requests;
        return refusal("ThrottlingException", "slow");
    });
    attempt_recorder watch(more);
    const auto why = f.fail(a_write(), {.timeout = 10s, .attempts = 3, .watch = &watch});
    CHECK(requests == std::min(more + 1, 3u));
    CHECK(why.code == errc::throttled);
    CHECK(why.outcome == outcome::not_applied);
    CHECK(why.details.attempts == requests);
    REQUIRE(watch.seen.size() == std::min(more + 1, 2u));
    unsigned attempts = 0;
    for (const auto& each : watch.seen) {
        CHECK(each.code == errc::throttled);
        CHECK(each.outcome == outcome::not_applied);
        CHECK(each.details.operation == "UpdateItem");
        CHECK_FALSE(each.details.request_id.empty());
        CHECK(each.details.attempts == ++attempts);
    }
}

TEST_CASE("retries that are called off use up no quota, and are not counted") {
    fixture f;
    unsigned requests = 0;
    f.serve([&requests](std::size_t, const std::string&) {
        ++requests;
        return refusal("InternalServerError", "of its own");
    });
    f.run([&requests](client& database) -> asio::awaitable<void> {
        constexpr unsigned calls = 50;  // of which each would have taken 14 of 500
        for (unsigned i = 0; i < calls; ++i) {
            attempt_recorder none(0);
            const call_options how{.attempts = 3, .watch = &none};
            auto answer = co_await write_on(database, how);
            CHECK_FALSE(answer.has_value());
        }
        CHECK(requests == calls);
        CHECK(database.counters().retries == 0);
        const call_options how{.attempts = 3};
        auto answer = co_await write_on(database, how);
        CHECK_FALSE(answer.has_value());
        CHECK(requests == calls + 3);
        CHECK(database.counters().retries == 2);
    });
}

TEST_CASE("between the attempts of a call one without an answer leaves it in doubt") {
    fixture f;
    f.serve([](std::size_t number, const std::string&) {
        return number == 0 ? reaction{"", true} : refusal("ThrottlingException", "slow");
    });
    attempt_recorder watch(1);
    const auto why = f.fail(a_write(), {.timeout = 10s, .watch = &watch});
    REQUIRE(watch.seen.size() == 2);
    for (const auto& each : watch.seen) {
        CHECK(each.code == errc::in_doubt);
        CHECK(each.outcome == outcome::unknown);
    }
    CHECK(why.code == errc::in_doubt);
}
