// The handle of transactions: to run them, to read beside them, and to see to those that somebody has left.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <dynalease/detail/braced.hpp>
#include <dynalease/transaction/read_together.hpp>
#include <dynalease/transaction/run_transaction.hpp>
#include <dynalease/transaction/transaction.hpp>
#include <dynalease/transaction/transaction_operations.hpp>
#include <dynalease/transaction/transactions_options.hpp>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>

#include <concepts>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#pragma GCC visibility push(default)
namespace dynalease {

/// A cheap, copyable handle. All its transactions have their rows in one coordination table.
///
/// A transaction is serializable: it commits only if all that it has read is still so at that instant. Nobody needs to
/// be alive for one to end: whoever meets an item of a transaction that somebody has left undoes it there, or completes
/// it; `sweep` does so for items that nobody meets.
///
/// **The coordination table** is used by those that go by locks (more than 100 items or 4 MB, several writes to one
/// item, `transaction_tier::locked_commit`, and `automatic` after five conflicts), by those with an id of the caller's,
/// and by `look`, `list`, `resume`, `roll_back` and `sweep`. Where all go by one call (`transaction_tier::native`) and
/// have no id, there need be none.
///
/// Without a token a verb returns an awaitable, which throws `dynalease::error`. Cancellation: all types. Thread
/// safety: verbs may be called on any thread.
class transactions {
public:
    using executor_type = boost::asio::any_io_executor;

    /// @throws dynalease::error with `errc::invalid_option` or `errc::invalid_name`.
    explicit transactions(database target, transactions_options options = {})
        : core_(detail::make_transactions_impl(std::move(target), std::move(options))) {}

    executor_type get_executor() const noexcept { return detail::executor_of(*core_); }
    const transactions_options& options() const noexcept { return detail::options_of(*core_); }

    /// Runs `body(transaction&)`, which returns an `asio::awaitable<T>`, on the caller's executor, and commits what it
    /// has written; again, after a growing pause of up to 2 s, while that meets with a conflict; runs of this process
    /// (by handles of one database; what `observed` returns is another) that met one at the same item go one after the
    /// other, but for those that fail fast. Its value is the result. The body must have no other effects, and not
    /// commit.
    ///
    /// What the body throws is thrown on, and nothing happens; an id stays free. Where it has read two items or more,
    /// they are read once more before that, together: had one of them changed meanwhile, the body may have thrown for
    /// what never was so, and it runs again. Where they cannot be read, as in an outage, that is thrown in its place;
    /// so it is where an id was given, and whether that has committed meanwhile cannot be read. (The library's own
    /// errors: so for `conflict`, `missing`, `exists` and `condition_failed` alone. What was cancelled while the body
    /// ran, is thrown on as it is; so is all where the credentials or the endpoint do not let them be read together, or
    /// more than 100 of them were not there.)
    ///
    /// With an id that has committed before, the body does not run: done, or `errc::already_committed` if it yields a
    /// value. Errors: those of `transaction::commit`, whose diagnostics tell after how many attempts, and how long,
    /// where there were several; `errc::conflict` and `errc::locked` after the last one.
    ///
    /// Cost: as `transaction`, of each attempt, in vain or not; with an id 1 read more before the first, and before
    /// others that follow one by locks or another process's; and, of a native commit, 1 write. After a body that threw,
    /// 1 read of all that it had read, 2 units for each 4 KB of them, and with an id 1 read more. While another
    /// transaction holds an item: a read of its row at once, then after 25 ms, doubling to 500 ms; where the item goes
    /// from hand to hand, and others are before this one, more seldom.
    template <class Body>
        requires std::invocable<std::decay_t<Body>&, transaction&>
    auto run(Body&& body, run_options options = {}) const {
        detail::check_temporary<Body>();
        static_assert(detail::is_awaitable<std::invoke_result_t<std::decay_t<Body>&, transaction&>>,
                      "the body of a transaction returns an asio::awaitable<T>");
        return detail::run_transaction<std::decay_t<Body>>(core_, std::forward<Body>(body), std::move(options));
    }

