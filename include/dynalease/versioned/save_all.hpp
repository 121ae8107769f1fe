// Several versioned writes, of several tables and structs, that happen together or not at all.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <dynalease/versioned/versioned.hpp>

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#pragma GCC visibility push(default)
namespace dynalease {

namespace detail {

struct joint_write {
    std::shared_ptr<versioned_impl> core;
    write_order order;
    bool only_checks = false;  ///< nothing is written: the item must be as it was loaded
};
using joint_entry = std::variant<joint_write, transact_write>;
struct joint_plan;
struct joint_resolve_verb {
    database target;
    std::shared_ptr<const joint_plan> plan;
    void operator()(diagnostics* details, handler_for<resolution> handler) &&;
};

}  // namespace detail

/// What is to happen together: at most 100 actions, each on an item of its own. Every adding function returns the
/// entry's place, by which the result is asked.
class versioned_writes {
public:
    template <class T>
    std::size_t create(const versioned<T>& table, const T& value) {
        return add(table, detail::typed_orders<T>::order_of(detail::write_order::kind::create, value));
    }
    template <class T>
    std::size_t save(const versioned<T>& table, const loaded<T>& base, save_options how = {}) {
        return add(table, detail::typed_orders<T>::save_order(base, std::move(how)));
    }
    /// Of a value whose state came back as text: all its members, whole.
    template <class T>
    std::size_t save(const versioned<T>& table, const item_revision& base, const T& value) {
        return add(table, detail::typed_orders<T>::save_order(base, value));
    }
    /// As a whole save, and drops what the value does not know, inside its members too.
    template <class T>
    std::size_t replace(const versioned<T>& table, const loaded<T>& base) {
        return add(table, detail::typed_orders<T>::replace_order(base));
    }
    template <class T>
    std::size_t touch(const versioned<T>& table, const loaded<T>& base, touch_options how = {}) {
        return add(table, detail::typed_orders<T>::touch_order(base, std::move(how)));
    }
    template <class T>
    std::size_t remove(const versioned<T>& table, const loaded<T>& base, remove_options how = {}) {
        return add(table, detail::typed_orders<T>::remove_order(base, std::move(how)));
    }
    template <class T>
    std::size_t blind(const versioned<T>& table, key_values key, update_expression change,
                      condition_expression condition = {}) {
        blind_options how{.condition = std::move(condition)};
        return add(table, detail::typed_orders<T>::blind_order(std::move(key), std::move(change), std::move(how)));
    }
    /// All members, whole, whatever the version is; it is raised. An item that is not there keeps all from happening,
    /// with `errc::missing`, unless the options have it made.
    template <class T>
    std::size_t clobber(const versioned<T>& table, const T& value, clobber_options how = {}) {
        return add(table, detail::typed_orders<T>::clobber_order(value, how));
    }
    /// The item was only read: the others happen if it is still so, and the condition holds of what raises no version.
    template <class T>
    std::size_t check(const versioned<T>& table, const loaded<T>& base, condition_expression condition = {}) {
        const auto place = touch(table, base, {.condition = std::move(condition)});
        std::get<detail::joint_write>(entries_.back()).only_checks = true;
        return place;
    }
    /// Any other action beside them: a row of an outbox, a lock's `fence()`.
    std::size_t add(transact_write action) {
        entries_.emplace_back(std::move(action));
        return entries_.size() - 1;
    }

    const std::vector<detail::joint_entry>& entries() const noexcept { return entries_; }

private:
    template <class T>
    std::size_t add(const versioned<T>& table, detail::write_order order) {
        entries_.emplace_back(detail::joint_write{table.core_, std::move(order)});
        return entries_.size() - 1;
    }

    std::vector<detail::joint_entry> entries_;
};

/// Several writes that were sent together and never answered for certain. Copyable; may outlive the tables' handles.
class pending_joint_write {
public:
    pending_joint_write() = default;
    pending_joint_write(database target, std::shared_ptr<const detail::joint_plan> plan);

