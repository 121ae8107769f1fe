// How a commit ends: what it costs, and what its caller is told when nobody answers, or when the caller gives up.
// SPDX-License-Identifier: BSL-1.0
#include "bank.hpp"

#include <dynalease/dynamodb/expression.hpp>

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>

#include <catch2/catch.hpp>

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <variant>

using namespace dynalease;
using namespace dynalease::tests;

namespace {

transaction updates(bank& s, int count, run_options options) {
    const auto book = bank::table_of(s.a);
    auto tx = bank::transactions_of(s.a).begin(std::move(options));
    for (int i = 0; i < count; ++i) tx.update(book, "account-" + std::to_string(i), add("balance", 1));
    return tx;
}

void fill(bank& s, int count) {
    for (int i = 0; i < count; ++i) s.has("account-" + std::to_string(i), 0);
}

/// Nothing is answered from the n-th write of process a on, which itself is applied if `applies`.
void silent_from(bank& s, std::size_t write, bool applies) {
    auto left = std::make_shared<std::size_t>(write - 1);
    s.a.network->set_plan([left, applies](const any_request& request, const call_options&) -> testing::fault {
        if (!is_write(request)) return {};
        if (*left > 0) {
            --*left;
            return {};
        }
        return {.what = applies ? testing::fault::kind::lose_answer : testing::fault::kind::lose_request};
    });
}

struct told {
    std::optional<error_code> code{};
    diagnostics details{};
};

void start(transaction& tx, told& into, asio::cancellation_signal& signal) {
    tx.commit(into.details,
              asio::bind_cancellation_slot(signal.slot(), [&into](error_code code) { into.code = code; }));
}

}  // namespace

TEST_CASE("a commit of up to a hundred items is one request") {
    const int count = GENERATE(1, 2, 99, 100);
    bank s;
    fill(s, count);
    auto tx = updates(s, count, {});
    s.in_a([](bank&, transaction& open) -> asio::awaitable<void> { co_await open.commit(); }, tx);
    CHECK(s.requests(s.a) == 1);
    CHECK(s.requests(s.a, "TransactWriteItems") == 1);
}

TEST_CASE("a commit by inline undo is 2N + 3 writes, and one that is too large for one request goes that way") {
    const int count = GENERATE(1, 2, 10, 99, 100, 101, 250, 1000);
    bank s;
    fill(s, count);
    run_options options;
    if (count <= 100) options.tier = transaction_tier::inline_undo;
    auto tx = updates(s, count, options);
    s.in_a([](bank&, transaction& open) -> asio::awaitable<void> { co_await open.commit(); }, tx);
    s.where.scheduler.run_for(1s);
    CHECK(s.requests(s.a) == static_cast<std::size_t>(2 * count + 3));
    for (int i = 0; i < count; ++i) CHECK(s.balance("account-" + std::to_string(i)) == 1);
}

