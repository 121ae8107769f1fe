// The standard retry mode of 2026 as tables.
// SPDX-License-Identifier: BSL-1.0
#include <dynalease/aws/retry_policy.hpp>

#include <catch2/catch.hpp>

#include <random>
#include <vector>

namespace {

using namespace dynalease::aws;
using namespace std::chrono_literals;
using std::chrono::milliseconds;

constexpr double almost_one = 0x1.fffffffffffffp-1;

retry_options with_attempts(unsigned attempts) {
    retry_options options;
    options.attempts = attempts;
    return options;
}

}  // namespace

TEST_CASE("a call has four attempts; its pauses double from 25 ms, or from 1 s when throttled") {
    struct row {
        retry_class why;
        std::vector<milliseconds> bounds;
    };
    for (const auto& [why, bounds] :
         {row{retry_class::transient, {25ms, 50ms, 100ms}}, row{retry_class::throttling, {1000ms, 2000ms, 4000ms}}}) {
        for (const double chance : {0.0, 0.5, almost_one}) {
            retry_policy policy;
            retry_budget call;
            for (const milliseconds bound : bounds) {
                const auto decision = policy.decide(call, why, chance);
                REQUIRE(decision.verdict == retry_verdict::again);
                CHECK(decision.pause == milliseconds{static_cast<int>(chance * static_cast<double>(bound.count()))});
            }
            CHECK(policy.decide(call, why, chance).verdict == retry_verdict::attempts_used);
            CHECK(call.attempts == 4);
        }
    }
}

TEST_CASE("the pause is capped at 20 s before jitter") {
    retry_policy policy{with_attempts(40)};
    retry_budget call;
    call.outside_quota = true;
    milliseconds last{0};
    for (int i = 0; i < 39; ++i) {
        last = policy.decide(call, retry_class::throttling, 0.5).pause;
        CHECK(last <= 10s);
    }
    CHECK(last == 10s);
}

TEST_CASE("what is final is not tried again and costs nothing") {
    retry_policy policy;
    retry_budget call;
    CHECK(policy.decide(call, retry_class::none, 0.5).verdict == retry_verdict::final_answer);
    CHECK(policy.quota_left() == 500);
}

TEST_CASE("without any success the quota gives 35 transient or 100 throttled retries, then none") {
    struct row {
        retry_class why;
        unsigned retries;
    };
    for (const auto& [why, retries] : {row{retry_class::transient, 35}, row{retry_class::throttling, 100}}) {
        retry_policy policy{with_attempts(2)};
        unsigned granted = 0;
        for (;;) {
            retry_budget call;
            const auto decision = policy.decide(call, why, 0.0);
            if (decision.verdict == retry_verdict::quota_used) break;
            ++granted;
            CHECK(policy.decide(call, why, 0.0).verdict == retry_verdict::attempts_used);
        }
        CHECK(granted == retries);
    }
}

TEST_CASE("success after a retry gives back what the last retry took, a first success gives one") {
    retry_policy policy;
    retry_budget call;
    policy.decide(call, retry_class::transient, 0.0);
    policy.decide(call, retry_class::throttling, 0.0);
    CHECK(policy.quota_left() == 500 - 14 - 5);
    policy.succeeded(call);
    CHECK(policy.quota_left() == 500 - 14);
    retry_budget easy;
    policy.succeeded(easy);
    CHECK(policy.quota_left() == 500 - 13);
}

TEST_CASE("a retry that is called off gives back what it took, and never more than there was") {
    retry_policy policy;
    retry_budget call;
    policy.decide(call, retry_class::throttling, 0.0);
    policy.decide(call, retry_class::transient, 0.0);
    REQUIRE(policy.quota_left() == 500 - 5 - 14);
    policy.called_off(call);
    policy.called_off(call);
    CHECK(policy.quota_left() == 500 - 5);
    // One that cost nothing gives nothing back, though one that was made before it did.
    retry_budget made;
    policy.decide(made, retry_class::transient, 0.0);
    policy.decide(made, retry_class::skew, 0.0);
    policy.called_off(made);
    REQUIRE(policy.quota_left() == 500 - 5 - 14);
    policy.succeeded(made);
    REQUIRE(policy.quota_left() == 500 - 5);
    retry_budget other;
    policy.decide(other, retry_class::transient, 0.0);
    for (int i = 0; i < 15; ++i) {
        retry_budget easy;
        policy.succeeded(easy);
    }
    policy.called_off(other);
    CHECK(policy.quota_left() == 500);
}

TEST_CASE("a heartbeat is retried although the quota is used up, and neither takes nor refunds") {
    retry_policy policy{with_attempts(1000)};
    retry_budget greedy;
    while (policy.decide(greedy, retry_class::throttling, 0.0).verdict == retry_verdict::again) continue;
    REQUIRE(policy.quota_left() == 0);
    retry_budget heartbeat;
    heartbeat.outside_quota = true;
    CHECK(policy.decide(heartbeat, retry_class::transient, 0.0).verdict == retry_verdict::again);
    policy.succeeded(heartbeat);
    CHECK(policy.quota_left() == 0);
}

TEST_CASE("credentials are refreshed once and a clock is corrected once, both at once and for free") {
    for (const retry_class why : {retry_class::auth_refresh, retry_class::skew}) {
        retry_policy policy;
        retry_budget call;
        const auto first = policy.decide(call, why, almost_one);
        CHECK(first.verdict == retry_verdict::again);
        CHECK(first.pause == 0ms);
        CHECK(policy.quota_left() == 500);
        CHECK(policy.decide(call, why, almost_one).verdict == retry_verdict::final_answer);
    }
    retry_policy policy{with_attempts(1)};
    retry_budget call;
    CHECK(policy.decide(call, retry_class::skew, 0.0).verdict == retry_verdict::attempts_used);
}

TEST_CASE("a hint lengthens the pause by five seconds at most and never shortens it") {
    retry_policy policy;
    const auto pause = [&](milliseconds hint) {
        retry_budget call;
        call.outside_quota = true;
        return policy.decide(call, retry_class::throttling, 0.5, hint).pause;
    };
    CHECK(pause(0ms) == 500ms);
    CHECK(pause(499ms) == 500ms);
    CHECK(pause(1500ms) == 1500ms);
    CHECK(pause(5500ms) == 5500ms);
    CHECK(pause(1h) == 5500ms);
}

TEST_CASE("only whole milliseconds are a hint") {
    CHECK(parse_retry_after("1500") == 1500ms);
    CHECK(parse_retry_after("0") == 0ms);
    for (const char* wrong : {"", "-1", "1.5", "1s", " 1", "99999999999", "soon"})
        CHECK_FALSE(parse_retry_after(wrong));
}

TEST_CASE("whatever happens, the quota stays between none and all, and a call ends") {
    std::mt19937 chance(11);
    retry_policy policy;
    for (int round = 0; round < 20'000; ++round) {
        retry_budget call;
        call.outside_quota = chance() % 8 == 0;
        for (;;) {
            if (chance() % 3 == 0) {
                policy.succeeded(call);
                break;
            }
            const auto why = static_cast<retry_class>(chance() % 5);
            const auto decision = policy.decide(call, why, 0.999);
            REQUIRE(policy.quota_left() <= 500);
            REQUIRE(call.attempts <= 4);
            if (decision.verdict != retry_verdict::again) break;
            REQUIRE(decision.pause <= 4s);
        }
    }
}