    /// One attempt, for those who go on by themselves: `transaction::commit` ends it. Sends nothing.
    /// @throws dynalease::error with `errc::invalid_option`.
    transaction begin(run_options options = {}) const {
        return transaction(detail::begin_transaction(core_, std::move(options)));
    }

    /// An item beside all transactions; empty if there is none. Waits for nobody. Errors: those of a read.
    template <class T>
    boost::asio::awaitable<std::optional<T>> read(const versioned<T>& table, key_values key,
                                                  isolation level = isolation::latest) const {
        return transaction::await_read<T>(transaction::reading(core_, table, key, level));
    }
    template <class T, class... Tail>
        requires verb_tail<std::optional<T>, Tail...>
    auto read(const versioned<T>& table, key_values key, isolation level, Tail&&... tail) const {
        auto verb = transaction::as_typed(transaction::reading(core_, table, key, level), table);
        return start<std::optional<T>>(std::move(verb), std::forward<Tail>(tail)...);
    }
    template <class T, class... Tail>
        requires verb_tail<std::optional<T>, Tail...>
    auto read(const versioned<T>& table, key_values key, Tail&&... tail) const {
        return read(table, std::move(key), isolation::latest, std::forward<Tail>(tail)...);
    }

    /// Several items, of several tables, as all of them were committed at one moment between the call and its end:
    ///
    ///     dynalease::joint_reads both;
    ///     const auto ann = both.add(accounts, "ann"), order = both.add(orders, "4711");
    ///     const auto seen = co_await transactions.read_together(both);
    ///     if (seen.at(accounts, ann)->balance >= seen.at(orders, order)->price) ...
    ///
    /// It leaves no mark, waits for nobody, and is in nobody's way (but for the instant of its call, as any
    /// TransactGetItems). What it has read may be otherwise when it is told; a transaction that is to depend on it
    /// reads by `transaction::get`. Of more than 100 items it may be torn by writers that set no stamp, and only where
    /// one of them makes an item again what it was before, to the byte, while it is read.
    ///
    /// Errors: those of a read; `errc::bad_attribute` for a key, and `errc::invalid_option` for a table that takes no
    /// part in transactions; `errc::transaction_conflict` when within ten tries there was no moment at which nobody was
    /// just at work on the items, `errc::throttled` when the service had no time for them: with an item for which the
    /// last one was in vain. Of more than 100 items no more than 100 may be missing: `errc::too_many_items`.
    ///
    /// Cost: up to 100 items, and 4 MB of them, 1 TransactGetItems, which costs 2 reads per item; for each transaction
    /// that holds some of them 1 read of its row; the call again while one of those has just been committed. More: each
    /// item is read twice, in requests of 100; the second time again, where anything has changed between the two.
    boost::asio::awaitable<joint_sight> read_together(joint_reads wanted) const {
        return await_together(detail::read_together_verb{core_, wanted.reads()});
    }
    template <class... Tail>
        requires verb_tail<joint_sight, Tail...>
    auto read_together(joint_reads wanted, Tail&&... tail) const {
        const auto as_sight = [](sights read) { return joint_sight(std::move(read)); };
        return start_together<joint_sight>(wanted.reads(), as_sight, std::forward<Tail>(tail)...);
    }

    /// The same of items of one table, in the order of their keys; empty where there was none.
    template <class T>
    boost::asio::awaitable<std::vector<std::optional<T>>> read_together(const versioned<T>& table,
                                                                        std::vector<key_values> keys) const {
        return await_together_of<T>(detail::read_together_verb{core_, reads_of(table, std::move(keys)).reads()}, table);
    }
    template <class T, class... Tail>
        requires verb_tail<std::vector<std::optional<T>>, Tail...>
    auto read_together(const versioned<T>& table, std::vector<key_values> keys, Tail&&... tail) const {
        const auto as_values = [table](sights read) { return values_in<T>(table, std::move(read)); };
        const auto wanted = reads_of(table, std::move(keys));
        return start_together<std::vector<std::optional<T>>>(wanted.reads(), as_values, std::forward<Tail>(tail)...);
    }