TEST_CASE("more items than a row can name are refused before anything is sent") {
    bank s;
    auto tx = updates(s, 14'001, {});
    s.in_a(
        [](bank&, transaction& open) -> asio::awaitable<void> {
            auto [code] = co_await open.commit(as_pair);
            CHECK(code == errc::too_many_items);
        },
        tx);
    CHECK(s.requests(s.a) == 0);
}

TEST_CASE("a tier that was asked for, and is too small, is refused before anything is sent") {
    bank s;
    fill(s, 101);
    auto tx = updates(s, 101, {.tier = transaction_tier::native});
    s.in_a(
        [](bank&, transaction& open) -> asio::awaitable<void> {
            auto [code] = co_await open.commit(as_pair);
            CHECK(code == errc::too_many_items);
        },
        tx);
    CHECK(s.requests(s.a) == 0);
}

TEST_CASE("a commit whose answer is lost is found to have happened") {
    const auto tier = GENERATE(transaction_tier::automatic, transaction_tier::inline_undo);
    const std::size_t write = GENERATE(1U, 2U, 3U, 4U, 5U);
    bank s;
    fill(s, 2);
    auto lost = std::make_shared<std::size_t>(write);
    s.a.network->set_plan([lost](const any_request& request, const call_options&) -> testing::fault {
        if (!is_write(request) || *lost == 0 || --*lost > 0) return {};
        return {.what = testing::fault::kind::lose_answer};
    });
    auto tx = updates(s, 2, {.tier = tier});
    s.in_a([](bank&, transaction& open) -> asio::awaitable<void> { co_await open.commit(); }, tx);
    CHECK(s.balance("account-0") == 1);
    CHECK(s.balance("account-1") == 1);
}

TEST_CASE("where nobody answers the end is told within the time, and never wrongly") {
    const auto tier = GENERATE(transaction_tier::automatic, transaction_tier::inline_undo);
    const std::size_t write = GENERATE(1U, 2U, 3U, 4U, 5U);
    const bool applies = GENERATE(true, false);
    CAPTURE(write, applies, static_cast<int>(tier));
    bank s;
    fill(s, 2);
    auto tx = updates(s, 2, {.within = 20s, .tier = tier});
    silent_from(s, write, applies);
    told end;
    asio::cancellation_signal none;
    start(tx, end, none);
    s.where.scheduler.run_for(32s);
    REQUIRE(end.code);
    if (!*end.code) {
        // Decided before the silence.
        CHECK(s.balance("account-0") == 1);
    } else {
        CHECK(*end.code == errc::in_doubt);
    }
    // It stops sending, too.
    s.where.scheduler.run_for(2min);
    s.a.network->clear_log();
    s.where.scheduler.run_for(10min);
    CHECK(s.requests(s.a) == 0);
}

TEST_CASE("what but reads is never in doubt: nothing can have happened") {
    const auto tier = GENERATE(transaction_tier::automatic, transaction_tier::inline_undo);
    const std::size_t write = GENERATE(1U, 2U, 3U, 4U);
    CAPTURE(write, static_cast<int>(tier));
    bank s;
    fill(s, 2);
    silent_from(s, write, true);
    s.in_a(
        [write](bank& in, transaction_tier how) -> asio::awaitable<void> {
            const auto book = bank::table_of(in.a);
            auto tx = bank::transactions_of(in.a).begin(run_options{.within = 20s, .tier = how});
            for (const auto* name : {"account-0", "account-1"}) {
                auto read = co_await tx.get(book, name);
                CHECK(read.has_value());
            }
            auto [code] = co_await tx.commit(as_pair);
            const bool in_time = write > 1 && !code;
            if (!in_time) CHECK(code == errc::timeout);
        },
        tier);
}

TEST_CASE("a commit that is rejected after a copy without an answer is told as in doubt, and may be carried on") {
    bank s;
    fill(s, 2);
    // Its credentials expire after the commit, whose answer is lost.
    auto writes = std::make_shared<int>(0);
    s.a.network->set_plan([writes](const any_request& request, const call_options&) -> testing::fault {
        if (is_write(request)) ++*writes;
        if (*writes < 4) return {};
        if (*writes == 4)
            return {.what = testing::fault::kind::apply_then_fail, .answer = failure(errc::timeout, outcome::unknown)};
        return {.what = testing::fault::kind::fail, .answer = failure(errc::expired_credentials)};
    });
    auto tx = updates(s, 2, {.id = "order", .tier = transaction_tier::inline_undo});
    s.in_a(
        [](bank&, transaction& open) -> asio::awaitable<void> {
            diagnostics details;
            auto [code] = co_await open.commit(details, as_pair);
            CHECK(code == errc::in_doubt);
            CHECK(details.message.find("expired") != std::string::npos);
            CHECK(details.advice.find("transactions::look") != std::string::npos);
        },
        tx);
    const auto look = [](bank& in) -> asio::awaitable<void> {
        const auto end = co_await bank::transactions_of(in.b).resume("order");
        CHECK(end == transaction_state::committed);
    };
    run(s.where, s.b, look(s), 60min);
    CHECK(s.balance("account-0") == 1);
    CHECK_FALSE(s.is_marked("account-0"));
}

TEST_CASE("a commit that is given up before its begin is answered never begins") {
    bank s;
    fill(s, 2);
    auto late = std::make_shared<std::optional<put_item_request>>();
    s.a.network->set_plan([late](const any_request& request, const call_options&) -> testing::fault {
        const auto* put = std::get_if<put_item_request>(&request);
        if (*late || !put) return {};
        *late = *put;
        return {.what = testing::fault::kind::fail, .after = 5ms, .answer = failure(errc::timeout, outcome::unknown)};
    });
    auto tx = updates(s, 2, {.id = "order", .tier = transaction_tier::inline_undo});
    told end;
    asio::cancellation_signal signal;
    start(tx, end, signal);
    s.where.scheduler.run_for(1ms);
    signal.emit(asio::cancellation_type::total);
    s.where.scheduler.run_for(1s);
    REQUIRE(end.code);
    CHECK(*end.code == errc::cancelled);
    REQUIRE(*late);
    CHECK_THROWS(s.where.apply(**late));
    const auto look = [](bank& in) -> asio::awaitable<void> {
        const auto state = co_await bank::transactions_of(in.b).resume("order");
        CHECK(state == transaction_state::rolled_back);
    };
    run(s.where, s.b, look(s), 60min);
    CHECK(s.balance("account-0") == 0);
}

TEST_CASE("a caller that gives up is told whether anything has happened") {
    const auto tier = GENERATE(transaction_tier::automatic, transaction_tier::inline_undo);
    const auto how = GENERATE(asio::cancellation_type::terminal, asio::cancellation_type::total);
    const auto after = GENERATE(0ms, 5ms, 15ms, 25ms, 35ms, 45ms);
    CAPTURE(after.count(), static_cast<int>(how), static_cast<int>(tier));
    bank s;
    fill(s, 2);
    // Each request takes 10 ms.
    s.a.network->set_plan(
        [](const any_request&, const call_options&) -> testing::fault { return {.before = 5ms, .after = 5ms}; });
    auto tx = updates(s, 2, {.tier = tier});
    told end;
    asio::cancellation_signal signal;
    start(tx, end, signal);
    s.where.scheduler.run_for(after);
    signal.emit(how);
    s.where.scheduler.run_for(1s);
    REQUIRE(end.code);
    const bool happened = s.balance("account-0") == 1;
    CHECK(happened == (s.balance("account-1") == 1));
    CHECK_FALSE(s.is_marked("account-0"));
    CHECK_FALSE(s.is_marked("account-1"));
    if (!*end.code) CHECK(happened);
    if (*end.code == errc::cancelled) CHECK_FALSE(happened);
    if (*end.code) CHECK((*end.code == errc::cancelled || *end.code == errc::in_doubt));
    if (how == asio::cancellation_type::total) CHECK(*end.code != errc::in_doubt);
}

TEST_CASE("a second commit of one id is told of it by its name") {
    bank s;
    fill(s, 1);
    for (const bool again : {false, true}) {
        auto tx = updates(s, 1, {.id = "order"});
        const auto commit = [again](bank&, transaction& open) -> asio::awaitable<void> {
            diagnostics details;
            auto [code] = co_await open.commit(details, as_pair);
            CHECK(code == (again ? errc::already_committed : error_code()));
            CHECK(details.key == (again ? "order" : ""));
        };
        s.in_a(commit, tx);
    }
    CHECK(s.balance("account-0") == 1);
}

TEST_CASE("what is put where there is nothing cannot be updated besides, and an update before that finds no item") {
    const bool reads = GENERATE(false, true);
    bank s;
    const auto commits = [reads](bank& in, bool puts_first) -> asio::awaitable<error_code> {
        const auto book = bank::table_of(in.a);
        auto tx = bank::transactions_of(in.a).begin();
        if (reads) co_await tx.get(book, "other");
        if (puts_first) tx.put(book, worth("new", 1));
        tx.update(book, "new", add("balance", 1));
        if (!puts_first) tx.put(book, worth("new", 1));
        auto [code] = co_await tx.commit(as_pair);
        co_return code;
    };
    s.in_a([&](bank& in) -> asio::awaitable<void> {
        const auto made = co_await commits(in, true);
        CHECK(made == errc::updated_blindly);
        const auto missed = co_await commits(in, false);
        CHECK(missed == errc::missing);
    });
    CHECK(s.requests(s.a) <= 4);
}

TEST_CASE("a commit after its time is not sent, and tells so") {
    bank s;
    fill(s, 1);
    auto tx = updates(s, 1, {.within = 100ms});
    s.where.scheduler.run_for(100ms);
    const auto before = s.requests(s.a);
    const auto commit = [](bank&, transaction& open) -> asio::awaitable<void> {
        diagnostics details;
        auto [code] = co_await open.commit(details, as_pair);
        CHECK(code == errc::timeout);
        CHECK(details.message.find("nothing was sent") != std::string::npos);
        auto [again] = co_await open.commit(details, as_pair);
        CHECK(again == errc::transaction_over);
        CHECK(details.message.find("its commit ended so") != std::string::npos);
        CHECK(details.key == open.id());
    };
    s.in_a(commit, tx);
    CHECK(s.requests(s.a) == before);
    CHECK(s.balance("account-0") == 0);
}

TEST_CASE("an id that no transaction can have is refused, and is not said to be unknown") {
    bank s;
    const std::string id = GENERATE("", "a/b", "\xff");
    s.in_a(
        [](bank& in, const std::string& of) -> asio::awaitable<void> {
            const auto all = bank::transactions_of(in.a);
            auto [looked, report] = co_await all.look(of, as_pair);
            CHECK(looked == errc::invalid_name);
            auto [resumed, end] = co_await all.resume(of, as_pair);
            CHECK(resumed == errc::invalid_name);
            auto [rolled, back] = co_await all.roll_back(of, as_pair);
            CHECK(rolled == errc::invalid_name);
        },
        id);
    CHECK(s.requests(s.a) == 0);
}
