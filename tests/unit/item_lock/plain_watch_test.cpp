// Holders without a row of their own: alive for as long as their text in the item changes.
// SPDX-License-Identifier: BSL-1.0
#include "item_lock/protocol/plain_watch.hpp"

#include <catch2/catch.hpp>

#include <string>

namespace dynalease::protocol::test {

namespace {

using namespace std::chrono_literals;

const std::string one = plain_identity("one", 6s);
const std::string two = plain_identity("two", 10s);

item_claimant writer(const std::string& session, std::int64_t step) {
    return {writer_text(session, 1, step), session, 1, step};
}
item_claimant reader(const std::string& session, std::int64_t attempt) {
    return {reader_text(session, attempt), session, attempt};
}
constexpr time_point start{1h};

}  // namespace

TEST_CASE("the identity of a plain session tells its lease, and other texts do not") {
    CHECK(plain_identity("abc", 30s) == "~abc~30000");
    CHECK(is_plain("~abc~30000"));
    CHECK_FALSE(is_plain("abc"));
    CHECK(plain_lease("~abc~30000") == 30s);
    for (const auto* odd : {"abc~30000", "~30000", "~abc~", "~abc~30s", "~abc~-5", "~abc~99999999999", "~"}) {
        INFO(odd);
        CHECK_FALSE(plain_lease(odd));
    }
}

TEST_CASE("a text that stands still for its whole lease is over, from after its first sight") {
    plain_watch watch;
    const auto held = writer(one, 3);
    CHECK(watch.judge(held, start) == holder_is::alive);
    watch.sight({.exists = true, .writer = held}, start);
    watch.sight({.exists = true, .writer = held}, start + 5s);
    CHECK(watch.judge(held, start + 6s - 1ns) == holder_is::alive);
    CHECK(watch.judge(held, start + 6s) == holder_is::over);
    CHECK(watch.next_end() == start + 6s);
}

TEST_CASE("any change of the text begins its lease anew, and another claimant's does not") {
    plain_watch watch;
    watch.sight({.exists = true, .writer = writer(one, 3)}, start);
    watch.sight({.exists = true, .writer = writer(one, 4)}, start + 5s);
    CHECK(watch.judge(writer(one, 4), start + 10s) == holder_is::alive);
    CHECK(watch.judge(writer(one, 3), start + 20s) == holder_is::alive);  // no longer there
    watch.sight({.exists = true, .writer = writer(one, 4), .intent = reader(two, 1)}, start + 6s);
    CHECK(watch.judge(writer(one, 4), start + 11s) == holder_is::over);
    CHECK(watch.judge(reader(two, 1), start + 11s) == holder_is::alive);
    CHECK(watch.judge(reader(two, 1), start + 16s) == holder_is::over);
}

TEST_CASE("of several the first to be over is waited for, those of unknown lease and with a row not at all") {
    plain_watch watch;
    CHECK_FALSE(watch.next_end());
    watch.sight({.exists = true, .readers = {reader(two, 1), reader(one, 2), reader("row", 3), reader("~odd", 4)}},
                start);
    CHECK(watch.next_end() == start + 6s);
    CHECK(watch.judge(reader("~odd", 4), start + 1h) == holder_is::alive);
    CHECK(watch.judge(reader("row", 3), start + 1h) == holder_is::alive);
    watch.sight({.exists = true, .readers = {reader(two, 1)}}, start + 1s);
    CHECK(watch.next_end() == start + 10s);
    watch.sight({.exists = true}, start + 2s);
    CHECK_FALSE(watch.next_end());
}

}  // namespace dynalease::protocol::test
