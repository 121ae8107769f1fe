// Which C++ types have a form as an attribute, and which.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <dynalease/dynamodb/attribute_value.hpp>
#include <dynalease/mapping/place.hpp>
#include <dynalease/mapping/traits.hpp>

#include <boost/describe/enumerators.hpp>
#include <boost/describe/members.hpp>

#include <array>
#include <chrono>
#include <concepts>
#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <type_traits>
#include <unordered_map>
#include <unordered_set>
#include <variant>
#include <vector>

#pragma GCC visibility push(default)
namespace dynalease::mapping {

template <class T>
concept customised = requires(const T& value, const attribute_value& stored, const mapping_place& place) {
    { attribute_traits<T>::to_attribute(value, place) } -> std::convertible_to<attribute_value>;
    { attribute_traits<T>::from_attribute(stored, place) } -> std::convertible_to<T>;
};
template <class T>
concept described_enum = std::is_enum_v<T> && boost::describe::has_describe_enumerators<T>::value;
template <class T>
concept described_struct = std::is_class_v<T> && boost::describe::has_describe_members<T>::value;
template <class T>
concept plain = std::same_as<T, std::string> || std::same_as<T, number> || std::same_as<T, binary> ||
                std::same_as<T, bool> || std::same_as<T, null> || std::same_as<T, attribute_value> ||
                std::same_as<T, double> || std::same_as<T, float> || detail::whole_number<T>;

/// What can be the key of a map: an item has strings there.
template <class T>
concept key_form = std::same_as<T, std::string> || detail::whole_number<T> || described_enum<T>;
template <class T>
concept element_form = key_form<T> || std::same_as<T, number> || std::same_as<T, binary>;
/// Ticks of whole seconds, or of such parts of one as nine digits tell exactly.
template <class Duration>
concept exact_duration =
    std::integral<typename Duration::rep> &&
    (Duration::period::den == 1 || (Duration::period::num == 1 && 1'000'000'000 % Duration::period::den == 0));

/// What a type is made of: `value` says whether it has a form as an attribute.
template <class T>
struct form : std::bool_constant<plain<T> || customised<T> || described_enum<T> || described_struct<T>> {};
/// As a member it may be absent, NULL, or a value; elsewhere nothing can be absent.
template <class T>
inline constexpr bool optional_twice = false;
template <class T>
inline constexpr bool optional_twice<std::optional<std::optional<T>>> = true;
template <class T>
struct form<std::optional<T>> : std::bool_constant<form<T>::value && !optional_twice<T>> {
    using optional_of = T;
};
template <class T>
    requires(!std::same_as<T, std::byte>)
struct form<std::vector<T>> : std::bool_constant<form<T>::value && !optional_twice<T>> {
    using list_of = T;
};
template <class T, std::size_t Size>
struct form<std::array<T, Size>> : std::bool_constant<form<T>::value && !optional_twice<T>> {
    using array_of = T;
};
template <class Key, class T, class Order>
struct form<std::map<Key, T, Order>> : std::bool_constant<key_form<Key> && form<T>::value && !optional_twice<T>> {
    using map_of = T;
};
template <class Key, class T, class Hash, class Equal>
struct form<std::unordered_map<Key, T, Hash, Equal>> : form<std::map<Key, T>> {};
template <class T, class Order>
struct form<std::set<T, Order>> : std::bool_constant<element_form<T>> {
    using set_of = T;
};
template <class T, class Hash, class Equal>
struct form<std::unordered_set<T, Hash, Equal>> : form<std::set<T>> {};
template <class Duration>
struct form<std::chrono::sys_time<Duration>> : std::bool_constant<exact_duration<Duration>> {
    using time_in = Duration;
};
template <class Rep, class Period>
struct form<std::chrono::duration<Rep, Period>>
    : std::bool_constant<exact_duration<std::chrono::duration<Rep, Period>> || std::floating_point<Rep>> {
    using duration_of = Rep;
};

/// A variant whose alternatives are described structs, with a name for each.
template <class T>
inline constexpr bool tells_apart = false;
template <class... T>
inline constexpr bool tells_apart<std::variant<T...>> = (described_struct<T> && ...) && requires {
    std::string_view(variant_traits<std::variant<T...>>::discriminator);
    requires variant_traits<std::variant<T...>>::values.size() == sizeof...(T);
};
template <class T>
concept struct_variant = tells_apart<T>;
template <class... T>
struct form<std::variant<T...>>
    : std::bool_constant<customised<std::variant<T...>> || struct_variant<std::variant<T...>>> {};

template <class T>
inline constexpr bool mappable = form<T>::value;
template <class T>
inline constexpr bool is_optional = requires { typename form<T>::optional_of; };

}  // namespace dynalease::mapping
#pragma GCC visibility pop
