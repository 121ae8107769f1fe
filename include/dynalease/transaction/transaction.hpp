// One transaction, while its body runs: what it reads, and what it is going to write.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <dynalease/transaction/transaction_operations.hpp>
#include <dynalease/versioned/versioned.hpp>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>

#include <concepts>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#pragma GCC visibility push(default)
namespace dynalease {

/// What can stand for being in force at the commit: a lock's guard, a queue's turn.
template <class Guard>
concept fenced = requires(const Guard& guard) {
    { guard.fence() } -> std::same_as<condition_check>;
};

/// Reads go to the table; writes are kept, and sent by the commit. So to give a transaction up is to let go of it.
///
/// What it has read, it depends on: the commit is refused with `errc::conflict` if any of it is not so any more. What
/// it reads twice, or has written, it remembers. Two items may be seen at two moments: the commit finds that out, the
/// body cannot. (`transactions::run` finds it out for a body that throws; by one's own hands, commit what was but
/// read.)
///
/// The tables are those of `versioned`; a commit raises an item's version once, and plain versioned writes and item
/// locks respect what a transaction holds, as it does what they hold. Tables without stamps, and those that leave
/// tombstones, take no part: `errc::invalid_option`.
///
/// Thread safety: none; its verbs complete on the caller's executor, as all others. Errors of every verb, thrown by
/// those that return nothing: `errc::transaction_over` after `commit` was called; `errc::bad_attribute`,
/// `reserved_name` and `item_too_large` as of versioned writes.
class transaction {
public:
    using executor_type = boost::asio::any_io_executor;

    explicit transaction(std::shared_ptr<detail::open_transaction> state) : state_(std::move(state)) {}
    transaction(transaction&&) noexcept = default;
    transaction& operator=(transaction&&) noexcept = default;
    ~transaction() = default;

    executor_type get_executor() const noexcept { return detail::executor_of(*state_); }
    /// The caller's, or the one that was drawn.
    const std::string& id() const noexcept { return detail::id_of(*state_); }

    /// The item of that key as it is committed now, or as this transaction has written it; empty if there is none.
    /// Waits for nobody. Errors: those of a read; `errc::updated_blindly`; `errc::conflict` for the later of two reads
    /// of it side by side that saw it otherwise. Cancellation: all types. Cost: 1 read, of an item that another
    /// transaction holds 2 or 3; none for what it knows.
    template <class T>
    boost::asio::awaitable<std::optional<T>> get(const versioned<T>& table, key_values key) {
        return await_get<T>(getting(table, key));
    }
    template <class T, class... Tail>
        requires verb_tail<std::optional<T>, Tail...>
    auto get(const versioned<T>& table, key_values key, Tail&&... tail) {
        using verb = detail::transaction_get_verb;
        using typed = detail::typed_verb<detail::transaction_sight, std::optional<T>, verb, remembered<T>>;
        auto asks = getting(table, key);
        return detail::initiate<std::optional<T>>(get_executor(), typed{asks, remembered<T>{asks}},
                                                  std::forward<Tail>(tail)...);
    }

    /// Writes the value, whether there is an item of that key or not, as a save would after this transaction's earlier
    /// writes: what the struct does not know of the item stays, and of an item that a struct of that type has read or
    /// put before only what has changed is written. Times that the library sets (`creation_time`, `save_time`) are
    /// those of this call. What all of it leaves as it was is not written. `errc::updated_blindly` where an update of
    /// this transaction has changed a map or a list of which that struct may know but a part. Cost, where it was not
    /// read: 1 read, at the commit, or for a `get` before.
    template <class T>
    void put(const versioned<T>& table, const T& value) {
        detail::write_in(*state_, table.core_,
                         detail::typed_orders<T>::order_of(detail::write_order::kind::clobber, value),
                         &detail::typed_orders<T>::seen_in);
    }
    /// A new item; `errc::exists`, now or at the commit, if there is one of that key.
    template <class T>
    void insert(const versioned<T>& table, const T& value) {
        detail::write_in(*state_, table.core_,
                         detail::typed_orders<T>::order_of(detail::write_order::kind::create, value),
                         &detail::typed_orders<T>::seen_in);
    }
    /// Changes an item that need not be read, if the condition holds of it as this transaction's earlier writes to it
    /// leave it: `errc::missing` or `errc::condition_failed`, at the commit. `errc::updated_blindly` for what this
    /// transaction makes, and where it speaks of the version of an item that was written to before.
    template <class T>
    void update(const versioned<T>& table, key_values key, update_expression change,
                condition_expression condition = {}) {
        detail::write_order order{.what = detail::write_order::kind::blind, .key = std::move(key)};
        order.change = std::move(change);
        order.condition = std::move(condition);
        detail::write_in(*state_, table.core_, std::move(order));
    }
    /// Removes an item: `errc::missing` at the commit if there is none, but for one that was read and found missing, or
    /// that this transaction has erased before.
    template <class T>
    void erase(const versioned<T>& table, key_values key) {
        detail::write_order order{.what = detail::write_order::kind::clobber_remove, .key = std::move(key)};
        detail::write_in(*state_, table.core_, std::move(order));
    }