    /// Whether there is one.
    explicit operator bool() const noexcept { return plan_ != nullptr; }
    /// What the items say of it now. Errors: `errc::not_held` without one, thrown at the call; those of a read. Cost: a
    /// read for each item that was to be written, until one of them tells.
    boost::asio::awaitable<resolution> resolve() const;
    template <class... Tail>
        requires verb_tail<resolution, Tail...>
    auto resolve(Tail&&... tail) const {
        auto verb = resolving();
        const auto where = verb.target.get_executor();
        return detail::initiate<resolution>(where, std::move(verb), std::forward<Tail>(tail)...);
    }

private:
    detail::joint_resolve_verb resolving() const;

    std::optional<database> target_;
    std::shared_ptr<const detail::joint_plan> plan_;
};

/// How each entry fared.
class joint_result {
public:
    struct entry {
        /// Why this one kept all from happening; none: it did not. `errc::transaction_conflict`: others were at work on
        /// it, or after a copy without an answer it cannot be told apart from one that did not.
        error_code code{};
        std::optional<detail::stored_item> saved{};
        std::optional<detail::stored_item> current{};
        std::optional<std::int64_t> expected{};
        std::optional<std::int64_t> found{};
        std::string holder{};
    };

    std::size_t size() const noexcept { return entries_.size(); }
    const entry& at(std::size_t place) const { return entries_.at(place); }
    std::vector<entry>& entries() noexcept { return entries_; }

    /// The item as the write left it; empty for removals, checks, saves by a revision, blind changes, clobberings but
    /// over a tombstone, and other actions, and when nothing happened.
    template <class T>
    std::optional<loaded<T>> saved(const versioned<T>& table, std::size_t place) const {
        return detail::as_loaded_if_possible<T>(*table.core_, at(place).saved);
    }
    /// What is there now, of an entry that was refused, at no extra read.
    template <class T>
    std::optional<loaded<T>> current(const versioned<T>& table, std::size_t place) const {
        return detail::as_loaded_if_possible<T>(*table.core_, at(place).current);
    }

    /// On `errc::in_doubt`, which no entry is to blame for.
    const pending_joint_write& pending() const noexcept { return pending_; }
    pending_joint_write& pending() noexcept { return pending_; }

private:
    std::vector<entry> entries_;
    pending_joint_write pending_;
};

/// Thrown by `save_all` for `errc::in_doubt`: it was sent, and nobody knows what became of it.
class joint_in_doubt : public error {
public:
    joint_in_doubt(error_code code, dynalease::diagnostics details, pending_joint_write pending)
        : error(code, std::move(details)), pending_(std::move(pending)) {}

    const pending_joint_write& pending() const noexcept { return pending_; }

private:
    pending_joint_write pending_;
};

/// Thrown by `save_all` when an entry was refused: nothing was written, and `result()` says of each entry why.
class joint_conflict : public error {
public:
    joint_conflict(error_code code, dynalease::diagnostics details, joint_result result)
        : error(code, std::move(details)), result_(std::make_shared<joint_result>(std::move(result))) {}

    const joint_result& result() const noexcept { return *result_; }

private:
    std::shared_ptr<const joint_result> result_;
};

namespace detail {
struct save_all_verb {
    database target;
    std::vector<joint_entry> entries;
    void operator()(diagnostics* details, handler_for<joint_result> handler) &&;
};
}  // namespace detail

/// One TransactWriteItems for all entries.
///
/// Errors: `joint_conflict` with the code of the first entry that was refused; `joint_in_doubt` when for 10 s no answer
/// came, or none that keeps an earlier copy from landing: its `pending().resolve()` asks the items. A version alone
/// tells nothing: another may have written it. Before anything is sent `errc::duplicate_item`, `errc::too_many_items`,
/// and what each write refuses. Cancellation: all types. Cost: 1 request, of twice the price of its writes.
boost::asio::awaitable<joint_result> save_all(database target, versioned_writes writes);
template <class... Tail>
    requires verb_tail<joint_result, Tail...>
auto save_all(database target, versioned_writes writes, Tail&&... tail) {
    auto where = target.get_executor();
    return detail::initiate<joint_result>(where, detail::save_all_verb{std::move(target), writes.entries()},
                                          std::forward<Tail>(tail)...);
}

}  // namespace dynalease
#pragma GCC visibility pop
