// Every verb of every public class, each in all the ways in which its options may be left out.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <dynalease/dynalease.hpp>

#include <map>
#include <string>
#include <utility>
#include <vector>

// Of each, `visit(name, key, verb)`: what its diagnostics call it and what it is called on, empty where that is no one
// thing; `verb` passes its arguments on behind those of the verb.
namespace dynalease::tests {

template <class Visit>
void of_sessions(Visit visit, session& lease, database store) {
    visit("session.over", lease.options().owner,
          [&](auto&&... tail) { return lease.over(std::forward<decltype(tail)>(tail)...); });
    visit("session.close", lease.options().owner,
          [&](auto&&... tail) { return lease.close(std::forward<decltype(tail)>(tail)...); });
    visit("session.close", lease.options().owner,
          [&](auto&&... tail) { return lease.close({}, std::forward<decltype(tail)>(tail)...); });
    visit("create_table", "",
          [&](auto&&... tail) { return create_table(store, "t", std::forward<decltype(tail)>(tail)...); });
    visit("create_table", "",
          [&](auto&&... tail) { return create_table(store, "t", {}, std::forward<decltype(tail)>(tail)...); });
}

template <class Visit>
void of_locks(Visit visit, lock target, lock_guard& guard, database store) {
    const acquire_options options;
    const list_locks_options which;
    visit("lock.acquire", target.name(),
          [&](auto&&... tail) { return target.acquire(std::forward<decltype(tail)>(tail)...); });
    visit("lock.acquire", target.name(),
          [&](auto&&... tail) { return target.acquire(options, std::forward<decltype(tail)>(tail)...); });
    visit("lock.try_acquire", target.name(),
          [&](auto&&... tail) { return target.try_acquire(std::forward<decltype(tail)>(tail)...); });
    visit("lock.try_acquire", target.name(),
          [&](auto&&... tail) { return target.try_acquire(options, std::forward<decltype(tail)>(tail)...); });
    visit("lock.inspect", target.name(),
          [&](auto&&... tail) { return target.inspect(std::forward<decltype(tail)>(tail)...); });
    visit("lock_guard.release", guard.name(),
          [&](auto&&... tail) { return guard.release(std::forward<decltype(tail)>(tail)...); });
    visit("lock_guard.lost", guard.name(),
          [&](auto&&... tail) { return guard.lost(std::forward<decltype(tail)>(tail)...); });
    visit("list_locks", "",
          [&](auto&&... tail) { return list_locks(store, which, std::forward<decltype(tail)>(tail)...); });
    const revoke_session_options whose{.table = "coordination", .session = "nobody's", .by = "a test"};
    visit("revoke_session", whose.session,
          [&](auto&&... tail) { return revoke_session(store, whose, std::forward<decltype(tail)>(tail)...); });
}

template <class Visit>
void of_queues(Visit visit, queue target, queue_turn& turn, std::vector<queue> both) {
    const enter_options options;
    visit("queue.enter", target.name(),
          [&](auto&&... tail) { return target.enter(std::forward<decltype(tail)>(tail)...); });
    visit("queue.enter", target.name(),
          [&](auto&&... tail) { return target.enter(options, std::forward<decltype(tail)>(tail)...); });
    visit("queue.try_enter", target.name(),
          [&](auto&&... tail) { return target.try_enter(std::forward<decltype(tail)>(tail)...); });
    visit("queue.try_enter", target.name(),
          [&](auto&&... tail) { return target.try_enter(options, std::forward<decltype(tail)>(tail)...); });
    visit("queue.position", target.name(),
          [&](auto&&... tail) { return target.position(std::forward<decltype(tail)>(tail)...); });
    visit("queue.inspect", target.name(),
          [&](auto&&... tail) { return target.inspect(std::forward<decltype(tail)>(tail)...); });
    visit("queue_turn.leave", turn.name(),
          [&](auto&&... tail) { return turn.leave(std::forward<decltype(tail)>(tail)...); });
    visit("queue_turn.lost", turn.name(),
          [&](auto&&... tail) { return turn.lost(std::forward<decltype(tail)>(tail)...); });
    visit("enter_all", "", [&](auto&&... tail) { return enter_all(both, std::forward<decltype(tail)>(tail)...); });
    visit("enter_all", "",
          [&](auto&&... tail) { return enter_all(both, options, std::forward<decltype(tail)>(tail)...); });
}

/// @param parts what `commit_all` is to end, made anew for each call
template <class Visit, class Parts>
void of_item_locks(Visit visit, item_lock target, std::vector<item_demand> both, Parts parts) {
    const item_acquire_options options;
    visit("item_lock.acquire", target.name(),
          [&](auto&&... tail) { return target.acquire(std::forward<decltype(tail)>(tail)...); });
    visit("item_lock.acquire", target.name(),
          [&](auto&&... tail) { return target.acquire(options, std::forward<decltype(tail)>(tail)...); });
    visit("item_lock.acquire_shared", target.name(),
          [&](auto&&... tail) { return target.acquire_shared(std::forward<decltype(tail)>(tail)...); });
    visit("item_lock.acquire_shared", target.name(),
          [&](auto&&... tail) { return target.acquire_shared(options, std::forward<decltype(tail)>(tail)...); });
    visit("item_lock.try_acquire", target.name(),
          [&](auto&&... tail) { return target.try_acquire(std::forward<decltype(tail)>(tail)...); });
    visit("item_lock.try_acquire_shared", target.name(),
          [&](auto&&... tail) { return target.try_acquire_shared(std::forward<decltype(tail)>(tail)...); });
    visit("item_lock.inspect", target.name(),
          [&](auto&&... tail) { return target.inspect(std::forward<decltype(tail)>(tail)...); });
    visit("acquire_all", "", [&](auto&&... tail) { return acquire_all(both, std::forward<decltype(tail)>(tail)...); });
    visit("acquire_all", "",
          [&](auto&&... tail) { return acquire_all(both, {}, std::forward<decltype(tail)>(tail)...); });
    visit("commit_all", "", [&](auto&&... tail) { return commit_all(parts(), std::forward<decltype(tail)>(tail)...); });
}

template <class Visit>
void of_item_guards(Visit visit, item_guard& guard, update_expression change, condition_expression condition) {
    visit("item_guard.update", guard.name(),
          [&](auto&&... tail) { return guard.update(change, std::forward<decltype(tail)>(tail)...); });
    visit("item_guard.update", guard.name(),
          [&](auto&&... tail) { return guard.update(change, condition, std::forward<decltype(tail)>(tail)...); });
    visit("item_guard.update_and_release", guard.name(),
          [&](auto&&... tail) { return guard.update_and_release(change, std::forward<decltype(tail)>(tail)...); });
    visit("item_guard.update_and_release", guard.name(), [&](auto&&... tail) {
        return guard.update_and_release(change, condition, std::forward<decltype(tail)>(tail)...);
    });
    visit("item_guard.erase", guard.name(),
          [&](auto&&... tail) { return guard.erase(std::forward<decltype(tail)>(tail)...); });
    visit("item_guard.erase", guard.name(),
          [&](auto&&... tail) { return guard.erase(condition, std::forward<decltype(tail)>(tail)...); });
    visit("item_guard.downgrade", guard.name(),
          [&](auto&&... tail) { return guard.downgrade(std::forward<decltype(tail)>(tail)...); });
    visit("item_guard.release", guard.name(),
          [&](auto&&... tail) { return guard.release(std::forward<decltype(tail)>(tail)...); });
    visit("item_guard.lost", guard.name(),
          [&](auto&&... tail) { return guard.lost(std::forward<decltype(tail)>(tail)...); });
}

template <class Visit>
void of_wall_clock_locks(Visit visit, wall_clock_lock target, wall_clock_guard& guard, update_expression change) {
    const std::string name = guard ? target.name() : "";
    const item_acquire_options options;
    const condition_expression condition;
    visit("wall_clock_lock.acquire", target.name(),
          [&](auto&&... tail) { return target.acquire(std::forward<decltype(tail)>(tail)...); });
    visit("wall_clock_lock.acquire", target.name(),
          [&](auto&&... tail) { return target.acquire(options, std::forward<decltype(tail)>(tail)...); });
    visit("wall_clock_lock.try_acquire", target.name(),
          [&](auto&&... tail) { return target.try_acquire(std::forward<decltype(tail)>(tail)...); });
    visit("wall_clock_guard.update", name,
          [&](auto&&... tail) { return guard.update(change, std::forward<decltype(tail)>(tail)...); });
    visit("wall_clock_guard.update", name,
          [&](auto&&... tail) { return guard.update(change, condition, std::forward<decltype(tail)>(tail)...); });
    visit("wall_clock_guard.release", name,
          [&](auto&&... tail) { return guard.release(std::forward<decltype(tail)>(tail)...); });
}

template <class Visit>
void of_versioned_items(Visit visit, versioned<item> table, loaded<item> base, item_revision revision,
                        update_expression change) {
    const key_values key("k");
    const item value{{"id", "k"}};
    const auto function = [](const item& seen) { return seen; };
    visit("versioned.load", "k",
          [&](auto&&... tail) { return table.load(key, std::forward<decltype(tail)>(tail)...); });
    visit("versioned.load", "k",
          [&](auto&&... tail) { return table.load(key, {}, std::forward<decltype(tail)>(tail)...); });
    visit("versioned.exists", "k",
          [&](auto&&... tail) { return table.exists(key, std::forward<decltype(tail)>(tail)...); });
    visit("versioned.load_many", "",
          [&](auto&&... tail) { return table.load_many(std::vector{key}, std::forward<decltype(tail)>(tail)...); });
    visit("versioned.create", "k",
          [&](auto&&... tail) { return table.create(value, std::forward<decltype(tail)>(tail)...); });
    visit("versioned.save", "k",
          [&](auto&&... tail) { return table.save(base, std::forward<decltype(tail)>(tail)...); });
    visit("versioned.save", "k",
          [&](auto&&... tail) { return table.save(base, save_options{}, std::forward<decltype(tail)>(tail)...); });
    visit("versioned.save", "k",
          [&](auto&&... tail) { return table.save(revision, value, std::forward<decltype(tail)>(tail)...); });
    visit("versioned.save", "k",
          [&](auto&&... tail) { return table.replace(base, std::forward<decltype(tail)>(tail)...); });
    visit("versioned.touch", "k",
          [&](auto&&... tail) { return table.touch(base, std::forward<decltype(tail)>(tail)...); });
    visit("versioned.touch", "k",
          [&](auto&&... tail) { return table.touch(base, touch_options{}, std::forward<decltype(tail)>(tail)...); });
    visit("versioned.remove", "k",
          [&](auto&&... tail) { return table.remove(base, std::forward<decltype(tail)>(tail)...); });
    visit("versioned.update", "k",
          [&](auto&&... tail) { return table.update(key, function, std::forward<decltype(tail)>(tail)...); });
    visit("versioned.blind", "k",
          [&](auto&&... tail) { return table.blind(key, change, std::forward<decltype(tail)>(tail)...); });
    visit("versioned.clobber", "k",
          [&](auto&&... tail) { return table.clobber(value, std::forward<decltype(tail)>(tail)...); });
    visit("versioned.clobber_remove", "k",
          [&](auto&&... tail) { return table.clobber_remove(key, std::forward<decltype(tail)>(tail)...); });
    loaded_pages found{table, scan_request{}};
    visit("pages.next", "", [&](auto&&... tail) { return found.next(std::forward<decltype(tail)>(tail)...); });
    visit("pages.next", "",
          [&](auto&&... tail) { return found.next_with_misfits(std::forward<decltype(tail)>(tail)...); });
    fit_check check{table};
    visit("fit_check.run", "", [&](auto&&... tail) { return check.run(std::forward<decltype(tail)>(tail)...); });
}

template <class Visit>
void of_transactions(Visit visit, transactions all, versioned<item> table) {
    const key_values key("k");
    const std::string id = "order";
    visit("transactions.read", "k",
          [&](auto&&... tail) { return all.read(table, key, std::forward<decltype(tail)>(tail)...); });
    visit("transactions.read", "k", [&](auto&&... tail) {
        return all.read(table, key, isolation::committed, std::forward<decltype(tail)>(tail)...);
    });
    joint_reads both;
    both.add(table, key);
    visit("transactions.read_together", "",
          [&](auto&&... tail) { return all.read_together(both, std::forward<decltype(tail)>(tail)...); });
    visit("transactions.read_together", "",
          [&](auto&&... tail) { return all.read_together(table, {key}, std::forward<decltype(tail)>(tail)...); });
    visit("transactions.look", id, [&](auto&&... tail) { return all.look(id, std::forward<decltype(tail)>(tail)...); });
    visit("transactions.list", "", [&](auto&&... tail) { return all.list(std::forward<decltype(tail)>(tail)...); });
    visit("transactions.resume", id,
          [&](auto&&... tail) { return all.resume(id, std::forward<decltype(tail)>(tail)...); });
    visit("transactions.roll_back", id,
          [&](auto&&... tail) { return all.roll_back(id, std::forward<decltype(tail)>(tail)...); });
    visit("transactions.sweep", "", [&](auto&&... tail) { return all.sweep(std::forward<decltype(tail)>(tail)...); });
    visit("transactions.sweep", "",
          [&](auto&&... tail) { return all.sweep({}, std::forward<decltype(tail)>(tail)...); });
    visit("transaction.get", "k",
          [&](auto&&... tail) { return all.begin().get(table, key, std::forward<decltype(tail)>(tail)...); });
    visit("transaction.commit", "", [&](auto&&... tail) {
        auto open = all.begin();
        open.erase(table, key);
        return open.commit(std::forward<decltype(tail)>(tail)...);
    });
}

template <class Visit>
void of_writes_in_doubt(Visit visit, pending_write<item> write, pending_joint_write joint, database store) {
    visit("pending_write.resolve", "k",
          [&](auto&&... tail) { return write.resolve(std::forward<decltype(tail)>(tail)...); });
    visit("pending_write.close", "k",
          [&](auto&&... tail) { return write.close(std::forward<decltype(tail)>(tail)...); });
    visit("pending_joint_write.resolve", "",
          [&](auto&&... tail) { return joint.resolve(std::forward<decltype(tail)>(tail)...); });
    visit("save_all", "",
          [&](auto&&... tail) { return save_all(store, versioned_writes(), std::forward<decltype(tail)>(tail)...); });
}

template <class Visit>
void of_databases(Visit visit, database store, pages<scan_request> found) {
    const item_key key{{"id", "k"}};
    const get_item_request get{.table_name = "tills", .key = key};
    const std::map<std::string, std::vector<batch_write>> writes{{"tills", {batch_delete{key}}}};
    const std::map<std::string, keys_and_options> keys{{"tills", {.keys = {key}}}};
    visit("GetItem", "", [&](auto&&... tail) { return store.execute(get, std::forward<decltype(tail)>(tail)...); });
    visit("GetItem", "",
          [&](auto&&... tail) { return store.execute(get, call_options{}, std::forward<decltype(tail)>(tail)...); });
    visit("pages.next", "", [&](auto&&... tail) { return found.next(std::forward<decltype(tail)>(tail)...); });
    visit("batch_write_all", "",
          [&](auto&&... tail) { return batch_write_all(store, writes, std::forward<decltype(tail)>(tail)...); });
    visit("batch_get_all", "",
          [&](auto&&... tail) { return batch_get_all(store, keys, std::forward<decltype(tail)>(tail)...); });
}

}  // namespace dynalease::tests
