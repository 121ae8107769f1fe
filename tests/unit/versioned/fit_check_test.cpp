// A whole table is tried against its struct: all is counted, nothing is read too fast, and a check can go on.
// SPDX-License-Identifier: BSL-1.0
#include "book_shop.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <chrono>
#include <limits>
#include <string>

using namespace dynalease;
using namespace dynalease::tests;
using namespace std::chrono_literals;

namespace {

/// About 3 MB: each page is 1 MB, and costs some 128 read units. One in ten is no book.
void put_large_table(shop& s, int items = 300) {
    for (int i = 0; i < items; ++i) {
        item one{{"isbn", "isbn-" + std::to_string(i)}, {"title", std::string(10'000, 'x')}, {"pages", i}};
        if (i % 10 == 0) one.insert_or_assign("pages", "many");
        s.put(std::move(one));
    }
}

}  // namespace

TEST_CASE("a check counts what fits and what does not, and holds the first of these") {
    shop s;
    put_large_table(s);
    s.in_a(
        [](shop& in) -> asio::awaitable<void> {
            const fit_options how{.most_misfits = 5};
            fit_check check{in.books(in.a), how};
            co_await check.run();
            const auto& told = check.report();
            CHECK(told.complete);
            CHECK(told.last.empty());
            CHECK(told.fitting == 270);
            CHECK(told.not_fitting == 30);
            REQUIRE(told.misfits.size() == 5);
            const auto& one = told.misfits.front();
            CHECK(one.why.diagnostics().message == "pages is stored as S, and must be N");
            CHECK(one.why.diagnostics().key == *find_string(one.key, "isbn"));
            CHECK(one.attributes.contains("title"));
            CHECK(in.requests(in.a, "Scan") == in.requests(in.a));
        },
        s);
}

TEST_CASE("a check costs no more a second than it may, and tells what it has cost") {
    shop s;
    put_large_table(s);
    s.in_a(
        [](shop& in) -> asio::awaitable<void> {
            const auto clock = in.a.environment.clock;
            const auto begin = clock->now();
            const fit_options how{.read_units_per_second = 10};
            fit_check check{in.books(in.a), how};
            co_await check.run();
            const std::chrono::duration<double> took = clock->now() - begin;
            const auto& told = check.report();
            CHECK(told.read_units > 350);
            CHECK(told.read_units < 400);
            // The last page is not waited for.
            CHECK(took.count() >= (told.read_units - 128) / 10);
            CHECK(took.count() < told.read_units / 10);
        },
        s);
}

TEST_CASE("a check that was cut off goes on where it was, in this process or in another") {
    shop s;
    put_large_table(s);
    s.in_a(
        [](shop& in) -> asio::awaitable<void> {
            using testing::fault;
            fit_check check{in.books(in.a)};
            fault refused{fault::kind::fail};
            refused.answer = failure(errc::access_denied);
            in.a.network->set_plan(testing::scripted_faults({fault{}, refused}));
            diagnostics details;
            auto [code] = co_await check.run(details, as_pair);
            CHECK(code == errc::access_denied);
            CHECK(details.operation == "fit_check.run (Scan)");
            CHECK(details.table == "books");
            const auto half = check.report();
            CHECK_FALSE(half.complete);
            CHECK(half.fitting > 0);
            CHECK(half.last.size() == 1);

            const fit_options behind{.after = half.last};
            fit_check elsewhere{in.books(in.b), behind};
            co_await elsewhere.run();
            CHECK(elsewhere.report().complete);
            CHECK(half.fitting + elsewhere.report().fitting == 270);
            CHECK(half.not_fitting + elsewhere.report().not_fitting == 30);

            co_await check.run();
            CHECK(check.report().complete);
            CHECK(check.report().fitting == 270);
            const auto before = in.requests(in.a);
            co_await check.run();
            CHECK(in.requests(in.a) == before);
        },
        s);
}

TEST_CASE("a check refuses a pace that would never end") {
    shop s;
    const auto with = [&](double pace) {
        fit_options how;
        how.read_units_per_second = pace;
        return fit_check{s.books(s.a), how};
    };
    CHECK_THROWS_AS(with(0), error);
    CHECK_THROWS_AS(with(-1), error);
    CHECK_THROWS_AS(with(std::numeric_limits<double>::quiet_NaN()), error);
    CHECK_NOTHROW(with(1));
}
