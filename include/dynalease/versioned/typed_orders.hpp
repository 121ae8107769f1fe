// The orders that verbs on values of T give to the compiled part.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <dynalease/versioned/loaded.hpp>
#include <dynalease/versioned/versioned_operations.hpp>

#include <concepts>
#include <memory>
#include <optional>
#include <type_traits>
#include <utility>

#pragma GCC visibility push(default)
namespace dynalease::detail {

template <versionable T>
struct typed_orders {
    static item_members members_of(const T& value) {
        if constexpr (std::same_as<T, item>) {
            return value;
        } else {
            auto members = to_members(value);
            if (const auto name = mapping::version_attribute<T>(); !name.empty()) {
                members.present.erase(std::string(name));
                std::erase(members.absent, name);
            }
            return members;
        }
    }

    static mapping::unwritten_members unwritten_of(const T& value) {
        if constexpr (std::same_as<T, item>)
            return {};
        else
            return mapping::unwritten_of(value);
    }

    static write_order order_of(write_order::kind what, const T& value, const item* stored = nullptr) {
        write_order order{.what = what};
        order.complete = std::same_as<T, item>;
        try {
            order.members = members_of(value);
            order.unwritten = unwritten_of(value);
            if (stored && !stored->empty()) order.seen = seen_in(*stored);
        } catch (const error& why) {
            order.invalid.emplace(why.code());
            order.invalid->details = why.diagnostics();
        }
        return order;
    }

    /// What a value that was made from these attributes was before anybody changed it; empty: the attributes.
    static std::optional<item> seen_in(const item& attributes) {
        if constexpr (std::same_as<T, item>)
            return std::nullopt;
        else
            return members_of(from_item<T>(attributes)).present;
    }

    static write_order save_order(const loaded<T>& base, save_options how) {
        auto order = order_of(write_order::kind::save, base.value, &base.attributes);
        order.base = base;
        order.stored = base.attributes;
        order.partial = base.partial;
        order.whole = how.scope == save_scope::whole;
        order.ignore_lock = how.ignore_lock;
        order.condition = std::move(how.condition);
        order.read_back = how.read_back;
        return order;
    }

    /// By what came back as text. All its members, whole.
    static write_order save_order(const item_revision& base, const T& value) {
        auto order = order_of(write_order::kind::save, value);
        order.base = base.state();
        order.complete = false;
        return order;
    }
    static write_order replace_order(const loaded<T>& base) {
        auto order = save_order(base, {.scope = save_scope::whole});
        order.complete = true;
        return order;
    }
    static write_order clobber_order(const T& value, const clobber_options& how) {
        auto order = order_of(write_order::kind::clobber, value);
        order.upsert = how.upsert;
        order.ignore_lock = how.ignore_lock;
        return order;
    }
    static write_order blind_order(key_values key, update_expression change, blind_options how) {
        write_order order{.what = write_order::kind::blind, .key = std::move(key)};
        order.change = std::move(change);
        order.condition = std::move(how.condition);
        order.ignore_lock = how.ignore_lock;
        order.exact = how.exact;
        return order;
    }

    static write_order bare_order(write_order::kind what, const loaded<T>& base) {
        write_order order{.what = what};
        order.base = base;
        order.stored = base.attributes;
        order.partial = base.partial;
        return order;
    }

    static write_order touch_order(const loaded<T>& base, touch_options how) {
        auto order = bare_order(write_order::kind::touch, base);
        order.condition = std::move(how.condition);
        order.ignore_lock = how.ignore_lock;
        return order;
    }
    static write_order remove_order(const loaded<T>& base, remove_options how) {
        auto order = bare_order(write_order::kind::remove, base);
        order.condition = std::move(how.condition);
        order.ignore_lock = how.ignore_lock;
        return order;
    }

    template <class Function>
    static update_function update_of(std::shared_ptr<versioned_impl> core, Function change, item_key key) {
        return [core = std::move(core), change = std::move(change),
                key = std::move(key)](const stored_item* stored) mutable -> std::optional<item_change> {
            auto before = stored ? as_loaded<T>(*core, *stored, "versioned.update").value : blank(key);
            item_change made;
            if (stored && !std::same_as<T, item>) made.seen = members_of(before).present;
            static_assert(std::invocable<Function&, T>,
                          "the function of update takes a T by value, and returns the changed one");
            auto after = change(std::move(before));
            if constexpr (std::same_as<decltype(after), std::optional<T>>) {
                if (!after) return std::nullopt;
                made.wanted = members_of(*after);
                made.unwritten = unwritten_of(*after);
            } else {
                static_assert(std::same_as<decltype(after), T>, "the function returns a T or a std::optional<T>");
                made.wanted = members_of(after);
                made.unwritten = unwritten_of(after);
            }
            return made;
        };
    }

    /// What an update that may create begins with.
    static T blank(const item_key& key) {
        if constexpr (std::same_as<T, item>)
            return key;
        else
            return mapping::blank_item<T>(key);
    }
};

}  // namespace dynalease::detail
#pragma GCC visibility pop
