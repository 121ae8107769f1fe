// Random numbers: reproducible, without bias, and fit for identifiers.
// SPDX-License-Identifier: BSL-1.0
#include "runtime/identity.hpp"
#include "runtime/system_random.hpp"

#include <dynalease/runtime/environment.hpp>

#include <catch2/catch.hpp>

#include <algorithm>
#include <array>
#include <chrono>
#include <deque>
#include <memory>
#include <set>
#include <string>

using namespace dynalease;

namespace {

/// Gives the numbers it was given.
class scripted final : public dynalease::random {
public:
    explicit scripted(std::deque<std::uint64_t> numbers) : numbers_(std::move(numbers)) {}
    std::uint64_t next() override {
        const auto first = numbers_.front();
        numbers_.pop_front();
        return first;
    }

private:
    std::deque<std::uint64_t> numbers_;
};

constexpr auto largest = ~std::uint64_t{0};

}  // namespace

TEST_CASE("the generator follows the published algorithm", "[random]") {
    // The first output is rotl(s1 * 5, 7) * 9; the next follow from the state update.
    runtime::xoshiro generator(std::array<std::uint64_t, 4>{1, 2, 3, 4});
    CHECK(generator.next() == 11520);
    CHECK(generator.next() == 0);
    CHECK(generator.next() == 1509978240);
    CHECK(generator.next() == 1215971899390074240);
}

TEST_CASE("a seed fixes the numbers, another seed gives others", "[random]") {
    runtime::xoshiro first(7);
    runtime::xoshiro same(7);
    runtime::xoshiro other(8);
    int equal = 0;
    for (int i = 0; i < 100; ++i) {
        const auto number = first.next();
        CHECK(number == same.next());
        equal += number == other.next();
    }
    CHECK(equal == 0);
}

TEST_CASE("below stays below, without bias", "[random]") {
    runtime::xoshiro generator(1);
    CHECK(generator.below(0) == 0);
    CHECK(generator.below(1) == 0);
    std::array<int, 6> counts{};
    for (int i = 0; i < 60'000; ++i) ++counts.at(generator.below(6));
    for (const int count : counts) CHECK(std::abs(count - 10'000) < 500);

    // 2^64 mod 3 is 1: the largest number would give the remainder 0 one chance too many, and is drawn again.
    CHECK(scripted({largest, 1}).below(3) == 1);
    CHECK(scripted({0}).below(3) == 0);
    CHECK(scripted({largest - 1}).below(3) == 2);
    CHECK(scripted({largest, 5}).below(largest) == 5);
}

TEST_CASE("unit covers the half-open interval", "[random]") {
    CHECK(scripted({0}).unit() == 0.0);
    CHECK(scripted({largest}).unit() < 1.0);
    CHECK(scripted({largest}).unit() > 0.999999);
    CHECK(scripted({std::uint64_t{1} << 63}).unit() == 0.5);
}

TEST_CASE("an id is 22 characters that a URL takes, and holds all 128 bits", "[random]") {
    using runtime::text_of_identity;
    CHECK(text_of_identity({0, 0}) == std::string(22, 'A'));
    CHECK(text_of_identity({largest, largest}) == std::string(21, '_') + 'w');
    CHECK(text_of_identity({0x0001020304050607, 0x08090a0b0c0d0e0f}) == "AAECAwQFBgcICQoLDA0ODw");
    std::set<std::string> seen;
    for (int bit = 0; bit < 64; ++bit) {
        seen.insert(text_of_identity({std::uint64_t{1} << bit, 0}));
        seen.insert(text_of_identity({0, std::uint64_t{1} << bit}));
    }
    CHECK(seen.size() == 128);
}

namespace {

/// Some instant of one of two clocks.
class stopped_clock final : public dynalease::clock {
public:
    stopped_clock(std::chrono::nanoseconds elapsed, std::chrono::milliseconds told) : now_(elapsed), wall_(told) {}
    time_point now() const noexcept override { return time_point(now_); }
    wall_time wall() const noexcept override { return wall_time(wall_); }

private:
    void wait_until(time_point, wait_handler) override {}

    std::chrono::nanoseconds now_;
    std::chrono::milliseconds wall_;
};

}  // namespace

TEST_CASE("copies of one generator make the same name only at the same instant", "[random]") {
    std::set<std::string> seen;
    for (const int elapsed : {0, 1, 1'000'000'000}) {
        for (const int told : {0, 1, 1'000'000'000}) {
            const auto at = std::make_shared<stopped_clock>(std::chrono::nanoseconds(elapsed),
                                                            std::chrono::milliseconds(told));
            const dynalease::environment copy{{}, at, std::make_shared<runtime::xoshiro>(7)};
            seen.insert(copy.new_id());
            seen.insert(copy.new_id());
        }
    }
    CHECK(seen.size() == 18);
}

TEST_CASE("the kernel's numbers differ each time", "[random]") {
    runtime::kernel_random kernel;
    CHECK(kernel.next() != kernel.next());
}
