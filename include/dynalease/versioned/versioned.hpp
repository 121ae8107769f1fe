// Optimistic updates: load, change, save if nobody changed it meanwhile. On structs, or on raw items.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <dynalease/detail/braced.hpp>
#include <dynalease/dynamodb/expression.hpp>
#include <dynalease/mapping/stored_types.hpp>
#include <dynalease/versioned/loaded.hpp>
#include <dynalease/versioned/typed_orders.hpp>
#include <dynalease/versioned/typed_reads.hpp>
#include <dynalease/versioned/versioned_operations.hpp>

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

/// A cheap, copyable handle to one table whose items have versions.
///
/// Every write tests that the item is in the very state that was loaded, and gives it the next version. What a write
/// that was refused found there comes with the refusal, so that no conflict costs a read. A lost answer is never taken
/// for a conflict: the stamps that an item keeps tell whether the write was applied, and where they no longer can, the
/// answer is `errc::in_doubt`.
///
/// Without a token a verb returns an awaitable, which throws `conflict<T>` (`errc::conflict`, `exists`, `locked`,
/// `condition_failed`), `write_in_doubt<T>`, or `dynalease::error`. With a token, and `diagnostics` before it if you
/// like, its signature is `void(error_code, write_result<T>)`, and nothing throws.
///
/// Errors of every write, beside those: `errc::missing`; `errc::bad_version`, `version_overflow`, `corrupt_row`; and
/// before anything is sent `errc::bad_attribute`, `reserved_name`, `item_too_large`, `too_many_members`. A write that
/// was applied is never told as refused: what it left may be no T any more, be removed by another or not be read; then
/// an awaited verb throws `applied_unread`, and one with a token succeeds without `saved`. Cancellation: all types;
/// `errc::in_doubt` if a write may have left, else `errc::cancelled`. Thread safety: verbs may be called on any thread.
/// Cost: 1 write each; after a lost answer 1 more.
template <class T>
class versioned : detail::must_be_described<T> {
public:
    using value_type = T;
    using executor_type = boost::asio::any_io_executor;

    /// @throws dynalease::error with `errc::invalid_option`, `errc::invalid_name`, or `errc::bad_attribute` where the
    /// struct stores the table's key as a type that no key has, or the time by which the table's TTL goes as a text.
    versioned(database target, versioned_options options) : core_(make_core(std::move(target), std::move(options))) {}

    executor_type get_executor() const noexcept { return detail::executor_of(*core_); }
    const versioned_options& options() const noexcept { return detail::options_of(*core_); }
    /// The database that it was made with.
    const database& target() const noexcept { return detail::database_of(*core_); }

    /// The item of that key; empty if there is none. While a transaction holds it: as it was before. Cost: 1 read.
    boost::asio::awaitable<std::optional<loaded<T>>> load(key_values key, load_options how = {}) const {
        return reads::await_load(core_, std::move(key), how);
    }
    template <class... Tail>
        requires verb_tail<std::optional<loaded<T>>, Tail...>
    auto load(key_values key, load_options how, Tail&&... tail) const {
        using stored = std::optional<detail::stored_item>;
        return convert<stored, std::optional<loaded<T>>>(
            detail::load_verb{core_, std::move(key), how, reads::wanted(how)},
            [core = core_](stored found) { return reads::as_optional(*core, std::move(found)); },
            std::forward<Tail>(tail)...);
    }
    template <class... Tail>
        requires verb_tail<std::optional<loaded<T>>, Tail...>
    auto load(key_values key, Tail&&... tail) const {
        return load(std::move(key), load_options{}, std::forward<Tail>(tail)...);
    }

    /// An item that came by another way than `load`, whole: from an item lock's guard, a query, a scan. Empty if it is
    /// a tombstone, or not committed yet. No request. @throws dynalease::error as `load`.
    std::optional<loaded<T>> from(item shown) const {
        return reads::as_optional(*core_, detail::stored_from(*core_, std::move(shown)), "versioned.from");
    }

    /// The same of many, in their order: items that are no T stand apart, each with the reason. No request.
    loaded_items<T> from_all(std::vector<item> shown) const {
        loaded_items<T> out;
        for (auto& each : shown) detail::sort_into(out, *core_, std::move(each));
        return out;
    }

    /// Asks a query, a scan or a get for no more than T has members for, and what the library needs to save them: as
    /// `load_options::members_only`, at the same cost. For a table, or an index that projects all attributes.
    template <class Request>
        requires(!std::same_as<T, item> && requires(Request& request) { request.projection_expression; })
    void only_members(Request& request) const {
        apply_projection(request, detail::shown_attributes(*core_, mapping::attributes_of<T>()));
    }