    /// What became of a transaction, and what it wants. Cost: 1 read; of one that wants more than a row can keep 1 more
    /// for each 350 KB.
    boost::asio::awaitable<transaction_report> look(std::string id) const {
        return await(detail::transaction_look_verb{core_, std::move(id)});
    }
    template <class... Tail>
        requires verb_tail<transaction_report, Tail...>
    auto look(std::string id, Tail&&... tail) const {
        return start<transaction_report>(detail::transaction_look_verb{core_, std::move(id)},
                                         std::forward<Tail>(tail)...);
    }

    /// Those that are not done, of all processes. One that wants more than a row can keep shows no items while they are
    /// not all stored, for then it holds none; nor where that is damaged. Cost: a scan of the coordination table; of
    /// one that wants more than a row can keep 1 read more for each 350 KB; where there is none, 1 DescribeTable, and
    /// `errc::validation` for a table whose key is no coordination table's.
    boost::asio::awaitable<std::vector<transaction_report>> list() const {
        return await(detail::transaction_list_verb{core_});
    }
    template <class... Tail>
        requires verb_tail<std::vector<transaction_report>, Tail...>
    auto list(Tail&&... tail) const {
        return start<std::vector<transaction_report>>(detail::transaction_list_verb{core_},
                                                      std::forward<Tail>(tail)...);
    }

    /// Carries a transaction on that another process has begun, to its commit if that is possible, and to its end. Any
    /// number may do so at once. One that requires a lock or a turn can only be rolled back. Yields how it was decided;
    /// `unknown`: there is no row of it. Cost: up to 2N + 4 writes.
    boost::asio::awaitable<transaction_state> resume(std::string id) const {
        return await(detail::transaction_end_verb{core_, std::move(id), true, "transactions.resume"});
    }
    template <class... Tail>
        requires verb_tail<transaction_state, Tail...>
    auto resume(std::string id, Tail&&... tail) const {
        return start<transaction_state>(detail::transaction_end_verb{core_, std::move(id), true, "transactions.resume"},
                                        std::forward<Tail>(tail)...);
    }

    /// Rolls a transaction back that is not decided, and brings it to its end in any case. Yields how it was decided.
    boost::asio::awaitable<transaction_state> roll_back(std::string id) const {
        return await(detail::transaction_end_verb{core_, std::move(id), false, "transactions.roll_back"});
    }
    template <class... Tail>
        requires verb_tail<transaction_state, Tail...>
    auto roll_back(std::string id, Tail&&... tail) const {
        return start<transaction_state>(
            detail::transaction_end_verb{core_, std::move(id), false, "transactions.roll_back"},
            std::forward<Tail>(tail)...);
    }

    /// Ends what others have left: rolls back what was not decided, completes the rest. Any number of processes may
    /// sweep at any time, and an interrupted sweep leaves nothing wrong. Takes `older_than` and longer; one every ten
    /// minutes is enough. Cost: two scans of the coordination table, and the writes of what was left; where there is
    /// nothing, 1 scan, and 1 DescribeTable, for a table whose key is no coordination table's. For an hour after a
    /// write, each sweep looks for what copies of its requests may have marked late, as it does where a process had no
    /// answer: 1 read per item. What the network itself repeats, it does not find: `free` takes such a mark off.
    boost::asio::awaitable<sweep_report> sweep(sweep_options options = {}) const {
        return await(detail::transaction_sweep_verb{core_, options});
    }
    template <class... Tail>
        requires verb_tail<sweep_report, Tail...>
    auto sweep(sweep_options options, Tail&&... tail) const {
        return start<sweep_report>(detail::transaction_sweep_verb{core_, options}, std::forward<Tail>(tail)...);
    }

    template <class... Tail>
        requires verb_tail<sweep_report, Tail...>
    auto sweep(Tail&&... tail) const {
        return sweep(sweep_options{}, std::forward<Tail>(tail)...);
    }

