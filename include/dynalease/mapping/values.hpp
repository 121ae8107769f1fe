// From C++ values to attribute values and back, by type.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <dynalease/error.hpp>
#include <dynalease/item/item_members.hpp>
#include <dynalease/mapping/bases.hpp>
#include <dynalease/mapping/scalars.hpp>
#include <dynalease/mapping/traits.hpp>

#include <boost/describe/enumerators.hpp>
#include <boost/describe/members.hpp>

#include <chrono>
#include <concepts>
#include <cstdint>
#include <exception>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

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
concept whole_number =
    std::integral<T> && !std::same_as<T, bool> && !std::same_as<T, char> && !std::same_as<T, wchar_t> &&
    !std::same_as<T, char8_t> && !std::same_as<T, char16_t> && !std::same_as<T, char32_t>;
template <class T>
concept plain = std::same_as<T, std::string> || std::same_as<T, number> || std::same_as<T, binary> ||
                std::same_as<T, bool> || std::same_as<T, null> || std::same_as<T, attribute_value> ||
                std::same_as<T, double> || std::same_as<T, float> || whole_number<T>;

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
template <class T, class Order>
struct form<std::map<std::string, T, Order>> : std::bool_constant<form<T>::value && !optional_twice<T>> {
    using map_of = T;
};
template <class T, class Order>
struct form<std::set<T, Order>> : std::bool_constant<std::same_as<T, std::string> || std::same_as<T, number> ||
                                                     std::same_as<T, binary> || whole_number<T>> {
    using set_of = T;
};
/// Whole ticks, of whole seconds or of such parts of one as nine digits tell exactly.
template <class Duration>
struct form<std::chrono::sys_time<Duration>>
    : std::bool_constant<std::integral<typename Duration::rep> &&
                         (Duration::period::den == 1 ||
                          (Duration::period::num == 1 && 1'000'000'000 % Duration::period::den == 0))> {
    using time_in = Duration;
};

template <class T>
inline constexpr bool mappable = form<T>::value;

/// The members of a described struct, private ones too, and those of its bases first.
template <class T>
using members_of =
    boost::describe::describe_members<T, boost::describe::mod_any_access | boost::describe::mod_inherited>;

/// Calls `visit` with a descriptor of each.
template <class T, class Visitor>
constexpr void for_each_member(Visitor&& visit) {
    []<template <class...> class List, class... Member>(List<Member...>, Visitor& call) { (call(Member{}), ...); }(
        members_of<T>{}, visit);
}

/// Instantiated for each member, so that a compiler's message about it names the member.
template <class Struct, auto Member, class T>
struct member {
    static_assert(
        mappable<T>,
        "this member of the struct has no form as a DynamoDB attribute: describe its type with Boost.Describe, "
        "specialise dynalease::attribute_traits for it, or leave it out of the description");
    static constexpr bool value = mappable<T>;
};
template <class Struct, class Descriptor>
using member_named = member<Struct, Descriptor::pointer,
                            std::remove_cvref_t<decltype(std::declval<const Struct&>().*Descriptor::pointer)>>;

template <class T>
attribute_value write(const T& value, const mapping_place& place);
template <class T>
T read(const attribute_value& stored, const mapping_place& place);

template <class Duration>
inline constexpr time_unit unit_of{.seconds = Duration::period::num, .parts = Duration::period::den};

/// A time, or an optional one that is not empty, as TTL wants it; other values as always.
template <class T>
attribute_value write_for_expiry(const T& value, const mapping_place& place) {
    if constexpr (requires { typename form<T>::time_in; })
        return from_epoch_time(value.time_since_epoch().count(), unit_of<typename form<T>::time_in>, place);
    else if constexpr (requires { typename form<typename form<T>::optional_of>::time_in; })
        return write_for_expiry(*value, place);
    else
        return write(value, place);
}

/// An empty optional is an absent attribute, unless it stands in a list or map, where it is NULL.
template <class T>
void write_members(const T& value, item_members& into, const mapping_place& place) {
    static_assert(lists_its_bases<T>, "the struct has a base with members that its description does not list");
    for_each_member<T>([&](auto each) {
        using descriptor = decltype(each);
        if constexpr (member_named<T, descriptor>::value) {
            const auto& part = value.*descriptor::pointer;
            const auto name = item_traits<T>::attribute_name(descriptor::name);
            if constexpr (requires { typename form<std::remove_cvref_t<decltype(part)>>::optional_of; }) {
                if (!part) {
                    into.absent.emplace_back(name);
                    return;
                }
            }
            const mapping_place here(place, descriptor::name, name);
            auto stored = name == item_traits<T>::time_to_live ? write_for_expiry(part, here) : write(part, here);
            const bool is_new = into.present.emplace(std::string(name), std::move(stored)).second;
            if (!is_new) here.fail("has the attribute name of another member");
        }
    });
    check_names(into, place);
}

/// Whether the member is the one that shows the version.
template <class T, class Descriptor>
constexpr bool shows_version() {
    // Named here, for GCC 12 loses the const of a constant whose type is asked for inside a generic lambda.
    using chosen = std::remove_const_t<decltype(item_traits<T>::version_member)>;
    if constexpr (std::same_as<std::remove_const_t<decltype(Descriptor::pointer)>, chosen>)
        return Descriptor::pointer == item_traits<T>::version_member;
    else
        return false;
}

/// @param keep_defaults members whose attribute is absent keep the value they are made with; else that is an error.
template <class T>
T read_members(const attribute_map& stored, const mapping_place& place, bool keep_defaults = false) {
    T out{};
    for_each_member<T>([&](auto each) {
        using descriptor = decltype(each);
        if constexpr (member_named<T, descriptor>::value) {
            auto& part = out.*descriptor::pointer;
            using part_type = std::remove_cvref_t<decltype(part)>;
            const auto name = item_traits<T>::attribute_name(descriptor::name);
            const mapping_place here(place, descriptor::name, name);
            if (const auto found = stored.find(name); found != stored.end()) {
                part = read<part_type>(found->second, here);
            } else if constexpr (!requires { typename form<part_type>::optional_of; } &&
                                 !shows_version<T, descriptor>()) {
                if (!keep_defaults) here.fail("is absent in the item; make the member a std::optional if it may be");
            }
        }
    });
    return out;
}

template <class T>
attribute_value write_enum(T value, const mapping_place& place) {
    const char* found = nullptr;
    []<template <class...> class List, class... Each>(List<Each...>, T wanted, const char*& name) {
        ((Each::value == wanted ? void(name = Each::name) : void()), ...);
    }(boost::describe::describe_enumerators<T>{}, value, found);
    if (!found) place.fail("is " + std::to_string(static_cast<std::int64_t>(value)) + ", which has no described name");
    return found;
}

template <class T>
T read_enum(const std::string& name, const mapping_place& place) {
    std::optional<T> found;
    []<template <class...> class List, class... Each>(List<Each...>, const std::string& wanted, std::optional<T>& out) {
        ((wanted == Each::name ? void(out = Each::value) : void()), ...);
    }(boost::describe::describe_enumerators<T>{}, name, found);
    if (!found) place.fail("is \"" + name + "\", which is no name of the enumeration");
    return *found;
}

template <class Set>
attribute_value write_set(const Set& values, const mapping_place& place) {
    using element = typename Set::value_type;
    if (values.empty()) place.fail("is an empty set, which cannot be stored; make the member a std::optional");
    if constexpr (std::same_as<element, std::string>)
        return string_set(values.begin(), values.end());
    else if constexpr (std::same_as<element, binary>)
        return binary_set(values.begin(), values.end());
    else
        return number_set(values.begin(), values.end());
}

template <class Set>
Set read_set(const attribute_value& stored, const mapping_place& place) {
    using element = typename Set::value_type;
    Set out;
    if constexpr (std::same_as<element, std::string>) {
        for (const auto& each : held_as<string_set>(stored, "SS", place)) out.insert(each);
    } else if constexpr (std::same_as<element, binary>) {
        for (const auto& each : held_as<binary_set>(stored, "BS", place)) out.insert(each);
    } else {
        for (const auto& each : held_as<number_set>(stored, "NS", place)) out.insert(read<element>(each, place));
    }
    return out;
}

/// What a specialisation of `attribute_traits` throws, with its place.
template <class Call>
auto with_place(Call call, const mapping_place& place) {
    try {
        return call();
    } catch (const error&) {
        throw;
    } catch (const std::exception& why) {
        place.fail(std::string("does not fit its type: ") + why.what());
    }
}

template <class T>
attribute_value write(const T& value, const mapping_place& place) {
    using shape = form<T>;
    if constexpr (customised<T>) {
        return with_place([&]() -> attribute_value { return attribute_traits<T>::to_attribute(value, place); }, place);
    } else if constexpr (std::floating_point<T>) {
        return from_floating(value, place);
    } else if constexpr (plain<T>) {
        return value;
    } else if constexpr (described_enum<T>) {
        return write_enum(value, place);
    } else if constexpr (requires { typename shape::optional_of; }) {
        return value ? write(*value, place) : attribute_value(null{});
    } else if constexpr (requires { typename shape::list_of; }) {
        attribute_list out;
        std::size_t index = 0;
        for (const typename shape::list_of& each : value) out.push_back(write(each, mapping_place(place, index++)));
        return out;
    } else if constexpr (requires { typename shape::map_of; }) {
        attribute_map out;
        for (const auto& [name, each] : value) out.emplace(name, write(each, mapping_place(place, name, name)));
        return out;
    } else if constexpr (requires { typename shape::set_of; }) {
        return write_set(value, place);
    } else if constexpr (requires { typename shape::time_in; }) {
        return from_time(value.time_since_epoch().count(), unit_of<typename shape::time_in>, place);
    } else {
        item_members members;
        write_members(value, members, place);
        return std::move(members.present);
    }
}

template <class T>
T read(const attribute_value& stored, const mapping_place& place) {
    using shape = form<T>;
    if constexpr (customised<T>) {
        return with_place([&]() -> T { return attribute_traits<T>::from_attribute(stored, place); }, place);
    } else if constexpr (std::same_as<T, attribute_value>) {
        return stored;
    } else if constexpr (std::same_as<T, std::string>) {
        return held_as<std::string>(stored, "S", place);
    } else if constexpr (std::same_as<T, number>) {
        return held_as<number>(stored, "N", place);
    } else if constexpr (std::same_as<T, binary>) {
        return held_as<binary>(stored, "B", place);
    } else if constexpr (std::same_as<T, bool>) {
        return held_as<bool>(stored, "BOOL", place);
    } else if constexpr (std::same_as<T, null>) {
        return held_as<null>(stored, "NULL", place);
    } else if constexpr (std::same_as<T, float>) {
        return to_float(held_as<number>(stored, "N", place), place);
    } else if constexpr (std::same_as<T, double>) {
        return held_as<number>(stored, "N", place).to_double();
    } else if constexpr (std::unsigned_integral<T>) {
        return static_cast<T>(to_unsigned(held_as<number>(stored, "N", place), std::numeric_limits<T>::max(), place));
    } else if constexpr (std::signed_integral<T>) {
        return static_cast<T>(to_signed(held_as<number>(stored, "N", place), std::numeric_limits<T>::min(),
                                        std::numeric_limits<T>::max(), place));
    } else if constexpr (described_enum<T>) {
        return read_enum<T>(held_as<std::string>(stored, "S", place), place);
    } else if constexpr (requires { typename shape::optional_of; }) {
        using inner = typename shape::optional_of;
        if (stored.is<null>() && !requires { typename form<inner>::optional_of; }) return std::nullopt;
        return T(std::in_place, read<inner>(stored, place));
    } else if constexpr (requires { typename shape::list_of; }) {
        T out;
        for (const auto& each : held_as<attribute_list>(stored, "L", place)) {
            out.push_back(read<typename shape::list_of>(each, mapping_place(place, out.size())));
        }
        return out;
    } else if constexpr (requires { typename shape::map_of; }) {
        T out;
        for (const auto& [name, each] : held_as<attribute_map>(stored, "M", place)) {
            out.emplace(name, read<typename shape::map_of>(each, mapping_place(place, name, name)));
        }
        return out;
    } else if constexpr (requires { typename shape::set_of; }) {
        return read_set<T>(stored, place);
    } else if constexpr (requires { typename shape::time_in; }) {
        using duration = typename shape::time_in;
        using limits = std::numeric_limits<typename duration::rep>;
        constexpr auto lowest =
            std::in_range<std::int64_t>(limits::min()) ? static_cast<std::int64_t>(limits::min()) : 0;
        constexpr auto highest = std::in_range<std::int64_t>(limits::max()) ? static_cast<std::int64_t>(limits::max())
                                                                            : std::numeric_limits<std::int64_t>::max();
        const auto ticks = to_time(stored, unit_of<duration>, lowest, highest, place);
        return T(duration(static_cast<typename duration::rep>(ticks)));
    } else {
        return read_members<T>(held_as<attribute_map>(stored, "M", place), place);
    }
}

template <class T>
inline constexpr bool has_version_member =
    !std::same_as<std::remove_const_t<decltype(item_traits<T>::version_member)>, std::nullptr_t>;
/// Whether one of the described members shows the version.
template <class T>
inline constexpr bool describes_version =
    []<template <class...> class List, class... Member>(List<Member...>*) {
        return (shows_version<T, Member>() || ...);
    }(static_cast<members_of<T>*>(nullptr));

/// The attribute of the member that shows the version; empty if no member does.
template <class T>
std::string_view version_attribute() {
    std::string_view name;
    if constexpr (has_version_member<T>) {
        static_assert(describes_version<T>, "item_traits<T>::version_member is no member that is described");
        for_each_member<T>([&](auto each) {
            using descriptor = decltype(each);
            if constexpr (shows_version<T, descriptor>()) name = item_traits<T>::attribute_name(descriptor::name);
        });
    }
    return name;
}

}  // namespace dynalease::mapping
