// What verbs that read values of T ask of the compiled part, and make of its answers.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <dynalease/versioned/loaded.hpp>
#include <dynalease/versioned/versioned_operations.hpp>

#include <boost/asio/awaitable.hpp>

#include <concepts>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#pragma GCC visibility push(default)
namespace dynalease::detail {

template <versionable T>
struct typed_reads {
    /// The attributes to ask for; none: all.
    static std::vector<std::string> wanted(const load_options& how) {
        if constexpr (!std::same_as<T, item>) {
            if (how.members_only) return mapping::attributes_of<T>();
        }
        return {};
    }

    static std::optional<loaded<T>> as_optional(const versioned_impl& core, std::optional<stored_item> found,
                                                std::string_view verb = "versioned.load") {
        if (!found) return std::nullopt;
        return as_loaded<T>(core, *std::move(found), verb);
    }
    /// @param misfits gets what is no T
    static std::vector<std::optional<loaded<T>>> sorted(const versioned_impl& core, many_read read,
                                                        std::vector<misfit>& misfits) {
        std::vector<std::optional<loaded<T>>> out;
        out.reserve(read.found.size());
        misfits = std::move(read.misfits);
        for (auto& one : read.found) {
            out.emplace_back();
            if (!one) continue;
            try {
                out.back() = as_loaded<T>(core, *std::move(one), "versioned.load_many");
            } catch (const error& why) {
                misfits.push_back(misfit_of(core, std::move(one->attributes), why));
            }
        }
        return out;
    }
    static std::vector<std::optional<loaded<T>>> as_optionals(const versioned_impl& core, many_read read) {
        std::vector<misfit> misfits;
        auto out = sorted(core, std::move(read), misfits);
        if (!misfits.empty()) throw unfit_among(misfits, "these keys", "load_many_with_misfits");
        return out;
    }
    static loaded_items<T> as_items(const versioned_impl& core, many_read read) {
        loaded_items<T> out;
        for (auto& each : sorted(core, std::move(read), out.misfits)) {
            if (each) out.values.push_back(*std::move(each));
        }
        return out;
    }

    static load_verb exists_verb(std::shared_ptr<versioned_impl> core, key_values key, load_options how) {
        return {std::move(core), std::move(key), how, {}, "versioned.exists"};
    }
    static boost::asio::awaitable<bool> await_exists(std::shared_ptr<versioned_impl> core, key_values key,
                                                     load_options how) {
        auto verb = exists_verb(std::move(core), std::move(key), how);
        const auto found = co_await await_verb(std::move(verb));
        co_return found.has_value();
    }
    static boost::asio::awaitable<std::optional<loaded<T>>> await_load(std::shared_ptr<versioned_impl> core,
                                                                       key_values key, load_options how) {
        load_verb verb{core, std::move(key), how, wanted(how)};
        auto found = co_await await_verb(std::move(verb));
        co_return as_optional(*core, std::move(found));
    }
    static boost::asio::awaitable<std::vector<std::optional<loaded<T>>>> await_load_many(
        std::shared_ptr<versioned_impl> core, std::vector<key_values> keys, load_options how) {
        load_many_verb verb{core, std::move(keys), how, wanted(how)};
        auto found = co_await await_verb(std::move(verb));
        co_return as_optionals(*core, std::move(found));
    }
    static boost::asio::awaitable<loaded_items<T>> await_load_apart(std::shared_ptr<versioned_impl> core,
                                                                    std::vector<key_values> keys, load_options how) {
        load_many_verb verb{core, std::move(keys), how, wanted(how)};
        auto found = co_await await_verb(std::move(verb));
        co_return as_items(*core, std::move(found));
    }
};

}  // namespace dynalease::detail
#pragma GCC visibility pop