    /// The commit happens only if, at that instant, there is an item of that key and the condition holds of it; it is
    /// not read, and not written. Of an item that this transaction writes: before its writes. `errc::missing`, now or
    /// at the commit; `errc::condition_failed`.
    template <class T>
    void check(const versioned<T>& table, key_values key, condition_expression condition = {}) {
        auto whole = key.named(table.options().key, table.options().sort_key);
        detail::check_in(*state_, *table.core_, whole, std::move(condition));
    }

    /// The commit happens only if nobody has taken this very lock or turn over at that instant: else `errc::lock_lost`.
    /// It is the true fence, which no pause of the process can pass; a guard whose lease is over passes it as long as
    /// nobody came after it. An item's guard lets the transaction read that item, and not write it: that is for the
    /// guard (`errc::duplicate_item` at the commit). @throws dynalease::error with `errc::not_held`.
    template <fenced Guard>
    void require(const Guard& guard) {
        detail::require_in(*state_, guard.fence());
    }

    /// All of it happens now, or nothing does. Once only: after a failure, begin another one.
    ///
    /// Errors, with table and key of the item at fault: `errc::conflict` if what was read has changed, or another
    /// transaction rolled this one back; `errc::locked` for what others hold; `exists`, `missing`, `condition_failed`;
    /// `errc::already_committed` for an id that was; `errc::lock_lost`; `errc::too_many_items`. `errc::in_doubt` when
    /// it may have happened, or may yet: `transactions::look` tells by the id. What but reads, without an id of
    /// its own, is never in doubt: `errc::timeout`.
    /// Cancellation: partial and total end it if it is not decided yet, and tell how it went, within 10 s: as
    /// `errc::cancelled` where nothing has happened. Terminal tells at once, as `errc::in_doubt` where it has begun;
    /// the work goes on in the background, for a minute at most. Cost: native 1 request. Inline undo of N items 2N + 3
    /// writes, at most 32 at a time, one after the other for the service only at begin, locks, commit, unlocks.
    boost::asio::awaitable<void> commit() {
        return detail::await_verb<void>(get_executor(), detail::commit_verb{state_});
    }
    template <class... Tail>
        requires verb_tail<void, Tail...>
    auto commit(Tail&&... tail) {
        return detail::initiate<void>(get_executor(), detail::commit_verb{state_}, std::forward<Tail>(tail)...);
    }

private:
    friend class transactions;

    template <class T>
    static std::optional<T> value_in(const detail::versioned_impl& table, const detail::transaction_sight& sight,
                                     std::string_view verb) {
        if (!sight.stored) return std::nullopt;
        return detail::as_loaded<T>(table, *sight.stored, verb).value;
    }

    template <class T>
    static detail::transaction_read_verb reading(std::shared_ptr<detail::transactions_impl> core,
                                                 const versioned<T>& table, const key_values& key, isolation level) {
        auto whole = key.named(table.options().key, table.options().sort_key);
        return {std::move(core), table.core_, std::move(whole), level};
    }
    template <class T>
    static detail::transaction_free_verb freeing(std::shared_ptr<detail::transactions_impl> core,
                                                 const versioned<T>& table, const key_values& key) {
        auto whole = key.named(table.options().key, table.options().sort_key);
        return {std::move(core), table.core_, std::move(whole)};
    }
    template <class T>
    static auto as_typed(detail::transaction_read_verb verb, const versioned<T>& table) {
        auto convert = [core = table.core_](const detail::transaction_sight& sight) {
            return value_in<T>(*core, sight, "transactions.read");
        };
        using typed = detail::typed_verb<detail::transaction_sight, std::optional<T>, detail::transaction_read_verb,
                                         decltype(convert)>;
        return typed{std::move(verb), std::move(convert)};
    }
    template <class T>
    static boost::asio::awaitable<std::optional<T>> await_read(detail::transaction_read_verb verb) {
        const auto table = verb.table;
        const auto where = detail::executor_of(*verb.core);
        const auto sight = co_await detail::await_verb<detail::transaction_sight>(where, std::move(verb));
        co_return value_in<T>(*table, sight, "transactions.read");
    }

    template <class T>
    detail::transaction_get_verb getting(const versioned<T>& table, const key_values& key) const {
        auto whole = key.named(table.options().key, table.options().sort_key);
        return {state_, table.core_, std::move(whole)};
    }
    /// Makes what was found into a T, and the transaction depend on it.
    template <class T>
    struct remembered {
        detail::transaction_get_verb asked;

        std::optional<T> operator()(detail::transaction_sight sight) const {
            sight = detail::remember(*asked.of, asked.table, asked.key, std::move(sight),
                                     &detail::typed_orders<T>::seen_in);
            return value_in<T>(*asked.table, sight, "transaction.get");
        }
    };
    template <class T>
    static boost::asio::awaitable<std::optional<T>> await_get(detail::transaction_get_verb verb) {
        const remembered<T> remember{verb};
        const auto where = detail::executor_of(*verb.of);
        auto sight = co_await detail::await_verb<detail::transaction_sight>(where, std::move(verb));
        co_return remember(std::move(sight));
    }

    std::shared_ptr<detail::open_transaction> state_;
};

}  // namespace dynalease
#pragma GCC visibility pop