    /// Many items, in the order of their keys. What the service leaves unread is asked for again after pauses, of up to
    /// 1 s, for a minute; then `errc::throttled`. `errc::bad_attribute`, `bad_version` or `corrupt_row`, with the key,
    /// if one of them is no T: `load_many_with_misfits` gives the others. Cost: a read each, 100 to a request.
    boost::asio::awaitable<std::vector<std::optional<loaded<T>>>> load_many(std::vector<key_values> keys,
                                                                            load_options how = {}) const {
        return reads::await_load_many(core_, std::move(keys), how);
    }
    template <class... Tail>
        requires verb_tail<std::vector<std::optional<loaded<T>>>, Tail...>
    auto load_many(std::vector<key_values> keys, load_options how, Tail&&... tail) const {
        return convert<detail::many_read, std::vector<std::optional<loaded<T>>>>(
            detail::load_many_verb{core_, std::move(keys), how, reads::wanted(how)},
            [core = core_](detail::many_read read) { return reads::as_optionals(*core, std::move(read)); },
            std::forward<Tail>(tail)...);
    }
    template <class... Tail>
        requires verb_tail<std::vector<std::optional<loaded<T>>>, Tail...>
    auto load_many(std::vector<key_values> keys, Tail&&... tail) const {
        return load_many(std::move(keys), load_options{}, std::forward<Tail>(tail)...);
    }

    /// The same, for tables whose items need not all fit: those that are there and are a T, in the order of their keys,
    /// and apart from them each that is none, as it is, with its key and the reason.
    boost::asio::awaitable<loaded_items<T>> load_many_with_misfits(std::vector<key_values> keys,
                                                                   load_options how = {}) const {
        return reads::await_load_apart(core_, std::move(keys), how);
    }
    template <class... Tail>
        requires verb_tail<loaded_items<T>, Tail...>
    auto load_many_with_misfits(std::vector<key_values> keys, load_options how, Tail&&... tail) const {
        return convert<detail::many_read, loaded_items<T>>(
            detail::load_many_verb{core_, std::move(keys), how, reads::wanted(how)},
            [core = core_](detail::many_read read) { return reads::as_items(*core, std::move(read)); },
            std::forward<Tail>(tail)...);
    }
    template <class... Tail>
        requires verb_tail<loaded_items<T>, Tail...>
    auto load_many_with_misfits(std::vector<key_values> keys, Tail&&... tail) const {
        return load_many_with_misfits(std::move(keys), load_options{}, std::forward<Tail>(tail)...);
    }

    /// Whether there is an item of that key. Cost: 1 read of the whole item.
    boost::asio::awaitable<bool> exists(key_values key, load_options how = {}) const {
        return reads::await_exists(core_, std::move(key), how);
    }
    template <class... Tail>
        requires verb_tail<bool, Tail...>
    auto exists(key_values key, load_options how, Tail&&... tail) const {
        using stored = std::optional<detail::stored_item>;
        return convert<stored, bool>(
            reads::exists_verb(core_, std::move(key), how), [](const stored& found) { return found.has_value(); },
            std::forward<Tail>(tail)...);
    }
    template <class... Tail>
        requires verb_tail<bool, Tail...>
    auto exists(key_values key, Tail&&... tail) const {
        return exists(std::move(key), load_options{}, std::forward<Tail>(tail)...);
    }

    /// A new item; `errc::exists` if there is one of that key.
    template <class... Tail>
        requires write_tail<T, Tail...>
    auto create(const T& value, Tail&&... tail) const {
        return write(orders::order_of(detail::write_order::kind::create, value), std::forward<Tail>(tail)...);
    }
    template <detail::refused_as_temporary Value = T, class... Tail>
    void create(T&&, Tail&&...) const {
        detail::check_temporary<T>();
    }

