// What an item and our claim say to do next: each case of the tables.
// SPDX-License-Identifier: BSL-1.0
#include "item_lock/protocol/item_lock_decisions.hpp"

#include <catch2/catch.hpp>

#include <map>
#include <optional>
#include <string>

namespace dynalease::protocol::test {

namespace {

using step = item_acquire_step;

item_claimant writer_of(const std::string& session, std::int64_t attempt, std::int64_t at_step = 0) {
    return {writer_text(session, attempt, at_step), session, attempt, at_step};
}
item_claimant reader_of(const std::string& session, std::int64_t attempt) {
    return {reader_text(session, attempt), session, attempt};
}

/// What one who wants an item goes by.
struct wish {
    item_lock_state sight{.exists = true, .floor = 10};
    item_access access = item_access::exclusive;
    bool waits = true;
    bool insists = false;
    std::size_t most_readers = 3;
    std::map<std::string, holder_is> known{};
    claim mine{7, 100};
    item_fate fate = item_fate::not_asked;

    item_acquire_decision decided() const {
        const std::function<holder_is(const item_claimant&)> judge = [&](const item_claimant& who) {
            const auto found = known.find(who.session);
            return found == known.end() ? holder_is::alive : found->second;
        };
        return decide_item_acquire({.sight = sight,
                                    .self = "me",
                                    .mine = mine,
                                    .access = access,
                                    .waits = waits,
                                    .insists = insists,
                                    .most_readers = most_readers,
                                    .judge = judge,
                                    .fate = fate});
    }
    step next() const { return decided().step; }
};

wish reading(wish made = {}) {
    made.access = item_access::shared;
    return made;
}

}  // namespace

TEST_CASE("who asks whether others live watches all who are in the way, and takes nothing once one of them lives") {
    wish asks{.waits = false, .fate = item_fate::unknown};
    CHECK(asks.next() == step::take);
    asks.sight.writer = writer_of("other", 3);
    CHECK(asks.next() == step::poll);
    asks.sight.intent = reader_of("third", 1);
    asks.known["third"] = holder_is::not_known;
    CHECK(asks.decided() == item_acquire_decision{step::look, {}, {"third"}});
    asks.known["third"] = holder_is::over;
    CHECK(asks.next() == step::poll);
    asks.known["other"] = holder_is::over;
    CHECK(asks.next() == step::take);
    asks.fate = item_fate::settled;
    CHECK(asks.next() == step::refuse);
    asks.sight = {.exists = true, .floor = 10};
    CHECK(asks.next() == step::refuse);
    asks.fate = item_fate::unknown;
    asks.sight.in_transaction = true;
    CHECK(asks.next() == step::refuse);
}

TEST_CASE("whoever came, went, or changed its text lives, but not who was over by then") {
    item_lock_state sight{.exists = true};
    sight.readers = {reader_of("one", 1), reader_of("two", 1), reader_of("me", 4)};
    const auto met = [&] { return in_the_way(sight, "me", item_access::exclusive, 3); };
    REQUIRE(met().size() == 2);
    item_inquiry asked({.since = {}, .access = item_access::exclusive, .most_readers = 3}, met());
    CHECK_FALSE(asked.acted(sight, met()));
    sight.readers.erase(sight.readers.begin());
    CHECK(asked.acted(sight, met()));
    asked.note_over(reader_of("one", 1));
    CHECK_FALSE(asked.acted(sight, met()));
    sight.readers.front() = reader_of("two", 2);
    CHECK(asked.acted(sight, met()));
    asked.note_over(reader_of("two", 1));
    CHECK(asked.acted(sight, met()));
}

TEST_CASE("readers are in a reader's way when there is no room beside them") {
    item_lock_state sight{.exists = true};
    sight.readers = {reader_of("one", 1), reader_of("two", 1)};
    CHECK(in_the_way(sight, "me", item_access::shared, 3).empty());
    CHECK(in_the_way(sight, "me", item_access::shared, 2).size() == 2);
    sight.readers.push_back(reader_of("me", 1));
    CHECK(in_the_way(sight, "me", item_access::shared, 3).empty());
}

TEST_CASE("a free item is taken, and one that is not there is missing") {
    CHECK(wish{}.decided() == item_acquire_decision{step::take});
    CHECK(reading().decided().form.access == item_access::shared);
    wish none;
    none.sight = {};
    CHECK(none.next() == step::missing);
}

TEST_CASE("an item that names the open claim is granted, if it grants what is wanted") {
    wish mine;
    mine.sight.writer = writer_of("me", 7);
    CHECK(mine.next() == step::granted);
    CHECK(reading(mine).next() != step::granted);
    wish read = reading();
    read.sight.readers = {reader_of("me", 7)};
    CHECK(read.next() == step::granted);
    // Even where the item would be missing otherwise: a tombstone of the application's.
    mine.sight.exists = false;
    CHECK(mine.next() == step::granted);
}

TEST_CASE("a claim at or below the floor can land no more") {
    wish late;
    late.sight.floor = 100;
    CHECK(late.next() == step::claim_closed);
    late.sight.floor = 99;
    CHECK(late.next() == step::take);
}

TEST_CASE("a transaction is waited for") {
    wish behind;
    behind.sight.in_transaction = true;
    CHECK(behind.next() == step::poll);
    behind.waits = false;
    CHECK(behind.next() == step::refuse);
}

TEST_CASE(
    "a writer is waited for while it lives, asked after while that is not known, and taken over when it is over") {
    for (const auto access : {item_access::exclusive, item_access::shared}) {
        wish behind;
        behind.access = access;
        behind.sight.writer = writer_of("other", 3, 5);
        CHECK(behind.next() == step::poll);
        behind.waits = false;
        CHECK(behind.next() == step::refuse);
        behind.waits = true;
        behind.known["other"] = holder_is::not_known;
        CHECK(behind.decided() == item_acquire_decision{step::look, {}, {"other"}});
        behind.known["other"] = holder_is::over;
        CHECK(behind.next() == step::take);
        CHECK(behind.decided().form.over_writer == "other.3.0000000005");
    }
}

TEST_CASE("a hold in a form that is not ours is never taken over") {
    wish behind;
    behind.sight.writer = item_claimant{.text = "some other library"};
    behind.known[""] = holder_is::over;
    CHECK(behind.next() == step::poll);
}

TEST_CASE("a writer of our own session that nobody here knows is a ghost, and taken over at once") {
    wish behind;
    behind.sight.writer = writer_of("me", 2);
    CHECK(behind.decided().form.over_writer == "me.2.0000000000");
}

TEST_CASE("whoever was passed over by writers too often leaves an intent behind them, once") {
    for (const auto access : {item_access::exclusive, item_access::shared}) {
        wish behind;
        behind.access = access;
        behind.insists = true;
        behind.sight.writer = writer_of("other", 3);
        CHECK(behind.decided() == item_acquire_decision{step::intend});
        behind.waits = false;
        CHECK(behind.next() == step::refuse);
        behind.waits = true;
        behind.sight.intent = reader_of("me", 7);
        CHECK(behind.next() == step::poll);
        behind.sight.intent = reader_of("third", 1);
        CHECK(behind.next() == step::poll);
        behind.known["third"] = holder_is::not_known;
        CHECK(behind.next() == step::poll);
        behind.known["third"] = holder_is::over;
        CHECK(behind.next() == step::intend);
        CHECK(behind.decided().form.intent == "third.1");
        behind.known["other"] = holder_is::over;
        CHECK(behind.next() == step::take);
    }
}

TEST_CASE("another's intent keeps all others out, and our own or a dead one's is replaced") {
    for (const auto access : {item_access::exclusive, item_access::shared}) {
        wish behind;
        behind.access = access;
        behind.sight.intent = reader_of("other", 3);
        CHECK(behind.next() == step::poll);
        behind.known["other"] = holder_is::not_known;
        CHECK(behind.next() == step::look);
        behind.known["other"] = holder_is::over;
        CHECK(behind.next() == step::take);
        CHECK(behind.decided().form.intent == "other.3");
        behind.sight.intent = reader_of("me", 2);
        CHECK(behind.decided().form.intent == "me.2");
    }
}

TEST_CASE("behind another's intent what is forgotten of ours is given back: that one waits for it") {
    wish behind;
    behind.sight.intent = reader_of("other", 3);
    behind.sight.readers = {reader_of("me", 2), reader_of("third", 4)};
    CHECK(behind.decided() == item_acquire_decision{step::reap, {}, {"me.2"}});
    behind.sight.readers.clear();
    behind.sight.writer = writer_of("me", 2);
    CHECK(behind.decided() == item_acquire_decision{step::free, {}, {}, 2});
}

TEST_CASE(
    "a writer behind readers leaves an intent, takes the dead ones away, and takes the item from none but those") {
    wish behind;
    behind.sight.readers = {reader_of("one", 1), reader_of("two", 2)};
    CHECK(behind.next() == step::intend);
    behind.waits = false;
    CHECK(behind.next() == step::refuse);
    behind.known = {{"one", holder_is::not_known}};
    CHECK(behind.decided() == item_acquire_decision{step::look, {}, {"one"}});
    behind.waits = true;
    behind.sight.intent = reader_of("me", 7);
    CHECK(behind.decided() == item_acquire_decision{step::look, {}, {"one"}});
    behind.known = {{"one", holder_is::over}};
    CHECK(behind.decided() == item_acquire_decision{step::reap, {}, {"one.1"}});
    behind.known = {};
    CHECK(behind.next() == step::poll);
    behind.known = {{"one", holder_is::over}, {"two", holder_is::over}};
    CHECK(behind.next() == step::take);
    CHECK(behind.decided().form.over_readers == std::vector<std::string>{"one.1", "two.2"});
}

TEST_CASE("readers join as long as there is room, and the dead make room") {
    wish joins = reading();
    joins.sight.readers = {reader_of("one", 1), reader_of("two", 2)};
    CHECK(joins.next() == step::take);
    joins.sight.readers.push_back(reader_of("three", 3));
    CHECK(joins.next() == step::poll);
    joins.known = {{"two", holder_is::not_known}};
    CHECK(joins.decided() == item_acquire_decision{step::look, {}, {"two"}});
    joins.known = {{"two", holder_is::over}, {"three", holder_is::over}};
    CHECK(joins.decided() == item_acquire_decision{step::reap, {}, {"two.2", "three.3"}});
    // Copies of given-up claims of ours are no readers.
    joins.sight.readers = {reader_of("me", 2)};
    CHECK(joins.decided() == item_acquire_decision{step::reap, {}, {"me.2"}});
}

TEST_CASE("a claim that is given up is resolved, watched or forgotten, by what may be left of it") {
    const item_lock_state open{.exists = true, .floor = 10};
    const item_lock_state closed{.exists = true, .floor = 100};
    item_lock_state held = open;
    held.readers = {reader_of("me", 7)};
    item_lock_state intended = closed;
    intended.intent = reader_of("me", 6);
    const auto next = [](const item_lock_state& sight, bool sent, bool unanswered, bool intends) {
        return decide_item_give_up({.sight = sight,
                                    .self = "me",
                                    .mine = {7, 100},
                                    .sent = sent,
                                    .unanswered = unanswered,
                                    .intended = intends});
    };
    CHECK(next(open, false, false, false) == give_up_step::done);
    CHECK(next(held, true, false, false) == give_up_step::resolve);
    CHECK(next(intended, true, false, true) == give_up_step::resolve);
    CHECK(next(open, true, true, false) == give_up_step::resolve);
    CHECK(next(closed, true, true, false) == give_up_step::audit);
    CHECK(next(open, true, false, true) == give_up_step::resolve);
    CHECK(next(closed, true, false, true) == give_up_step::done);
    CHECK(next(open, true, false, false) == give_up_step::audit);
    CHECK(next(closed, true, false, false) == give_up_step::done);
}

TEST_CASE("a claim is resolved from what stands there: the grant, the intent, then the claim itself") {
    item_lock_state sight{.exists = true, .floor = 10};
    const auto next = [&](bool closed) { return decide_item_resolve(sight, "me", {7, 100}, closed); };
    CHECK(next(false) == item_resolve_step::close);
    CHECK(next(true) == item_resolve_step::done);
    sight.floor = 100;
    CHECK(next(false) == item_resolve_step::done);
    sight.intent = reader_of("me", 6);
    CHECK(next(false) == item_resolve_step::leave_closed);
    sight.floor = 10;
    CHECK(next(false) == item_resolve_step::leave);
    CHECK(next(true) == item_resolve_step::leave_closed);
    sight.writer = writer_of("me", 7);
    CHECK(next(true) == item_resolve_step::release);
    CHECK(decide_item_resolve({}, "me", {7, 100}, false) == item_resolve_step::done);
}

TEST_CASE("a refused guarded write was applied, found its condition false, or lost the item") {
    const item_stamp life{std::byte{1}};
    item_grant held{.id = {7, 100}, .step = 4, .born = life};
    item_lock_state sight{.exists = true, .writer = writer_of("me", 7, 5), .born = life};
    CHECK(decide_guarded(sight, "me", held) == guarded_step::applied);
    sight.writer = writer_of("me", 7, 4);
    CHECK(decide_guarded(sight, "me", held) == guarded_step::condition_false);
    for (const auto other : {3, 6}) {
        sight.writer = writer_of("me", 7, other);
        CHECK(decide_guarded(sight, "me", held) == guarded_step::lost);
    }
    for (const auto& other : {writer_of("me", 8, 5), writer_of("other", 7, 5)}) {
        sight.writer = other;
        CHECK(decide_guarded(sight, "me", held) == guarded_step::lost);
    }
    sight.writer = writer_of("me", 7, 5);
    sight.born = item_stamp{std::byte{2}};
    CHECK(decide_guarded(sight, "me", held) == guarded_step::lost);
    held.born.reset();
    CHECK(decide_guarded(sight, "me", held) == guarded_step::applied);
    CHECK(decide_guarded({}, "me", held) == guarded_step::lost);
}

TEST_CASE("a refused hand-over has landed, has lost the item, must be claimed anew, or is sent again") {
    const item_grant from{.id = {7, 100}, .step = 4};
    const claim to{8, 200};
    item_lock_state sight{.exists = true, .writer = writer_of("me", 8), .floor = 200};
    CHECK(decide_item_hand_over(sight, "me", from, to) == hand_over_step::handed);
    sight = {.exists = true, .writer = writer_of("me", 7, 5), .floor = 100};
    CHECK(decide_item_hand_over(sight, "me", from, to) == hand_over_step::again);
    sight.floor = 200;
    CHECK(decide_item_hand_over(sight, "me", from, to) == hand_over_step::claim_closed);
    sight.writer = writer_of("other", 7);
    CHECK(decide_item_hand_over(sight, "me", from, to) == hand_over_step::lost);
}

}  // namespace dynalease::protocol::test
