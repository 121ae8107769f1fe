// Names and times that cannot be: refused alike by all primitives, where they are given.
// SPDX-License-Identifier: BSL-1.0
#include "database/argument_check.hpp"
#include "support/world.hpp"

#include <dynalease/dynalease.hpp>

#include <catch2/catch.hpp>

#include <functional>
#include <string>

using namespace dynalease;
using namespace dynalease::tests;
using namespace std::string_literals;

namespace {

const std::string no_utf8 = "caf\xe9";

/// What making it is refused with.
error refusal(const std::function<void()>& make) {
    try {
        make();
    } catch (const error& why) {
        return why;
    }
    return error(error_code(), {});
}

bool says_utf8(const error& why) {
    return why.diagnostics().message.find("UTF-8") != std::string::npos && !why.diagnostics().operation.empty();
}

item_ref row(const std::string& id) {
    return {"tills", {{"id", id}}};
}

asio::awaitable<void> load_told(versioned<item> table, std::string id, diagnostics& details, error_code& code) {
    auto done = co_await table.load(key_values(id), details, as_tuple);
    code = std::get<0>(done);
}

}  // namespace

TEST_CASE("UTF-8 is told from what is none") {
    using detail::is_utf8;
    for (const auto& good : {""s, "plain"s, "a\0b"s, "caf\xc3\xa9"s, "\xe2\x82\xac"s, "\xf0\x9f\x94\x92"s, "\x7f"s,
                             "\xc2\x80"s, "\xdf\xbf"s, "\xe0\xa0\x80"s, "\xed\x9f\xbf"s, "\xee\x80\x80"s,
                             "\xef\xbf\xbf"s, "\xf0\x90\x80\x80"s, "\xf4\x8f\xbf\xbf"s}) {
        CAPTURE(good);
        CHECK(is_utf8(good));
        CHECK(is_utf8(good + good));
    }
    for (const auto& bad : {"\x80"s, "\xbf"s, "\xc0\x80"s, "\xc1\xbf"s, "\xc3"s, "\xc3("s, "\xe0\x9f\xbf"s, "\xe2\x82"s,
                            "\xe2(\xa1"s, "\xed\xa0\x80"s, "\xed\xbf\xbf"s, "\xf0\x8f\xbf\xbf"s, "\xf0\x9f\x94"s,
                            "\xf4\x90\x80\x80"s, "\xf5\x80\x80\x80"s, "\xff"s, "a\xe9z"s}) {
        CAPTURE(bad);
        CHECK_FALSE(is_utf8(bad));
        CHECK_FALSE(is_utf8("before" + bad + "behind"));
    }
}

TEST_CASE("a name that is no UTF-8 is refused where it is given") {
    world w;
    node a(w);
    auto& in = *a.session;
    const database store(a.network);
    const auto code_of = [](const std::function<void()>& make) {
        const auto why = refusal(make);
        CHECK(says_utf8(why));
        return why.code();
    };
    CHECK(code_of([&] { lock(in, no_utf8); }) == errc::invalid_name);
    CHECK(code_of([&] { queue(in, no_utf8); }) == errc::invalid_name);
    CHECK(code_of([&] { queue(in, "x", {.reason = no_utf8}); }) == errc::invalid_name);
    CHECK(code_of([&] { item_lock(in, row(no_utf8)); }) == errc::bad_attribute);
    CHECK(code_of([&] { item_lock(in, {"tills", {{no_utf8, "x"}}}); }) == errc::invalid_name);
    CHECK(code_of([&] { item_lock(in, row("x"), {.prefix = no_utf8}); }) == errc::invalid_name);
    CHECK(code_of([&] { item_lock(in, row("x"), {.version = no_utf8}); }) == errc::invalid_name);
    CHECK(code_of([&] { wall_clock_lock(store, row(no_utf8)); }) == errc::bad_attribute);
    CHECK(code_of([&] { wall_clock_lock(store, row("x"), {.attribute = no_utf8}); }) == errc::invalid_name);
    CHECK(code_of([&] { versioned<item>(store, {.table = "tills", .key = no_utf8}); }) == errc::invalid_name);
    CHECK(code_of([&] { versioned<item>(store, {.table = "tills", .key = "id", .sort_key = no_utf8}); }) ==
          errc::invalid_name);
    CHECK(code_of([&] { session(store, {.table = table, .owner = no_utf8}); }) == errc::invalid_option);
}