    /// Writes what was changed in a loaded value, if nobody else wrote meanwhile. The argument stays as it is; what
    /// is returned can be changed and saved again.
    template <class... Tail>
        requires write_tail<T, Tail...>
    auto save(const loaded<T>& base, save_options how, Tail&&... tail) const {
        return write(orders::save_order(base, std::move(how)), std::forward<Tail>(tail)...);
    }
    template <class... Tail>
        requires write_tail<T, Tail...>
    auto save(const loaded<T>& base, Tail&&... tail) const {
        return write(orders::save_order(base, {}), std::forward<Tail>(tail)...);
    }
    /// The same for a value whose state came back as text, from a form or as an ETag. Writes all its members, whole:
    /// what newer programs keep inside them goes.
    template <class... Tail>
        requires write_tail<T, Tail...>
    auto save(const item_revision& base, const T& value, Tail&&... tail) const {
        return write(orders::save_order(base, value), std::forward<Tail>(tail)...);
    }
    template <detail::refused_as_temporary Value = T, class... Tail>
    void save(const item_revision&, T&&, Tail&&...) const {
        detail::check_temporary<T>();
    }

    /// As a whole save, and drops what the value does not know, inside its members too.
    template <class... Tail>
        requires write_tail<T, Tail...>
    auto replace(const loaded<T>& base, Tail&&... tail) const {
        return write(orders::replace_order(base), std::forward<Tail>(tail)...);
    }

    /// Raises the version and nothing else: whoever loaded the item before can no longer save it.
    template <class... Tail>
        requires write_tail<T, Tail...>
    auto touch(const loaded<T>& base, touch_options how, Tail&&... tail) const {
        return write(orders::touch_order(base, std::move(how)), std::forward<Tail>(tail)...);
    }
    template <class... Tail>
        requires write_tail<T, Tail...>
    auto touch(const loaded<T>& base, Tail&&... tail) const {
        return touch(base, touch_options{}, std::forward<Tail>(tail)...);
    }

    /// Removes the item in the state that was loaded. `errc::missing`: it is gone, perhaps by a copy of the
    /// network's; after such a copy an item that another has made since is told as `errc::conflict`.
    /// Cost under tombstones: by revision, or of more than 250 attributes, 1 write more for each 250.
    template <class... Tail>
        requires write_tail<T, Tail...>
    auto remove(const loaded<T>& base, remove_options how, Tail&&... tail) const {
        return removal(orders::remove_order(base, std::move(how)), std::forward<Tail>(tail)...);
    }
    template <class... Tail>
        requires write_tail<T, Tail...>
    auto remove(const loaded<T>& base, Tail&&... tail) const {
        return remove(base, remove_options{}, std::forward<Tail>(tail)...);
    }
    template <class... Tail>
        requires write_tail<T, Tail...>
    auto remove(const item_revision& base, key_values key, Tail&&... tail) const {
        detail::write_order order{.what = detail::write_order::kind::remove, .key = std::move(key)};
        order.base = base.state();
        return removal(std::move(order), std::forward<Tail>(tail)...);
    }

    /// Loads, calls `change(value)`, saves what it returns, and does so again from what a conflict showed until it
    /// holds. `change` must be without side effects: it may run many times. It returns a T, or a `std::optional<T>`
    /// that is empty to leave the item as it is; what it throws ends the update and is thrown on (with a token: in
    /// `write_result::thrown`). It runs on this table's executor. An item that is as wanted is not written. Updates of
    /// one item line up in this process, whichever handles of one database make them (what `observed` returns is
    /// another), as long as those before get on: none makes another's write void.
    ///
    /// Errors, beside those of `save`: `errc::conflict` after `update_options::tries`, `errc::locked` when a lock
    /// or a transaction outlasted `update_options::wait`, `errc::missing` also where the function was to make the item
    /// and returned nothing; those of a session, if one is to promote it. Cost: 1 read and 1 write, and 1 write more
    /// for each conflict; behind a lock 1 write more, and reads from 20 to 1 a second; a promotion is 2 writes.
    template <class Function, class... Tail>
        requires write_tail<T, Tail...>
    auto update(key_values key, Function&& change, update_options how, Tail&&... tail) const {
        detail::check_temporary<Function>();
        auto erased =
            orders::update_of(core_, std::forward<Function>(change), key.named(options().key, options().sort_key));
        detail::update_verb verb{core_, std::move(key), std::move(erased), how, std::same_as<T, item>};
        return finish<loaded<T>>(std::move(verb), std::forward<Tail>(tail)...);
    }
    template <class Function, class... Tail>
        requires write_tail<T, Tail...>
    auto update(key_values key, Function&& change, Tail&&... tail) const {
        return update(std::move(key), std::forward<Function>(change), update_options{}, std::forward<Tail>(tail)...);
    }

