// From C++ values to attribute values and back, by type.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <dynalease/error.hpp>
#include <dynalease/item/item_members.hpp>
#include <dynalease/mapping/enumerators.hpp>
#include <dynalease/mapping/forms.hpp>
#include <dynalease/mapping/members.hpp>
#include <dynalease/mapping/scalars.hpp>

#include <chrono>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <limits>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>

#pragma GCC visibility push(default)
namespace dynalease::mapping {

template <class T>
attribute_value write(const T& value, const mapping_place& place);
template <class T>
T read(const attribute_value& stored, const mapping_place& place);

template <class Duration>
inline constexpr time_unit unit_of{.seconds = Duration::period::num, .parts = Duration::period::den};
/// What the ticks of a duration can be, of that which 64 bits with a sign hold.
template <class Rep>
inline constexpr std::int64_t least_ticks = std::in_range<std::int64_t>(std::numeric_limits<Rep>::min())
                                                ? static_cast<std::int64_t>(std::numeric_limits<Rep>::min())
                                                : 0;
template <class Rep>
inline constexpr std::int64_t most_ticks = std::in_range<std::int64_t>(std::numeric_limits<Rep>::max())
                                               ? static_cast<std::int64_t>(std::numeric_limits<Rep>::max())
                                               : std::numeric_limits<std::int64_t>::max();

/// What the user's own conversions throw, with its place.
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

// ---- structs -----------------------------------------------------------------------------------------------

/// A member that has a value; as it says itself, as the table's TTL wants it, or as its type has it.
template <class Traits, class T>
attribute_value write_member(const T& value, bool for_expiry, const mapping_place& place) {
    if constexpr (converts_to_attribute<Traits, T>)
        return with_place([&]() -> attribute_value { return Traits::to_attribute(value, place); }, place);
    else if constexpr (requires { typename form<T>::time_in; })
        return for_expiry ? as_epoch_seconds::to_attribute(value, place) : write(value, place);
    else
        return write(value, place);
}

/// An empty optional is an absent attribute, unless it stands in a list or map, where it is NULL; so is an empty set,
/// which can stand nowhere else.
template <class T>
void write_members(const T& value, item_members& into, const mapping_place& place) {
    static_assert(lists_its_bases<T>, "the struct has a base with members that its description does not list");
    for_each_member<T>([&](auto each) {
        using descriptor = decltype(each);
        using traits = member_traits<descriptor::pointer>;
        if constexpr (member_named<T, descriptor>::value && is_written<traits>) {
            const auto& part = value.*descriptor::pointer;
            const auto name = attribute_of<T, descriptor>();
            const mapping_place here(place, descriptor::name, name);
            const bool for_expiry = name == item_traits<T>::time_to_live;
            if constexpr (is_optional<type_of<T, descriptor>>) {
                if (part)
                    add_member(into, name, write_member<traits>(*part, for_expiry, here), here);
                else
                    into.absent.emplace_back(name);
            } else if constexpr (absent_if_empty<T, descriptor>()) {
                if (!part.empty())
                    add_member(into, name, write_member<traits>(part, for_expiry, here), here);
                else
                    into.absent.emplace_back(name);
            } else {
                add_member(into, name, write_member<traits>(part, for_expiry, here), here);
            }
        }
    });
    check_names(into, place);
}

template <class Traits, class T>
T read_member(const attribute_value& stored, const mapping_place& place) {
    if constexpr (!converts_from_attribute<Traits, held_type<T>>)
        return read<T>(stored, place);
    else
        return with_place([&]() -> T { return Traits::from_attribute(stored, place); }, place);
}

/// @param keep_defaults of all members: those whose attribute is absent keep the value that they are made with
template <class T>
T read_members(const attribute_map& stored, const mapping_place& place, bool keep_defaults = false) {
    T out{};
    for_each_member<T>([&](auto each) {
        using descriptor = decltype(each);
        if constexpr (member_named<T, descriptor>::value) {
            using part_type = type_of<T, descriptor>;
            const auto name = attribute_of<T, descriptor>();
            const mapping_place here(place, descriptor::name, name);
            if (const auto found = stored.find(name); found != stored.end()) {
                out.*descriptor::pointer =
                    read_member<member_traits<descriptor::pointer>, part_type>(found->second, here);
            } else if constexpr (absent_if_empty<T, descriptor>()) {
                (out.*descriptor::pointer).clear();
            } else if constexpr (!may_be_absent<T, descriptor>()) {
                if (!keep_defaults) fail_absent(here);
            }
        }
    });
    return out;
}

// ---- items --------------------------------------------------------------------------------------------------

/// All that is stored of a struct, or of the struct that a variant holds.
template <class T>
void write_item(const T& value, item_members& into, const mapping_place& place) {
    if constexpr (struct_variant<T>) {
        if (value.valueless_by_exception()) place.fail("holds none of its structs");
        std::visit([&](const auto& held) { write_item(held, into, place); }, value);
        using traits = variant_traits<T>;
        add_alternative(into, traits::discriminator, traits::values[value.index()], attributes_of<T, true>(), place);
    } else {
        write_members(value, into, place);
        if constexpr (requires { item_members(item_traits<T>::derived(value)); }) {
            add_derived(into, with_place([&]() -> item_members { return item_traits<T>::derived(value); }, place),
                        place);
        }
    }
}

template <class T>
T read_item(const attribute_map& stored, const mapping_place& place) {
    if constexpr (struct_variant<T>) {
        using traits = variant_traits<T>;
        const auto which = alternative_in(stored, traits::discriminator, traits::values, place);
        T out;
        [&]<std::size_t... Place>(std::index_sequence<Place...>) {
            const auto take = [&]<std::size_t At>(std::integral_constant<std::size_t, At>) {
                out.template emplace<At>(read_members<std::variant_alternative_t<At, T>>(stored, place));
            };
            ((Place == which ? take(std::integral_constant<std::size_t, Place>{}) : void()), ...);
        }(std::make_index_sequence<std::variant_size_v<T>>{});
        return out;
    } else {
        return read_members<T>(stored, place);
    }
}

/// A new one with this key; of a variant its first struct. All else is as it is made.
template <class T>
T blank_item(const attribute_map& key) {
    if constexpr (struct_variant<T>)
        return blank_item<std::variant_alternative_t<0, T>>(key);
    else
        return read_members<T>(key, mapping_place{}, true);
}

// ---- containers --------------------------------------------------------------------------------------------

template <key_form T>
std::string key_text(const T& key, const mapping_place& place) {
    if constexpr (described_enum<T>)
        return enumerator_name(key, place);
    else if constexpr (detail::whole_number<T>)
        return std::to_string(key);
    else
        return checked_text(key, place);
}
template <key_form T>
T key_in(const std::string& text, const mapping_place& place) {
    if constexpr (described_enum<T>)
        return enumerator_of<T>(text, place);
    else if constexpr (detail::whole_number<T>)
        return read<T>(to_number(text, place), place);
    else
        return text;
}

template <class List>
attribute_list write_list(const List& values, const mapping_place& place) {
    using element = typename List::value_type;
    attribute_list out;
    std::size_t index = 0;
    for (const element& each : values) out.push_back(write(each, mapping_place(place, index++)));
    return out;
}

template <class Array>
Array read_array(const attribute_list& stored, const mapping_place& place) {
    Array out{};
    if (stored.size() != out.size()) {
        place.fail("has " + std::to_string(stored.size()) + " elements, and must have " + std::to_string(out.size()));
    }
    for (std::size_t i = 0; i < out.size(); ++i) {
        out[i] = read<typename Array::value_type>(stored[i], mapping_place(place, i));
    }
    return out;
}

template <class Map>
attribute_map write_map(const Map& values, const mapping_place& place) {
    attribute_map out;
    for (const auto& [key, each] : values) {
        auto name = key_text(key, place);
        const mapping_place here(place, name, name);
        out.emplace(name, write(each, here));
    }
    return out;
}

template <class Map>
Map read_map(const attribute_map& stored, const mapping_place& place) {
    Map out;
    for (const auto& [name, each] : stored) {
        const mapping_place here(place, name, name);
        auto key = key_in<typename Map::key_type>(name, here);
        const bool is_new = out.emplace(std::move(key), read<typename Map::mapped_type>(each, here)).second;
        if (!is_new) here.fail("has the key of another entry");
    }
    return out;
}

template <class Set>
attribute_value write_set(const Set& values, const mapping_place& place) {
    using element = typename Set::value_type;
    if (values.empty()) place.fail("is an empty set, which cannot be stored; make the member a std::optional");
    if constexpr (std::same_as<element, binary>) {
        return binary_set(values.begin(), values.end());
    } else if constexpr (std::same_as<element, std::string> || described_enum<element>) {
        string_set out;
        for (const auto& each : values) out.insert(key_text(each, place));
        return out;
    } else {
        return number_set(values.begin(), values.end());
    }
}

template <class Set>
Set read_set(const attribute_value& stored, const mapping_place& place) {
    using element = typename Set::value_type;
    Set out;
    if constexpr (std::same_as<element, std::string> || described_enum<element>) {
        for (const auto& each : held_as<string_set>(stored, "SS", place)) out.insert(key_in<element>(each, place));
    } else if constexpr (std::same_as<element, binary>) {
        for (const auto& each : held_as<binary_set>(stored, "BS", place)) out.insert(each);
    } else {
        for (const auto& each : held_as<number_set>(stored, "NS", place)) out.insert(read<element>(each, place));
    }
    return out;
}

// ---- all ---------------------------------------------------------------------------------------------------

template <class T>
attribute_value write(const T& value, const mapping_place& place) {
    using shape = form<T>;
    if constexpr (customised<T>) {
        return with_place([&]() -> attribute_value { return attribute_traits<T>::to_attribute(value, place); }, place);
    } else if constexpr (std::floating_point<T>) {
        return from_floating(value, place);
    } else if constexpr (std::same_as<T, std::string>) {
        return checked_text(value, place);
    } else if constexpr (plain<T>) {
        return value;
    } else if constexpr (described_enum<T>) {
        return enumerator_name(value, place);
    } else if constexpr (is_optional<T>) {
        return value ? write(*value, place) : attribute_value(null{});
    } else if constexpr (requires { typename shape::list_of; } || requires { typename shape::array_of; }) {
        return write_list(value, place);
    } else if constexpr (requires { typename shape::map_of; }) {
        return write_map(value, place);
    } else if constexpr (requires { typename shape::set_of; }) {
        return write_set(value, place);
    } else if constexpr (requires { typename shape::time_in; }) {
        return from_time(value.time_since_epoch().count(), unit_of<typename shape::time_in>, place);
    } else if constexpr (requires { typename shape::duration_of; }) {
        if constexpr (std::floating_point<typename T::rep>)
            return from_floating(std::chrono::duration<double>(value).count(), place);
        else
            return from_duration(static_cast<std::int64_t>(value.count()), unit_of<T>, place);
    } else {
        item_members members;
        write_item(value, members, place);
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
        return enumerator_of<T>(held_as<std::string>(stored, "S", place), place);
    } else if constexpr (is_optional<T>) {
        using inner = typename shape::optional_of;
        if (stored.is<null>() && !is_optional<inner>) return std::nullopt;
        return T(std::in_place, read<inner>(stored, place));
    } else if constexpr (requires { typename shape::list_of; }) {
        T out;
        for (const auto& each : held_as<attribute_list>(stored, "L", place)) {
            out.push_back(read<typename shape::list_of>(each, mapping_place(place, out.size())));
        }
        return out;
    } else if constexpr (requires { typename shape::array_of; }) {
        return read_array<T>(held_as<attribute_list>(stored, "L", place), place);
    } else if constexpr (requires { typename shape::map_of; }) {
        return read_map<T>(held_as<attribute_map>(stored, "M", place), place);
    } else if constexpr (requires { typename shape::set_of; }) {
        return read_set<T>(stored, place);
    } else if constexpr (requires { typename shape::time_in; }) {
        using duration = typename shape::time_in;
        using rep = typename duration::rep;
        return T(
            duration(static_cast<rep>(to_time(stored, unit_of<duration>, least_ticks<rep>, most_ticks<rep>, place))));
    } else if constexpr (requires { typename shape::duration_of; }) {
        using rep = typename T::rep;
        const auto& seconds = held_as<number>(stored, "N", place);
        if constexpr (std::floating_point<rep>)
            return std::chrono::duration_cast<T>(std::chrono::duration<double>(seconds.to_double()));
        else
            return T(static_cast<rep>(to_duration(seconds, unit_of<T>, least_ticks<rep>, most_ticks<rep>, place)));
    } else {
        return read_item<T>(held_as<attribute_map>(stored, "M", place), place);
    }
}

}  // namespace dynalease::mapping
#pragma GCC visibility pop