TEST_CASE("names in any script, and with a NUL within, are names") {
    world w;
    node a(w);
    const auto name = GENERATE("\xd0\xb7\xd0\xb0\xd0\xbc\xd0\xbe\xd0\xba"s, "\xf0\x9f\x94\x92"s, "a\0b"s);
    const lock target(*a.session, name);
    run(w, a, [](const lock& in) -> asio::awaitable<void> {
        auto guard = co_await in.acquire();
        CHECK(guard.name() == in.name());
    }(target));
    CHECK(find(w.row("lock#" + name), "token"));
}

TEST_CASE("a key that can be the key of nothing is refused where it is given") {
    world w;
    node a(w);
    auto& in = *a.session;
    const database store(a.network);
    for (const auto& key : {std::string(), std::string(2049, 'x')}) {
        CHECK(refusal([&] { item_lock(in, row(key)); }).code() == errc::bad_attribute);
        CHECK(refusal([&] { wall_clock_lock(store, row(key)); }).code() == errc::bad_attribute);
    }
    CHECK_FALSE(refusal([&] { item_lock(in, row(std::string(2048, 'x'))); }).code());
    CHECK(refusal([&] { lock(in, ""); }).code() == errc::invalid_name);
    CHECK(refusal([&] { lock(in, std::string(2044, 'x')); }).code() == errc::invalid_name);
    CHECK(refusal([&] { queue(in, ""); }).code() == errc::invalid_name);
    CHECK(refusal([&] { queue(in, std::string(2043, 'x')); }).code() == errc::invalid_name);

    diagnostics details;
    error_code code;
    run(w, a, load_told({store, {.table = "tills", .key = "id"}}, no_utf8, details, code));
    CHECK(code == errc::bad_attribute);
    CHECK(details.message.find("UTF-8") != std::string::npos);
    CHECK(a.network->log().empty());
}

TEST_CASE("a deadline that is over is a try for all that take a time to wait") {
    world w;
    w.apply(create_table_request{.table_name = "tills", .key = {.hash = {.name = "id"}}});
    w.apply(put_item_request{.table_name = "tills", .new_item = {{"id", "x"}}});
    node a(w);
    node b(w);
    lock_guard kept;
    queue_turn turn;
    item_guard mine;
    const auto hold = [](node& in, lock_guard& guard, queue_turn& at, item_guard& of) -> asio::awaitable<void> {
        guard = co_await lock(*in.session, "x").acquire();
        at = co_await queue(*in.session, "y").enter();
        of = co_await item_lock(*in.session, row("x")).acquire();
    };
    run(w, b, hold(b, kept, turn, mine));
    const lock by_name(*a.session, "x");
    const queue line(*a.session, "y");
    const item_lock of_item(*a.session, row("x"));
    const wall_clock_lock by_clock(database(a.network), row("x"));
    const acquire_options take{.wait = -1ns};
    const enter_options enter{.wait = -1ns};
    const item_acquire_options reach{.wait = -1ns};
    std::vector<error_code> codes;
    const auto told = [&codes](error_code code, const auto&...) { codes.push_back(code); };
    by_name.acquire(take, told);
    by_name.try_acquire(take, told);
    line.enter(enter, told);
    line.try_enter(enter, told);
    of_item.acquire(reach, told);
    of_item.acquire_shared(reach, told);
    by_clock.acquire(reach, told);
    enter_all({line}, enter, told);
    acquire_all({item_demand{of_item}}, acquire_all_options{.wait = -1ns}, told);
    w.scheduler.run_for(1s);
    REQUIRE(codes.size() == 9);
    // The tries that find others have no error; nor is the item locked by the clock.
    CHECK(std::ranges::count(codes, error_code()) == 3);
    CHECK(std::ranges::count_if(codes, [](error_code each) { return each == condition::contended; }) == 6);
}
