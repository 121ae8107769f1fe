// Bad input: named errors, before anything is sent, and items of strange content left alone.
// SPDX-License-Identifier: BSL-1.0
#include "support/till.hpp"

#include <catch2/catch.hpp>

using namespace dynalease;
using namespace dynalease::tests;

namespace {

errc refusal_of(node& in, item_ref target, item_lock_options options = {}) {
    try {
        const item_lock made{*in.session, std::move(target), std::move(options)};
    } catch (const dynalease::error& e) {
        CHECK_FALSE(e.diagnostics().message.empty());
        return static_cast<errc>(e.code().value());
    }
    return errc{};
}

}  // namespace

TEST_CASE("keys, names and options out of range are refused at once") {
    world w;
    node a(w);
    CHECK(refusal_of(a, till()) == errc{});
    CHECK(refusal_of(a, {"x", {{"id", "1"}}}) == errc::invalid_name);
    CHECK(refusal_of(a, {"tills", {}}) == errc::bad_attribute);
    CHECK(refusal_of(a, {"tills", {{"id", ""}}}) == errc::bad_attribute);
    CHECK(refusal_of(a, {"tills", {{"id", true}}}) == errc::bad_attribute);
    CHECK(refusal_of(a, {"tills", {{"a", "1"}, {"b", "2"}, {"c", "3"}}}) == errc::bad_attribute);
    CHECK(refusal_of(a, till(), {.prefix = ""}) == errc::invalid_name);
    CHECK(refusal_of(a, till(), {.version = "id"}) == errc::invalid_name);
    CHECK(refusal_of(a, till(), {.version = "x", .stamp = "x"}) == errc::invalid_name);
    CHECK(refusal_of(a, till(), {.step = 0}) == errc::invalid_option);
    CHECK(refusal_of(a, till(), {.most_readers = 0}) == errc::invalid_option);
    CHECK(refusal_of(a, till(), {.most_readers = 1001}) == errc::invalid_option);
    CHECK(refusal_of(a, till(), {.poll_interval = 1ms}) == errc::invalid_option);
    CHECK(refusal_of(a, till(), {.poll_interval = 100ms, .longest_poll_interval = 50ms}) == errc::invalid_option);
    CHECK(a.network->log().empty());
}

TEST_CASE("two handles of one item that keep its version differently are told what each of them says") {
    world w;
    node a(w);
    const item_lock first{*a.session, till()};
    try {
        const item_lock second{*a.session, till(), {.version = "rev"}};
        FAIL("taken");
    } catch (const dynalease::error& why) {
        CHECK(why.code() == errc::invalid_option);
        CHECK(why.diagnostics().message.starts_with(R"(version is "rev" here, and "version" in another handle)"));
    }
    CHECK(refusal_of(a, till(), {.versioned = false}) == errc::invalid_option);
    CHECK(refusal_of(a, till(), {.step = 2}) == errc::invalid_option);
    CHECK(refusal_of(a, till()) == errc{});
}

TEST_CASE("items whose key values look alike are locked each for itself") {
    world w;
    node a(w);
    const item_ref one{"pairs", {{"p", "a/b"}, {"q", "c"}}};
    const item_ref other{"pairs", {{"p", "a"}, {"q", "b/c"}}};
    CHECK(item_lock(*a.session, one).name() != item_lock(*a.session, other).name());
    CHECK(item_lock(*a.session, one).name() == item_lock(*a.session, one).name());
}

TEST_CASE("a key of a wrong type is refused, and does not become that of the item") {
    world w;
    node a(w);
    create_table_request create{.table_name = "numbered",
                                .key = {.hash = {.name = "n", .type = scalar_type::n}, .range = {}}};
    w.apply(std::move(create));
    w.apply(put_item_request{.table_name = "numbered", .new_item = {{"n", 1}}});
    const item_lock wrong{*a.session, {"numbered", {{"n", "1"}}}};
    item_guard guard;
    error_code code;
    run(w, a, code_of(take(wrong, guard), code));
    CHECK(code == errc::validation);
    const item_lock right{*a.session, {"numbered", {{"n", 1}}}};
    run(w, a, take(right, guard));
    CHECK(guard.held());
    run(w, a, code_of(take(wrong, guard), code));
    CHECK(code == errc::validation);
}