    /// Changes an item whatever its version is, and raises that: `set("state", "PAID") + add("visits", 1)`. A change
    /// that depends on no value read needs no load. It is sent once; without an answer, a read tells whether it was
    /// applied. Cost: 1 write.
    template <class... Tail>
        requires write_tail<T, Tail...>
    auto blind(key_values key, update_expression change, blind_options how, Tail&&... tail) const {
        return write(orders::blind_order(std::move(key), std::move(change), std::move(how)),
                     std::forward<Tail>(tail)...);
    }
    template <class... Tail>
        requires write_tail<T, Tail...>
    auto blind(key_values key, update_expression change, Tail&&... tail) const {
        return blind(std::move(key), std::move(change), blind_options{}, std::forward<Tail>(tail)...);
    }

    /// Writes all members, whole, without testing the version, and still raises it: those who loaded before get their
    /// conflict.
    template <class... Tail>
        requires write_tail<T, Tail...>
    auto clobber(const T& value, clobber_options how, Tail&&... tail) const {
        return write(orders::clobber_order(value, how), std::forward<Tail>(tail)...);
    }
    template <class... Tail>
        requires write_tail<T, Tail...>
    auto clobber(const T& value, Tail&&... tail) const {
        return clobber(value, clobber_options{}, std::forward<Tail>(tail)...);
    }
    template <detail::refused_as_temporary Value = T, class... Tail>
    void clobber(T&&, clobber_options, Tail&&...) const {
        detail::check_temporary<T>();
    }
    template <detail::refused_as_temporary Value = T, class... Tail>
    void clobber(T&&, Tail&&...) const {
        detail::check_temporary<T>();
    }

    /// Removes the item, whatever its version is; there need not be one.
    template <class... Tail>
        requires write_tail<T, Tail...>
    auto clobber_remove(key_values key, Tail&&... tail) const {
        detail::write_order order{.what = detail::write_order::kind::clobber_remove, .key = std::move(key)};
        return removal(std::move(order), std::forward<Tail>(tail)...);
    }

private:
    friend class versioned_writes;
    friend class joint_result;
    friend class transaction;
    friend class joint_reads;
    friend class joint_sight;

    using orders = detail::typed_orders<T>;
    using reads = detail::typed_reads<T>;

    static std::shared_ptr<detail::versioned_impl> make_core(database target, versioned_options options) {
        detail::stored_types types;
        if constexpr (!std::same_as<T, item>) {
            if (auto name = mapping::version_attribute<T>(); !name.empty()) options.version = name;
            types = {.key = mapping::stored_type<T>(options.key),
                     .sort_key = mapping::stored_type<T>(options.sort_key),
                     .time_to_live = mapping::expiry_type<T>(options.time_to_live),
                     .no_time_to_live = mapping::missing_time_to_live<T>()};
        }
        return detail::make_versioned_impl(std::move(target), std::move(options), types);
    }

    template <class Plain, class Verb, class... Tail>
    auto finish(Verb verb, Tail&&... tail) const {
        if constexpr (requires { detail::told_to(tail...); }) {
            if constexpr (std::is_void_v<Plain>)
                return detail::await_removed<T>(core_, detail::await_verb(std::move(verb)), detail::told_to(tail...));
            else
                return detail::await_saved<T>(core_, detail::await_verb(std::move(verb)), detail::told_to(tail...));
        } else {
            return convert<detail::write_report, write_result<T>>(
                std::move(verb),
                [core = core_](detail::write_report report) { return detail::as_result<T>(core, std::move(report)); },
                std::forward<Tail>(tail)...);
        }
    }
    template <class Raw, class Typed, class Verb, class Convert, class... Tail>
    auto convert(Verb verb, Convert how, Tail&&... tail) const {
        using typed = detail::typed_verb<Raw, Typed, Verb, Convert>;
        return detail::initiate<Typed>(get_executor(), typed{std::move(verb), std::move(how)},
                                       std::forward<Tail>(tail)...);
    }

    template <class... Tail>
    auto write(detail::write_order order, Tail&&... tail) const {
        return finish<loaded<T>>(detail::write_verb{core_, std::move(order)}, std::forward<Tail>(tail)...);
    }
    template <class... Tail>
    auto removal(detail::write_order order, Tail&&... tail) const {
        return finish<void>(detail::write_verb{core_, std::move(order)}, std::forward<Tail>(tail)...);
    }

    std::shared_ptr<detail::versioned_impl> core_;
};

/// Versioned items without a struct: the value is the item's own attributes, and one erased from it is removed.
using versioned_items = versioned<item>;

}  // namespace dynalease
#pragma GCC visibility pop
