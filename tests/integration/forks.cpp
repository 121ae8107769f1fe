// Workers that are forked from a process with a client: each has a life of its own.
// SPDX-License-Identifier: BSL-1.0
#include "forked.hpp"

#include <cstdint>
#include <cstring>
#include <exception>
#include <string>
#include <utility>

using namespace dynalease;
using namespace dynalease::tests;
using namespace std::chrono_literals;

namespace {

asio::awaitable<void> take_lock(client& shared, finding& found) {
    session_options options{.table = "coordination"};
    session mine{shared, options};
    lock x{mine, "x"};
    auto guard = co_await x.try_acquire();
    std::strncpy(found.session.data(), mine.id().c_str(), found.session.size() - 1);
    found.holds = static_cast<bool>(guard);
    found.valid = guard.held();
    // The worker ends by _exit, which gives nothing back.
    static lock_guard kept = std::move(guard);
    static session alive = std::move(mine);
}

asio::awaitable<void> take_turn(client& shared, finding& found) {
    session_options options{.table = "coordination"};
    session mine{shared, options};
    queue_options plain;
    queue line{mine, "x", plain};
    auto turn = co_await line.try_enter();
    std::strncpy(found.session.data(), mine.id().c_str(), found.session.size() - 1);
    found.holds = static_cast<bool>(turn);
    found.valid = turn.held();
    static queue_turn kept = std::move(turn);
    static session alive = std::move(mine);
}

constexpr int increments = 20;

/// Reads and writes one account again and again, by transactions of a handle that the parent could have made.
asio::awaitable<void> count_up(client& shared, finding& found) {
    const transactions all{shared};
    const versioned_items accounts{shared, {.table = "accounts", .key = "id"}};
    for (int i = 0; i < increments; ++i) {
        const auto body = [&](transaction& tx) -> asio::awaitable<void> {
            std::strncpy(found.session.data(), tx.id().c_str(), found.session.size() - 1);
            auto seen = co_await tx.get(accounts, "ann");
            const auto before = seen ? find_integer(*seen, "balance").value_or(0) : 0;
            tx.put(accounts, {{"id", "ann"}, {"balance", before + 1}});
        };
        const run_options options{.attempts = 100, .within = 60s, .tier = transaction_tier::inline_undo};
        co_await all.run(body, options);
    }
    found.valid = true;
}

}  // namespace

TEST_CASE("of workers forked after the client was made one holds at a time") {
    const auto what = GENERATE(as<work>(), &take_lock, &take_turn);
    served at;
    asio::io_context context{1};
    client shared{context.get_executor(), options_for(at.server)};
    {
        worker a(context, shared, what);
        worker b(context, shared, what);
        const served::open answering(at);
        const auto first = a.go();
        const auto second = b.go();
        CHECK(first.holds);
        CHECK(first.valid);
        CHECK_FALSE(second.holds);
        CHECK_FALSE(second.valid);
        CHECK(std::string(first.session.data()) != std::string(second.session.data()));
        CHECK_FALSE(std::string(second.session.data()).empty());
    }
}

TEST_CASE("transactions of forked workers are others' to each other, and lose no update") {
    served at;
    asio::io_context context{1};
    client shared{context.get_executor(), options_for(at.server)};
    std::int64_t balance = 0;
    {
        worker a(context, shared, &count_up);
        worker b(context, shared, &count_up);
        const served::open answering(at);
        a.begin();
        b.begin();
        const auto one = a.end();
        const auto other = b.end();
        CHECK(one.valid);
        CHECK(other.valid);
        CHECK(std::string(one.session.data()) != std::string(other.session.data()));
    }
    at.serve_while(context, read_balance(shared, balance));
    CHECK(balance == 2 * increments);
}
