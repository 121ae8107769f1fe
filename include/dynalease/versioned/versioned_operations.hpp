// The compiled part of versioned items: one type for each kind of request, whatever struct an item becomes.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <dynalease/detail/initiate.hpp>
#include <dynalease/dynamodb/database.hpp>
#include <dynalease/dynamodb/path.hpp>
#include <dynalease/dynamodb/update_expression.hpp>
#include <dynalease/item/item_members.hpp>
#include <dynalease/item/item_version.hpp>
#include <dynalease/item/key_values.hpp>
#include <dynalease/item/resolution.hpp>
#include <dynalease/item/write_facts.hpp>
#include <dynalease/mapping/unwritten.hpp>
#include <dynalease/versioned/versioned_options.hpp>

#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#pragma GCC visibility push(default)
namespace dynalease {

/// An item of a versioned table that does not read as the struct.
struct misfit {
    item_key key;     ///< as the table has it
    item attributes;  ///< as a load would show it
    error why;        ///< `errc::bad_attribute`, `bad_version` or `corrupt_row`; names table, key and member
};

namespace detail {

class versioned_impl;
struct write_intent;

/// How a struct stores what the table itself goes by: "S", "N", and so on; empty where that is not known.
struct stored_types {
    std::string_view key{};
    std::string_view sort_key{};
    std::string_view time_to_live{};
    std::string_view no_time_to_live{};  ///< so called by `item_traits`, but no attribute of the struct
};
std::shared_ptr<versioned_impl> make_versioned_impl(database target, versioned_options options, stored_types types);
const versioned_options& options_of(const versioned_impl& core);
boost::asio::any_io_executor executor_of(const versioned_impl& core);
/// The attributes of an item that are its user's.
item user_attributes(const versioned_impl& core, const item& attributes);
/// What is thrown of an item that is no such value, for this reason: it names table and key.
error unfit_item(const versioned_impl& core, const item& attributes, const std::exception& why, std::string_view verb);
misfit misfit_of(const versioned_impl& core, item attributes, error why);
/// What is thrown of several items with such among them: of the first, and how many there are.
/// @param all what they are of, such as "this page" @param verb what keeps them apart
error unfit_among(const std::vector<misfit>& misfits, std::string_view all, std::string_view verb);

/// An item that another request has shown. @throws dynalease::error where it could not be loaded; `shown` stays then.
std::optional<stored_item> stored_from(const versioned_impl& core, item&& shown);
/// What a read must ask for where no more than these attributes are wanted.
std::vector<path> shown_attributes(const versioned_impl& core, const std::vector<std::string>& only);
const database& database_of(const versioned_impl& core);

/// What a read of several keys has found.
struct many_read {
    std::vector<std::optional<stored_item>> found{};  ///< in the order of the keys
    std::vector<misfit> misfits{};                    ///< what no state can be read of
};

struct write_order {
    enum class kind { create, save, touch, remove, blind, clobber, clobber_remove };
    kind what;
    std::optional<key_values> key{};  ///< empty: the key stands in `members`, or in `base`
    item_version base{};
    item stored{};         ///< what was loaded; empty: only its version and birth are known
    bool partial = false;  ///< ... and there may be more
    /// What the loaded value was of that, as members: what differs from it was changed. Empty: all of it.
    std::optional<item> seen{};
    item_members members{};
    mapping::unwritten_members unwritten{};
    bool complete = false;  ///< what is neither in `members` nor in `unwritten` is to go
    bool whole = false;     ///< also what did not change
    bool ignore_lock = false;
    bool upsert = false;
    bool exact = false;
    bool read_back = false;
    update_expression change{};
    condition_expression condition{};
    std::optional<failure> invalid{};  ///< why there are no members: told before anything is sent
};

/// How a write ended, beside its code.
struct write_report : write_facts {
    std::shared_ptr<const write_intent> pending{};
    std::exception_ptr thrown{};
};

struct resolve_report {
    resolution verdict = resolution::open;
    std::optional<stored_item> current{};
};

/// What the function of an update made of an item.
struct item_change {
    std::optional<item> seen{};  ///< as in `write_order`
    item_members wanted{};
    mapping::unwritten_members unwritten{};
};
/// From what is stored (null: no item) to what is wanted; empty: leave it as it is. May throw.
using update_function = std::function<std::optional<item_change>(const stored_item*)>;

struct load_verb {
    std::shared_ptr<versioned_impl> core;
    key_values key;
    load_options options;
    std::vector<std::string> only{};  ///< the attributes that are wanted; empty: all
    const char* called_as = "versioned.load";
    void operator()(diagnostics* details, handler_for<std::optional<stored_item>> handler) &&;
};
struct load_many_verb {
    std::shared_ptr<versioned_impl> core;
    std::vector<key_values> keys;
    load_options options;
    std::vector<std::string> only{};
    void operator()(diagnostics* details, handler_for<many_read> handler) &&;
};
struct write_verb {
    std::shared_ptr<versioned_impl> core;
    write_order order;
    void operator()(diagnostics* details, handler_for<write_report> handler) &&;
};
struct update_verb {
    std::shared_ptr<versioned_impl> core;
    key_values key;
    update_function change;
    update_options options;
    bool complete;
    void operator()(diagnostics* details, handler_for<write_report> handler) &&;
};
/// @throws dynalease::error with `errc::not_held` where there is no write in doubt.
boost::asio::any_io_executor executor_of(const std::shared_ptr<const write_intent>& intent);
struct resolve_verb {
    std::shared_ptr<const write_intent> intent;
    bool closes;
    void operator()(diagnostics* details, handler_for<resolve_report> handler) &&;
};

/// The same verbs awaited, compiled once. Those of writes do not throw: what became of the write comes along.
struct awaited_write {
    error_code code{};
    diagnostics details{};
    diagnostics called{};  ///< which verb, and of what; for those who fail with what it returned
    write_report report{};
};
boost::asio::awaitable<awaited_write> await_verb(write_verb verb);
boost::asio::awaitable<awaited_write> await_verb(update_verb verb);
boost::asio::awaitable<std::optional<stored_item>> await_verb(load_verb verb);
boost::asio::awaitable<many_read> await_verb(load_many_verb verb);
boost::asio::awaitable<resolve_report> await_verb(resolve_verb verb);

}  // namespace detail
}  // namespace dynalease
#pragma GCC visibility pop
