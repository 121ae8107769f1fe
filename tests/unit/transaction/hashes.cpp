// Hashes of all that the world of transactions is made of.
// SPDX-License-Identifier: BSL-1.0
#include "hashes.hpp"

#include <functional>
#include <stdexcept>
#include <type_traits>
#include <variant>

namespace dynalease::protocol::test {

std::uint64_t mixed(std::uint64_t hash, std::uint64_t more) {
    hash ^= more + 0x9e3779b97f4a7c15ULL + (hash << 6) + (hash >> 2);
    hash ^= hash >> 33;
    hash *= 0xff51afd7ed558ccdULL;
    return hash ^ hash >> 29;
}

std::uint64_t hash_of(std::string_view text) {
    return std::hash<std::string_view>{}(text);
}

std::uint64_t hash_of(const attribute_value& value) {
    auto hash = static_cast<std::uint64_t>(value.get().index()) + 1;
    if (const auto* text = value.get_if<std::string>()) return mixed(hash, hash_of(std::string_view(*text)));
    if (const auto* digits = value.get_if<number>()) return mixed(hash, hash_of(std::string_view(digits->text())));
    if (const auto* bytes = value.get_if<binary>()) {
        for (const auto byte : *bytes) hash = mixed(hash, std::to_integer<std::uint64_t>(byte));
        return hash;
    }
    if (const auto* list = value.get_if<attribute_list>()) {
        for (const auto& each : *list) hash = mixed(hash, hash_of(each));
        return hash;
    }
    if (const auto* map = value.get_if<attribute_map>()) return mixed(hash, hash_of(*map));
    if (const auto* yes = value.get_if<bool>()) return mixed(hash, *yes ? 1 : 0);
    throw std::logic_error("no hash for values of this type");
}

std::uint64_t hash_of(const item& attributes) {
    std::uint64_t hash = 0;
    for (const auto& [name, value] : attributes)
        hash = mixed(mixed(hash, hash_of(std::string_view(name))), hash_of(value));
    return hash;
}

/// Two requests of one machine that differ, differ in these.
std::uint64_t hash_of(const any_request& request) {
    return std::visit(
        [](const auto& each) {
            auto hash = hash_of(std::string_view(std::remove_cvref_t<decltype(each)>::name));
            if constexpr (requires {
                              hash_of(each.key);
                              each.table_name;
                          }) {
                hash = mixed(mixed(hash, hash_of(std::string_view(each.table_name))), hash_of(each.key));
            }
            if constexpr (requires { each.new_item; }) hash = mixed(hash, hash_of(each.new_item));
            if constexpr (requires {
                              each.condition_expression;
                              each.values;
                          }) {
                hash = mixed(mixed(hash, hash_of(std::string_view(each.condition_expression))), hash_of(each.values));
            }
            if constexpr (requires { each.update_expression; }) {
                hash = mixed(hash, hash_of(std::string_view(each.update_expression)));
            }
            if constexpr (requires { each.client_request_token; }) {
                hash = mixed(hash, hash_of(std::string_view(each.client_request_token)));
            }
            return hash;
        },
        request);
}

std::uint64_t hash_of(const lock_name& lock) {
    std::uint64_t hash = lock.before ? 1 : 0;
    for (const auto byte : lock.stamp) hash = mixed(hash, std::to_integer<std::uint64_t>(byte));
    for (const auto byte : lock.before.value_or(item_stamp{})) hash = mixed(hash, std::to_integer<std::uint64_t>(byte));
    return hash;
}

std::uint64_t hash_of(const item_mark& mark) {
    auto hash = mixed(hash_of(mark.lock), hash_of(std::string_view(mark.owner.id)));
    hash = mixed(mixed(hash, static_cast<std::uint64_t>(mark.kind)), static_cast<std::uint64_t>(mark.write));
    for (const auto& image : mark.images) hash = mixed(hash, image.absent ? 2 : 3);
    return hash;
}

}  // namespace dynalease::protocol::test
