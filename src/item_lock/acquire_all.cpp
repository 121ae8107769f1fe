// Locking several items at once.
// SPDX-License-Identifier: BSL-1.0
#include <dynalease/item_lock/acquire_all.hpp>

#include "database/called_verb.hpp"
#include "item_lock/joint_claim.hpp"
#include "runtime/cancellation.hpp"
#include "runtime/spawn.hpp"
#include "session/asking.hpp"
#include "session/callers.hpp"
#include "session/holder_words.hpp"
#include "session/session_lives.hpp"
#include "session/wait_limit.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/deferred.hpp>
#include <boost/asio/system_executor.hpp>

#include <algorithm>
#include <string>
#include <tuple>
#include <utility>

namespace dynalease {

namespace detail {

namespace {

using protocol::item_access;
using item_guards = std::vector<item_guard>;

struct demanded_item {
    in_lives<item_target> lock;
    item_access access;
};
using demands = std::vector<demanded_item>;

/// In one life of the session.
struct items_order {
    std::shared_ptr<session_impl> core;
    std::vector<wanted_item> wanted;
    bool one_by_one;
    wait_limit limit;
};

std::optional<failure> fault_among_items(const demands& wanted) {
    std::vector<const demanded_item*> sorted;
    for (const auto& each : wanted) sorted.push_back(&each);
    const auto identity_of = [](const auto* each) -> const std::string& { return each->lock.made.front->identity(); };
    std::ranges::stable_sort(sorted, {}, identity_of);
    const auto twice = std::ranges::adjacent_find(sorted, {}, identity_of);
    const auto& session = wanted.front().lock.lives;
    const auto stranger = std::ranges::find_if(sorted, [&](const auto* each) { return each->lock.lives != session; });
    if (twice == sorted.end() && stranger == sorted.end()) return std::nullopt;
    const bool strange = stranger != sorted.end();
    const auto at_fault = strange ? stranger : twice;
    const auto entry = [&](const demanded_item* each) { return std::to_string(each - wanted.data()); };
    failure why(strange ? errc::invalid_option : errc::duplicate_item);
    why.details.key = (*at_fault)->lock.made.front->name();
    why.details.message = strange ? "entry " + entry(*at_fault) + " belongs to another session than entry 0"
                                  : "entries " + entry(*at_fault) + " and " + entry(*(at_fault + 1)) + " are one item";
    return why;
}

std::optional<failure> fault_of_joint_wait(const acquire_all_options& options) {
    if (options.wait != until_known) return std::nullopt;
    failure why(errc::invalid_option);
    why.details.message = "until_known is a time to wait for one item, not for several at once";
    return why;
}

boost::asio::awaitable<joint_served> acquire_together(items_order order) {
    auto& core = *order.core;
    joint_served out;
    const auto claim = std::make_shared<joint_claim>(order.core, std::move(order.wanted), order.limit.once);
    if (!runtime::spawn_background(core.world().executor, core.members().running(), joint_claim::run(claim))) {
        out.why = std::make_shared<const failure>(core.over_failure());
        co_return out;
    }
    ++core.counters().waiting;
    error_code waited;
    auto got = co_await claim->served.async_wait_until(*core.world().clock, order.limit.deadline,
                                                       boost::asio::as_tuple(boost::asio::deferred));
    std::tie(waited, out) = std::move(got);
    --core.counters().waiting;
    if (waited) out.why = std::make_shared<const failure>(claim->given_up(waited));
    out.requests = claim->requests();
    co_return out;
}

/// Growing: nothing is given back before all is held, so that what was read and what is written fit together.
boost::asio::awaitable<joint_served> acquire_in_order(items_order order) {
    joint_served out;
    const auto names = names_of(order.wanted);
    out.granted.resize(names.size());
    for (const auto i : protocol::acquiring_order(names)) {
        const auto& front = order.wanted[i].front;
        const item_target target{order.core, front};
        auto got = co_await acquire_in_life(target, order.wanted[i].access, order.limit);
        out.requests += got.requests;
        if (got.why || !got.guard) {
            auto why = with_last_seen(got.why ? *got.why : front->others_have_it(), front->in_the_way());
            out.why = std::make_shared<const failure>(of_item(order.wanted[i], std::move(why)));
            break;
        }
        out.granted[i] = std::move(got.guard);
    }
    const bool all_valid = std::ranges::all_of(out.granted, [](const auto& guard) { return guard.held(); });
    if (!out.why && !all_valid) {
        auto lost = order.core->status().valid() ? failure(errc::lock_lost) : order.core->over_failure();
        out.why = std::make_shared<const failure>(std::move(lost));
    }
    co_return out;
}

boost::asio::awaitable<joint_served> acquire_all_in_life(items_order order) {
    auto session = co_await order.core->opening().until_live(order.limit);
    if (session.why) co_return not_asked<joint_served>(std::move(session));
    joint_served out{.one_by_one = true};
    const bool cancelled = co_await runtime::cancellation_requested();
    if (cancelled) {
        out.why = std::make_shared<const failure>(errc::cancelled);
        out.requests = session.requests;
        out.asked = true;
        co_return out;
    }
    if (!order.one_by_one && order.wanted.size() <= protocol::items_at_once) {
        auto copy = order;
        out = co_await acquire_together(std::move(copy));
    }
    if (!out.why && out.one_by_one) {
        const auto together = out.requests;
        out = co_await acquire_in_order(std::move(order));
        out.requests += together;
    }
    out.requests += session.requests;
    out.asked = true;
    co_return out;
}

boost::asio::awaitable<runtime::completion<item_guards>> run_acquire_all(demands wanted, acquire_all_options options,
                                                                         asked_by by) {
    runtime::completion<item_guards> done;
    auto fault = fault_among_items(wanted);
    if (!fault) fault = fault_of_joint_wait(options);
    if (fault) {
        done.code = report(*fault, by.details);
        co_return done;
    }
    const auto lives = wanted.front().lock.lives;
    const auto limit = limit_of(lives->world().clock->now(), options.wait);
    std::vector<wanted_item> seen;  // in the last life that saw who has one of them
    std::vector<wanted_item> present;
    auto ask = [&](const std::shared_ptr<session_impl>& life) {
        if (has_holder(present)) seen = present;
        present.clear();
        for (const auto& each : wanted) {
            present.push_back({in_life(each.lock, life).front, each.access});
            present.back().forget();
        }
        items_order order{.core = life, .wanted = present, .one_by_one = options.one_by_one, .limit = limit};
        return acquire_all_in_life(std::move(order));
    };
    auto out = co_await ask_in_lives<joint_served>(lives, limit, ask);
    by.note_requests(out.requests);
    if (out.why) {
        // What is held of them is given back in the background.
        done.code = report(out.asked ? *out.why : with_holder(seen, *out.why), by.details);
    } else {
        done.value = std::move(out.granted);
    }
    co_return done;
}

}  // namespace

boost::asio::any_io_executor executor_of(const std::vector<item_demand>& wanted) {
    if (wanted.empty()) return boost::asio::system_executor();  // where nothing runs
    return wanted.front().lock.get_executor();
}

void acquire_all_verb::operator()(diagnostics* details, handler_for<std::vector<item_guard>> handler) && {
    if (wanted.empty()) {
        failure none(errc::invalid_option);
        none.details.message = "there is no item to lock";
        return answer_at_once<item_guards>({details, "acquire_all"}, none, std::move(handler));
    }
    demands all;
    for (auto& each : wanted) {
        all.push_back({std::move(each.lock.target_), each.shared ? item_access::shared : item_access::exclusive});
    }
    const auto& lives = all.front().lock.lives;
    const auto executor = lives->world().executor;
    asking<item_hold> asks(lives, {details, "acquire_all"});
    for (const auto& [lock, access] : all) {
        const auto& front = *lock.made.front;
        asks.expect(lock.hooks, front.name(), front.item().layout.table);
    }
    start_asking<item_guards>(
        executor, std::move(asks), [&](asked_by by) { return run_acquire_all(std::move(all), options, std::move(by)); },
        std::move(handler));
}

}  // namespace detail

boost::asio::awaitable<std::vector<item_guard>> acquire_all(std::vector<item_demand> wanted,
                                                            acquire_all_options options) {
    auto where = detail::executor_of(wanted);
    return detail::await_verb<std::vector<item_guard>>(where, detail::acquire_all_verb{std::move(wanted), options});
}

}  // namespace dynalease
