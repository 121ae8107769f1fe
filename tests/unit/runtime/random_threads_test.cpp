// Random numbers of production, drawn on several threads at once.
// SPDX-License-Identifier: BSL-1.0
#include <dynalease/runtime/environment.hpp>

#include <boost/asio/io_context.hpp>

#include <catch2/catch.hpp>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <thread>
#include <vector>

TEST_CASE("no number comes twice to threads that draw at once", "[random][threads]") {
    constexpr std::size_t each = 200'000;
    boost::asio::io_context context;
    const auto where = dynalease::environment::system(context.get_executor());
    std::vector<std::array<std::uint64_t, 2>> drawn(2 * each);
    std::atomic<int> ready = 0;
    const auto draw = [&](std::size_t first) {
        ++ready;
        while (ready < 2) std::this_thread::yield();
        for (std::size_t i = first; i < first + each; ++i) drawn[i] = {where.random->next(), where.random->next()};
    };
    std::thread one(draw, 0);
    std::thread two(draw, each);
    one.join();
    two.join();
    std::vector<std::uint64_t> numbers;
    for (const auto& [first, second] : drawn) numbers.insert(numbers.end(), {first, second});
    std::sort(numbers.begin(), numbers.end());
    CHECK(std::adjacent_find(numbers.begin(), numbers.end()) == numbers.end());
}