    /// Takes a transaction's mark off an item that nobody can write, though no sweep finds anybody at work on it: its
    /// row may have been deleted, or lost with a table. Decides as everybody who meets a mark, by the row as it is
    /// after the item was read: what committed under this very mark is completed; else, and where there is no such row
    /// any more, the item becomes what it was, from what lies on it. Yields whether there was a mark.
    ///
    /// Refuses what is not decided: `errc::locked`, which names the transaction; `roll_back` decides it. And what it
    /// cannot read: `errc::corrupt_row` for marks, `unsupported_version` for rows that are not of this library. **A row
    /// that was deleted before it was done may have been committed**: its other items may show that. Cost: 1 read;
    /// where there is a mark 2 reads and 1 write.
    template <class T>
    boost::asio::awaitable<bool> free(const versioned<T>& table, key_values key) const {
        return await(transaction::freeing(core_, table, key));
    }
    template <class T, class... Tail>
        requires verb_tail<bool, Tail...>
    auto free(const versioned<T>& table, key_values key, Tail&&... tail) const {
        return start<bool>(transaction::freeing(core_, table, key), std::forward<Tail>(tail)...);
    }

private:
    using sights = std::vector<detail::transaction_sight>;

    template <class T>
    static joint_reads reads_of(const versioned<T>& table, std::vector<key_values> keys) {
        joint_reads wanted;
        for (auto& key : keys) wanted.add(table, std::move(key));
        return wanted;
    }
    template <class T>
    static std::vector<std::optional<T>> values_in(const versioned<T>& table, sights read) {
        const joint_sight seen(std::move(read));
        std::vector<std::optional<T>> values;
        values.reserve(seen.size());
        for (std::size_t i = 0; i < seen.size(); ++i) values.push_back(seen.at(table, i));
        return values;
    }
    template <class T, class Convert, class... Tail>
    auto start_together(std::vector<detail::joint_read> reads, Convert how, Tail&&... tail) const {
        using typed = detail::typed_verb<sights, T, detail::read_together_verb, Convert>;
        return start<T>(typed{detail::read_together_verb{core_, std::move(reads)}, std::move(how)},
                        std::forward<Tail>(tail)...);
    }
    static boost::asio::awaitable<joint_sight> await_together(detail::read_together_verb verb) {
        const auto where = detail::executor_of(*verb.core);
        auto read = co_await detail::await_verb<sights>(where, std::move(verb));
        co_return joint_sight(std::move(read));
    }
    template <class T>
    static boost::asio::awaitable<std::vector<std::optional<T>>> await_together_of(detail::read_together_verb verb,
                                                                                   versioned<T> table) {
        const auto where = detail::executor_of(*verb.core);
        auto read = co_await detail::await_verb<sights>(where, std::move(verb));
        co_return values_in<T>(table, std::move(read));
    }

    template <class T, class Verb, class... Tail>
    auto start(Verb verb, Tail&&... tail) const {
        return detail::initiate<T>(get_executor(), std::move(verb), std::forward<Tail>(tail)...);
    }
    boost::asio::awaitable<transaction_report> await(detail::transaction_look_verb verb) const {
        return detail::await_verb<transaction_report>(get_executor(), std::move(verb));
    }
    boost::asio::awaitable<std::vector<transaction_report>> await(detail::transaction_list_verb verb) const {
        return detail::await_verb<std::vector<transaction_report>>(get_executor(), std::move(verb));
    }
    boost::asio::awaitable<transaction_state> await(detail::transaction_end_verb verb) const {
        return detail::await_verb<transaction_state>(get_executor(), std::move(verb));
    }
    boost::asio::awaitable<bool> await(detail::transaction_free_verb verb) const {
        return detail::await_verb<bool>(get_executor(), std::move(verb));
    }
    boost::asio::awaitable<sweep_report> await(detail::transaction_sweep_verb verb) const {
        return detail::await_verb<sweep_report>(get_executor(), verb);
    }

    std::shared_ptr<detail::transactions_impl> core_;
};

}  // namespace dynalease
#pragma GCC visibility pop
