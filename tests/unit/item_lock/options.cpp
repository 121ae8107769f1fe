// Bad input: named errors, before anything is sent, and items of strange content left alone.
#include "till.hpp"

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

TEST_CASE("items whose key values look alike are locked each for itself") {
    world w;
    node a(w);
    const item_ref one{"pairs", {{"p", "a/b"}, {"q", "c"}}};
    const item_ref other{"pairs", {{"p", "a"}, {"q", "b/c"}}};
    CHECK(item_lock(*a.session, one).name() != item_lock(*a.session, other).name());
    CHECK(item_lock(*a.session, one).name() == item_lock(*a.session, one).name());
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
