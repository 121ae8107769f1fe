// Choices: the same for a seed, replayed as recorded, and made plainer.
// SPDX-License-Identifier: BSL-1.0
#include <dynalease/testing/tape.hpp>

#include <catch2/catch.hpp>

#include <numeric>

using namespace dynalease;
using testing::tape;

namespace {

std::vector<std::uint64_t> some_choices(tape& choices) {
    std::vector<std::uint64_t> made;
    for (int i = 0; i < 20; ++i) {
        made.push_back(choices.choose("coin", 2));
        made.push_back(choices.between("die", 1, 6));
        made.push_back(choices.chance("luck", 0.3) ? 1 : 0);
    }
    return made;
}

}  // namespace

TEST_CASE("a seed decides every choice, and a recording repeats it", "[tape]") {
    tape first(7);
    tape second(7);
    tape other(8);
    const auto made = some_choices(first);
    CHECK(some_choices(second) == made);
    CHECK(some_choices(other) != made);
    tape replayed(first.recorded());
    CHECK(some_choices(replayed) == made);
}

TEST_CASE("choices stay in their range, whatever is replayed", "[tape]") {
    tape wild(tape::recording{{"die", {99, 7}}, {"coin", {5}}});
    CHECK(wild.choose("die", 6) == 3);
    CHECK(wild.choose("die", 6) == 1);
    CHECK(wild.choose("die", 6) == 0);
    CHECK(wild.choose("coin", 2) == 1);
    CHECK(wild.choose("coin", 0) == 0);
    CHECK(wild.choose("unknown", 9) == 0);
    CHECK_FALSE(wild.chance("unknown", 0.999));
}

TEST_CASE("the choices of one label do not depend on those of another", "[tape]") {
    tape with(3);
    tape without(3);
    std::vector<std::uint64_t> dice;
    for (int i = 0; i < 10; ++i) {
        with.choose("coin", 2);
        dice.push_back(with.choose("die", 6));
    }
    for (const auto each : dice) CHECK(without.choose("die", 6) == each);
}

TEST_CASE("a random port made of choices is recorded as well", "[tape]") {
    tape choices(5);
    const auto numbers = choices.random("numbers");
    const auto first = numbers->next();
    const auto second = numbers->below(100);
    tape replayed(choices.recorded());
    const auto again = replayed.random("numbers");
    CHECK(again->next() == first);
    CHECK(again->below(100) == second);
}

TEST_CASE("the plainest choices make a number below any bound", "[tape]") {
    tape nothing_left{tape::recording()};
    const auto port = nothing_left.random("port");
    for (const std::uint64_t bound : {1u, 2u, 3u, 10u, 1000u}) CHECK(port->below(bound) == 0);
}

TEST_CASE("shrinking leaves what the failure needs and nothing else", "[tape]") {
    tape choices(11);
    for (int i = 0; i < 64; ++i) {
        choices.choose("needed", 1000);
        choices.choose("useless", 1000);
    }
    auto failing = choices.recorded();
    failing["needed"][17] = 777;
    const auto fails = [](const tape::recording& candidate) {
        const auto needed = candidate.find("needed");
        return needed != candidate.end() && needed->second.size() > 17 && needed->second[17] == 777;
    };
    const auto least = testing::shrink(failing, fails);
    REQUIRE(fails(least));
    CHECK_FALSE(least.contains("useless"));
    const auto& needed = least.at("needed");
    CHECK(std::accumulate(needed.begin(), needed.end(), std::uint64_t{0}) == 777);
}
