// Several versioned writes, of several tables and structs, that happen together or not at all.
#pragma once

#include <dynalease/versioned.hpp>

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace dynalease {

namespace detail {

struct joint_write {
    std::shared_ptr<versioned_core> core;
    write_order order;
    bool only_checks = false;  ///< nothing is written: the item must be as it was loaded
};
using joint_entry = std::variant<joint_write, transact_write>;

}  // namespace detail

/// What is to happen together: at most 100 actions, each on an item of its own. Every adding function returns the
/// entry's place, by which the result is asked.
class versioned_writes {
public:
    template <class T>
    std::size_t create(const versioned<T>& table, const T& value) {
        return add(table, versioned<T>::order_of(detail::write_order::kind::create, value));
    }
    template <class T>
    std::size_t save(const versioned<T>& table, const loaded<T>& base, save_options how = {}) {
        return add(table, versioned<T>::save_order(base, std::move(how)));
    }
    template <class T>
    std::size_t touch(const versioned<T>& table, const loaded<T>& base) {
        return add(table, versioned<T>::bare_order(detail::write_order::kind::touch, base));
    }
    template <class T>
    std::size_t remove(const versioned<T>& table, const loaded<T>& base) {
        return add(table, versioned<T>::bare_order(detail::write_order::kind::remove, base));
    }
    template <class T>
    std::size_t blind(const versioned<T>& table, key_values key, update_expression change) {
        detail::write_order order{.what = detail::write_order::kind::blind, .key = std::move(key)};
        order.change = std::move(change);
        return add(table, std::move(order));
    }
    /// The item was only read: the others happen if it is still so.
    template <class T>
    std::size_t check(const versioned<T>& table, const loaded<T>& base) {
        const auto place = touch(table, base);
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

/// How each entry fared.
class joint_result {
public:
    struct entry {
        error_code code{};  ///< why this one kept all from happening; none: it did not
        std::optional<detail::stored_item> saved{};
        std::optional<detail::stored_item> current{};
        std::optional<std::int64_t> expected{};
        std::optional<std::int64_t> found{};
        std::string holder{};
    };

    std::size_t size() const noexcept { return entries_.size(); }
    const entry& at(std::size_t place) const { return entries_.at(place); }
    std::vector<entry>& entries() noexcept { return entries_; }

    /// The item as the write left it; empty for removals, checks and other actions, and when nothing happened.
    template <class T>
    std::optional<loaded<T>> saved(const versioned<T>& table, std::size_t place) const {
        return detail::as_loaded_if_possible<T>(*table.core_, at(place).saved);
    }
    /// What is there now, of an entry that was refused, at no extra read.
    template <class T>
    std::optional<loaded<T>> current(const versioned<T>& table, std::size_t place) const {
        return detail::as_loaded_if_possible<T>(*table.core_, at(place).current);
    }

private:
    std::vector<entry> entries_;
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
/// Errors: `joint_conflict` with the code of the first entry that was refused; `errc::in_doubt` when no answer came
/// for 10 s (load any of the written items: its version tells); before anything is sent `errc::duplicate_item`,
/// `errc::too_many_items`, and what each write refuses. Cancellation: all types. Cost: 1 request, of twice the price of
/// its writes.
boost::asio::awaitable<joint_result> save_all(database target, versioned_writes writes);
template <token_for<joint_result> Token>
auto save_all(database target, versioned_writes writes, Token&& token) {
    auto where = target.get_executor();
    return detail::initiate<joint_result>(where, detail::save_all_verb{std::move(target), writes.entries()}, nullptr,
                                          std::forward<Token>(token));
}

}  // namespace dynalease