TEST_CASE("a key that the table has in another shape is told as it was named") {
    till_world w;
    node a(w);
    const auto [target, named] = GENERATE(Catch::Generators::table<item_ref, std::string>(
        {{{"tills", {{"name", "north"}}}, "\"name\" (S)"},
         {{"tills", {{"id", "north"}, {"nr", 1}}}, "\"id\" (S) and \"nr\" (N)"}}));
    const bool together = GENERATE(false, true);
    diagnostics told;
    const auto ask = [](node& in, item_ref where, bool jointly, diagnostics& into) -> asio::awaitable<void> {
        const item_lock other{*in.session, till()};
        const item_lock odd{*in.session, std::move(where)};
        error_code code;
        if (jointly) {
            std::vector<item_demand> wanted{{other}, {odd}};
            auto [failed, guards] = co_await acquire_all(std::move(wanted), into, asio::as_tuple(asio::deferred));
            code = failed;
        } else {
            auto [failed, guard] = co_await odd.acquire(into, asio::as_tuple(asio::deferred));
            code = failed;
        }
        CHECK(code == errc::validation);
    };
    run(w, a, ask(a, target, together, told));
    CHECK(told.advice.find(named) != std::string::npos);
    w.scheduler.run_for(15s);
    CHECK(w.unlocked());
}

TEST_CASE("a number that is written in several ways is one key, and one item") {
    till_world w;
    create_table_request create{.table_name = "numbered",
                                .key = {.hash = {.name = "n", .type = scalar_type::n}, .range = {}}};
    w.apply(std::move(create));
    w.apply(put_item_request{.table_name = "numbered", .new_item = {{"n", 1}, {"amount", 0}}});
    node a(w);
    const item_lock one{*a.session, {"numbered", {{"n", number("1")}}}};
    item_guard first;
    run(w, a, take(one, first));
    for (const auto* spelling : {"1.0", "1E0", "+1", "0.1E1", "01"}) {
        INFO(spelling);
        const item_lock same{*a.session, {"numbered", {{"n", number(spelling)}}}};
        CHECK(same.name() == "numbered/1");
        item_guard second;
        error_code code;
        run(w, a, code_of(take(same, second, {.wait = 5s}), code));
        CHECK(code == errc::wait_timeout);
        CHECK(first.held());
        std::vector<item_guard> both;
        run(w, a, code_of(take_all({{one}, {same}}, both), code));
        CHECK(code == errc::duplicate_item);
    }
}

TEST_CASE("several items with number keys are locked in one order, however the numbers are written") {
    world w;
    node a(w);
    const auto name = [&](const char* spelling) {
        return item_lock(*a.session, {"numbered", {{"n", number(spelling)}}}).name();
    };
    CHECK(name("9.0") == name("09"));
    CHECK((name("10") < name("9")) == (name("1E1") < name("9.0")));
}

TEST_CASE("a table is named by its name, so that one item has one name") {
    world w;
    node a(w);
    CHECK(refusal_of(a, {"arn:aws:dynamodb:eu-central-1:123456789012:table/tills", till().key}) == errc::invalid_name);
}

TEST_CASE("a hold in an unknown form is respected, and one of another type refused") {
    till_world w;
    node a(w);
    item_lock lock{*a.session, till()};
    item_guard guard;
    w.put({{"id", "north"}, {"_lockW", "some other library"}});
    error_code code;
    run(w, a, code_of(take(lock, guard, {.wait = 60s}), code));
    CHECK(code == errc::wait_timeout);
    w.put({{"id", "north"}, {"_lockW", 5}});
    code = {};
    run(w, a, code_of(take(lock, guard), code));
    CHECK(code == errc::corrupt_row);
    CHECK(*find_integer(w.stored(), "_lockW") == 5);
}

TEST_CASE("a table that does not exist is named") {
    world w;
    node a(w);
    item_guard guard;
    error_code code;
    run(w, a, code_of(take(item_lock{*a.session, till()}, guard), code));
    CHECK(code == errc::table_not_found);
}
