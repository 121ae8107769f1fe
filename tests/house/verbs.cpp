// Every verb ends as its caller likes: with nothing, with a completion token, or with diagnostics and a token; and where
// all its options have defaults, they may be left out in each of these. It is compiled, and never runs.
// SPDX-License-Identifier: BSL-1.0
#include <dynalease/dynalease.hpp>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/deferred.hpp>
#include <boost/asio/use_future.hpp>

#include <utility>

namespace dynalease {

namespace asio = boost::asio;

struct any_handler {
    template <class... Results>
    void operator()(Results&&...) const {}
};

/// @param verb passes its arguments on behind those of a verb.
template <class Verb>
void ends_as_callers_like(Verb verb) {
    diagnostics details;
    static_cast<void>(verb());
    verb(any_handler{});
    verb(details, any_handler{});
    static_cast<void>(verb(asio::deferred));
    static_cast<void>(verb(details, asio::deferred));
    static_cast<void>(verb(details, asio::as_tuple(asio::deferred)));
    static_cast<void>(verb(asio::use_future));
}

void of_sessions(session& lease, database store) {
    ends_as_callers_like([&](auto&&... tail) { return lease.over(std::forward<decltype(tail)>(tail)...); });
    ends_as_callers_like([&](auto&&... tail) { return lease.close(std::forward<decltype(tail)>(tail)...); });
    ends_as_callers_like([&](auto&&... tail) { return lease.close({}, std::forward<decltype(tail)>(tail)...); });
    ends_as_callers_like([&](auto&&... tail) { return create_table(store, "t", std::forward<decltype(tail)>(tail)...); });
    ends_as_callers_like(
        [&](auto&&... tail) { return create_table(store, "t", {}, std::forward<decltype(tail)>(tail)...); });
}

void of_locks(lock target, lock_guard& guard, database store) {
    const acquire_options options;
    const list_locks_options which;
    ends_as_callers_like([&](auto&&... tail) { return target.acquire(std::forward<decltype(tail)>(tail)...); });
    ends_as_callers_like([&](auto&&... tail) { return target.acquire(options, std::forward<decltype(tail)>(tail)...); });
    ends_as_callers_like([&](auto&&... tail) { return target.try_acquire(std::forward<decltype(tail)>(tail)...); });
    ends_as_callers_like(
        [&](auto&&... tail) { return target.try_acquire(options, std::forward<decltype(tail)>(tail)...); });
    ends_as_callers_like([&](auto&&... tail) { return target.inspect(std::forward<decltype(tail)>(tail)...); });
    ends_as_callers_like([&](auto&&... tail) { return guard.release(std::forward<decltype(tail)>(tail)...); });
    ends_as_callers_like([&](auto&&... tail) { return guard.lost(std::forward<decltype(tail)>(tail)...); });
    ends_as_callers_like([&](auto&&... tail) { return list_locks(store, which, std::forward<decltype(tail)>(tail)...); });
}

void of_queues(queue target, queue_turn& turn, std::vector<queue> both) {
    const enter_options options;
    ends_as_callers_like([&](auto&&... tail) { return target.enter(std::forward<decltype(tail)>(tail)...); });
    ends_as_callers_like([&](auto&&... tail) { return target.enter(options, std::forward<decltype(tail)>(tail)...); });
    ends_as_callers_like([&](auto&&... tail) { return target.try_enter(std::forward<decltype(tail)>(tail)...); });
    ends_as_callers_like([&](auto&&... tail) { return target.try_enter(options, std::forward<decltype(tail)>(tail)...); });
    ends_as_callers_like([&](auto&&... tail) { return target.position(std::forward<decltype(tail)>(tail)...); });
    ends_as_callers_like([&](auto&&... tail) { return target.inspect(std::forward<decltype(tail)>(tail)...); });
    ends_as_callers_like([&](auto&&... tail) { return turn.leave(std::forward<decltype(tail)>(tail)...); });
    ends_as_callers_like([&](auto&&... tail) { return turn.lost(std::forward<decltype(tail)>(tail)...); });
    ends_as_callers_like([&](auto&&... tail) { return enter_all(both, std::forward<decltype(tail)>(tail)...); });
    ends_as_callers_like([&](auto&&... tail) { return enter_all(both, options, std::forward<decltype(tail)>(tail)...); });
}

void of_item_locks(item_lock target, std::vector<item_demand> both) {
    const item_acquire_options options;
    ends_as_callers_like([&](auto&&... tail) { return target.acquire(std::forward<decltype(tail)>(tail)...); });
    ends_as_callers_like([&](auto&&... tail) { return target.acquire(options, std::forward<decltype(tail)>(tail)...); });
    ends_as_callers_like([&](auto&&... tail) { return target.acquire_shared(std::forward<decltype(tail)>(tail)...); });
    ends_as_callers_like(
        [&](auto&&... tail) { return target.acquire_shared(options, std::forward<decltype(tail)>(tail)...); });
    ends_as_callers_like([&](auto&&... tail) { return target.try_acquire(std::forward<decltype(tail)>(tail)...); });
    ends_as_callers_like([&](auto&&... tail) { return target.try_acquire_shared(std::forward<decltype(tail)>(tail)...); });
    ends_as_callers_like([&](auto&&... tail) { return acquire_all(both, std::forward<decltype(tail)>(tail)...); });
    ends_as_callers_like([&](auto&&... tail) { return acquire_all(both, {}, std::forward<decltype(tail)>(tail)...); });
    ends_as_callers_like(
        [&](auto&&... tail) { return commit_all(std::vector<item_commit>(), std::forward<decltype(tail)>(tail)...); });
}

void of_item_guards(item_guard& guard, update_expression change, condition_expression condition) {
    ends_as_callers_like([&](auto&&... tail) { return guard.update(change, std::forward<decltype(tail)>(tail)...); });
    ends_as_callers_like(
        [&](auto&&... tail) { return guard.update(change, condition, std::forward<decltype(tail)>(tail)...); });
    ends_as_callers_like(
        [&](auto&&... tail) { return guard.update_and_release(change, std::forward<decltype(tail)>(tail)...); });
    ends_as_callers_like([&](auto&&... tail) {
        return guard.update_and_release(change, condition, std::forward<decltype(tail)>(tail)...);
    });
    ends_as_callers_like([&](auto&&... tail) { return guard.erase(std::forward<decltype(tail)>(tail)...); });
    ends_as_callers_like([&](auto&&... tail) { return guard.erase(condition, std::forward<decltype(tail)>(tail)...); });
    ends_as_callers_like([&](auto&&... tail) { return guard.downgrade(std::forward<decltype(tail)>(tail)...); });
    ends_as_callers_like([&](auto&&... tail) { return guard.release(std::forward<decltype(tail)>(tail)...); });
    ends_as_callers_like([&](auto&&... tail) { return guard.lost(std::forward<decltype(tail)>(tail)...); });
}

void of_wall_clock_locks(wall_clock_lock target, wall_clock_guard& guard, update_expression change) {
    const item_acquire_options options;
    const condition_expression condition;
    ends_as_callers_like([&](auto&&... tail) { return target.acquire(std::forward<decltype(tail)>(tail)...); });
    ends_as_callers_like([&](auto&&... tail) { return target.acquire(options, std::forward<decltype(tail)>(tail)...); });
    ends_as_callers_like([&](auto&&... tail) { return target.try_acquire(std::forward<decltype(tail)>(tail)...); });
    ends_as_callers_like([&](auto&&... tail) { return guard.update(change, std::forward<decltype(tail)>(tail)...); });
    ends_as_callers_like(
        [&](auto&&... tail) { return guard.update(change, condition, std::forward<decltype(tail)>(tail)...); });
    ends_as_callers_like([&](auto&&... tail) { return guard.release(std::forward<decltype(tail)>(tail)...); });
}

void of_versioned_items(versioned<item> table, loaded<item> base, item_revision revision, update_expression change) {
    const key_values key("k");
    const item value;
    const auto function = [](const item& seen) { return seen; };
    ends_as_callers_like([&](auto&&... tail) { return table.load(key, std::forward<decltype(tail)>(tail)...); });
    ends_as_callers_like([&](auto&&... tail) { return table.load(key, {}, std::forward<decltype(tail)>(tail)...); });
    ends_as_callers_like([&](auto&&... tail) {
        return table.load_many(std::vector<key_values>{}, std::forward<decltype(tail)>(tail)...);
    });
    ends_as_callers_like([&](auto&&... tail) { return table.create(value, std::forward<decltype(tail)>(tail)...); });
    ends_as_callers_like([&](auto&&... tail) { return table.save(base, std::forward<decltype(tail)>(tail)...); });
    ends_as_callers_like(
        [&](auto&&... tail) { return table.save(base, save_options{}, std::forward<decltype(tail)>(tail)...); });
    ends_as_callers_like(
        [&](auto&&... tail) { return table.save(revision, value, std::forward<decltype(tail)>(tail)...); });
    ends_as_callers_like([&](auto&&... tail) { return table.replace(base, std::forward<decltype(tail)>(tail)...); });
    ends_as_callers_like([&](auto&&... tail) { return table.touch(base, std::forward<decltype(tail)>(tail)...); });
    ends_as_callers_like([&](auto&&... tail) { return table.remove(base, std::forward<decltype(tail)>(tail)...); });
    ends_as_callers_like(
        [&](auto&&... tail) { return table.update(key, function, std::forward<decltype(tail)>(tail)...); });
    ends_as_callers_like([&](auto&&... tail) { return table.blind(key, change, std::forward<decltype(tail)>(tail)...); });
    ends_as_callers_like([&](auto&&... tail) { return table.clobber(value, std::forward<decltype(tail)>(tail)...); });
    ends_as_callers_like([&](auto&&... tail) { return table.clobber_remove(key, std::forward<decltype(tail)>(tail)...); });
}

void of_writes_in_doubt(pending_write<item> write, pending_joint_write joint, database store) {
    ends_as_callers_like([&](auto&&... tail) { return write.resolve(std::forward<decltype(tail)>(tail)...); });
    ends_as_callers_like([&](auto&&... tail) { return write.close(std::forward<decltype(tail)>(tail)...); });
    ends_as_callers_like([&](auto&&... tail) { return joint.resolve(std::forward<decltype(tail)>(tail)...); });
    ends_as_callers_like(
        [&](auto&&... tail) { return save_all(store, versioned_writes(), std::forward<decltype(tail)>(tail)...); });
}

void of_databases(database store, pages<scan_request> found) {
    const get_item_request get;
    const std::map<std::string, std::vector<batch_write>> writes;
    const std::map<std::string, keys_and_options> keys;
    ends_as_callers_like([&](auto&&... tail) { return store.execute(get, std::forward<decltype(tail)>(tail)...); });
    ends_as_callers_like(
        [&](auto&&... tail) { return store.execute(get, call_options{}, std::forward<decltype(tail)>(tail)...); });
    ends_as_callers_like([&](auto&&... tail) { return found.next(std::forward<decltype(tail)>(tail)...); });
    ends_as_callers_like(
        [&](auto&&... tail) { return batch_write_all(store, writes, std::forward<decltype(tail)>(tail)...); });
    ends_as_callers_like([&](auto&&... tail) { return batch_get_all(store, keys, std::forward<decltype(tail)>(tail)...); });
}

}  // namespace dynalease
