// An item of an application, a till with an amount of money in it, and steps of those who lock it.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "support/world.hpp"

#include <dynalease/dynamodb/expression.hpp>
#include <dynalease/item_lock.hpp>

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace dynalease::tests {

inline item_ref till(const char* which = "north") {
    return {"tills", {{"id", which}}};
}

/// A world with that item in it.
struct till_world : world {
    explicit till_world(std::uint64_t seed = 0) : world(seed) {
        create_table_request create{.table_name = "tills", .key = {.hash = {.name = "id"}, .range = {}}};
        apply(std::move(create));
        put({{"id", "north"}, {"amount", 0}, {"version", 7}});
    }
    void put(dynalease::item stored) { apply(put_item_request{.table_name = "tills", .new_item = std::move(stored)}); }
    dynalease::item stored(const char* which = "north") {
        return apply(get_item_request{.table_name = "tills", .key = till(which).key}).found.value_or(dynalease::item{});
    }
    std::int64_t amount(const char* which = "north") { return find_integer(stored(which), "amount").value_or(-1); }
    bool unlocked(const char* which = "north") {
        const auto now = stored(which);
        return !now.contains("_lockW") && !now.contains("_lockR") && !now.contains("_lockI");
    }
};

/// As if a copy of a claim that `by` gave up had landed; and another waits for it.
inline void haunt(till_world& w, const char* which, const node& by, const node& waits, bool as_reader) {
    auto haunted = w.stored(which);
    const auto ghost = std::string(by.session->id()) + ".999";
    if (as_reader) {
        haunted.emplace("_lockR", string_set{ghost});
    } else {
        haunted.emplace("_lockW", ghost + ".0000000000");
    }
    haunted.emplace("_lockI", std::string(waits.session->id()) + ".998");
    w.put(std::move(haunted));
}

/// A process whose session has no row.
inline std::unique_ptr<node> plain_node(world& where, std::uint64_t seed, plain_session_options options = {.lease = 6s},
                                        testing::virtual_clock_options clock = {}) {
    auto made = std::make_unique<node>(where, seed, clock);
    made->session.emplace(database(made->network), std::move(options));
    return made;
}

inline item_lock lock_in(node& in) {
    return item_lock{*in.session, till()};
}

/// What a process sends from now on does not arrive.
inline void cut_off(node& from) {
    from.network->set_plan(
        [](const any_request&, const call_options&) { return testing::fault{testing::fault::kind::lose_request}; });
}
inline void reconnect(node& again) {
    again.network->set_plan({});
}

inline asio::awaitable<void> take(item_lock target, item_guard& into, item_acquire_options options = {}) {
    into = co_await target.acquire(options);
}
inline asio::awaitable<void> share(item_lock target, item_guard& into, item_acquire_options options = {}) {
    into = co_await target.acquire_shared(options);
}
inline asio::awaitable<void> try_take(item_lock target, item_guard& into) {
    into = co_await target.try_acquire();
}
inline asio::awaitable<void> take_all(std::vector<item_demand> wanted, std::vector<item_guard>& into,
                                      acquire_all_options options = {}) {
    into = co_await acquire_all(std::move(wanted), options);
}
inline asio::awaitable<void> give_back(item_guard& guard) {
    co_await guard.release();
}
inline asio::awaitable<void> add_to(item_guard& guard, std::int64_t amount) {
    auto change = add("amount", amount);
    co_await guard.update(std::move(change));
}
inline asio::awaitable<void> add_and_release(item_guard& guard, std::int64_t amount) {
    auto change = add("amount", amount);
    co_await guard.update_and_release(std::move(change));
}
/// What the step threw.
inline asio::awaitable<void> code_of(asio::awaitable<void> step, error_code& code) {
    try {
        co_await std::move(step);
    } catch (const dynalease::error& e) {
        code = e.code();
    }
}

/// A process with a plain session that has the item.
struct plain_till : till_world {
    explicit plain_till(plain_session_options options = {.lease = 6s}) : a(plain_node(*this, 1, std::move(options))) {
        run(*this, *a, take(lock_in(*a), mine));
    }
    /// From when the item was taken.
    void run_until(std::chrono::nanoseconds time) { scheduler.run_until(taken_at + time); }

    std::unique_ptr<node> a;
    item_guard mine;
    const time_point taken_at = scheduler.now();
};

}  // namespace dynalease::tests
