// Random attribute values, keys and items.
// SPDX-License-Identifier: BSL-1.0
#include "conformance/values.hpp"

#include <array>
#include <string_view>
#include <utility>

namespace dynalease::conformance {

namespace {

using texts = std::string_view;

binary bytes_of(std::string_view text) {
    binary out;
    for (const char c : text) out.push_back(static_cast<std::byte>(c));
    return out;
}

std::string member_name(dice& chance) {
    static constexpr std::array<texts, 5> names{"x", "y", "n1", "size", "a.b"};
    return std::string(chance.pick(names));
}

template <class Set, class Make>
attribute_value set_of(dice& chance, Make make) {
    Set out;
    for (auto count = 1 + chance.below(3); count > 0; --count) out.insert(make());
    return out;
}

}  // namespace

std::string random_attribute(dice& chance) {
    static constexpr std::array<texts, 20> names{"n1", "n1", "n2", "n3",  "s1",  "s1",  "s2",  "l1",  "l1",   "m1",
                                                 "m1", "b1", "t1", "ss1", "ns1", "bs1", "any", "any", "name", "a.b"};
    return std::string(chance.pick(names));
}

attribute_value random_number(dice& chance) {
    static constexpr std::array<texts, 24> common{"0",
                                                  "1",
                                                  "-1",
                                                  "2",
                                                  "2",
                                                  "3",
                                                  "5",
                                                  "10",
                                                  "-10",
                                                  "100",
                                                  "1.5",
                                                  "0.1",
                                                  "-0.5",
                                                  "1.0",
                                                  "007",
                                                  "-0",
                                                  "1e2",
                                                  "5E-1",
                                                  "12345678901234567890",
                                                  "99999999999999999999999999999999999999",
                                                  "1E+30",
                                                  "0.000001",
                                                  "+3",
                                                  "-123.4560"};
    static constexpr std::array<texts, 6> extreme{"9.9999999999999999999999999999999999999E+125", "1E-130", "-1E+125",
                                                  "0.1234567890123456789012345678901234567",      "1E40",   "-1E-130"};
    return number(chance.percent(4) ? chance.pick(extreme) : chance.pick(common));
}

attribute_value random_text(dice& chance) {
    static constexpr std::array<texts, 14> common{"",   "a", "a", "ab", "abc", "b",  "B",
                                                  "ba", "S", "N", "1",  "é",   "z ", "😀"};
    return std::string(chance.pick(common));
}

attribute_value random_bytes(dice& chance) {
    static constexpr std::array<texts, 7> common{"", "a", "ab", "abc", "b", "\xff\x01", "\x7f"};
    return bytes_of(chance.pick(common));
}

attribute_value random_list(dice& chance, unsigned depth) {
    attribute_list out;
    for (auto count = chance.below(4); count > 0; --count) out.push_back(random_value(chance, depth + 1));
    return out;
}

attribute_value random_map(dice& chance, unsigned depth) {
    attribute_map out;
    for (auto count = chance.below(4); count > 0; --count) {
        out.insert_or_assign(member_name(chance), random_value(chance, depth + 1));
    }
    return out;
}

attribute_value random_set(dice& chance) {
    switch (chance.below(3)) {
        case 0:
            return set_of<string_set>(chance, [&] { return *random_text(chance).get_if<std::string>() + "."; });
        case 1:
            return set_of<number_set>(chance, [&] { return *random_number(chance).get_if<number>(); });
        default:
            return set_of<binary_set>(chance, [&] {
                auto bytes = *random_bytes(chance).get_if<binary>();
                bytes.push_back(std::byte{7});
                return bytes;
            });
    }
}

attribute_value random_value(dice& chance, unsigned depth) {
    switch (chance.below(depth < 3 ? 11 : 8)) {
        case 0:
        case 1:
            return random_text(chance);
        case 2:
        case 3:
            return random_number(chance);
        case 4:
            return random_bytes(chance);
        case 5:
            return chance.percent(50);
        case 6:
            return null{};
        case 7:
            return random_set(chance);
        case 8:
        case 9:
            return random_map(chance, depth);
        default:
            return random_list(chance, depth);
    }
}

attribute_value random_value_for(dice& chance, const std::string& attribute) {
    if (chance.percent(12)) return random_value(chance);
    if (attribute == "ss1") {
        return set_of<string_set>(chance, [&] { return *random_text(chance).get_if<std::string>() + "."; });
    }
    if (attribute == "ns1") return set_of<number_set>(chance, [&] { return *random_number(chance).get_if<number>(); });
    switch (attribute.front()) {
        case 'n':
            return random_number(chance);
        case 's':
            return random_text(chance);
        case 'l':
            return random_list(chance);
        case 'm':
            return random_map(chance);
        case 'b':
            return random_bytes(chance);
        case 't':
            return chance.percent(50);
        default:
            return random_value(chance);
    }
}

attribute_value random_key_value(dice& chance, scalar_type type) {
    static constexpr std::array<texts, 5> words{"a", "a", "ab", "b", "é"};
    static constexpr std::array<texts, 8> numbers{"0", "1", "1.0", "-1", "10", "2", "1e1", "-2.5"};
    switch (type) {
        case scalar_type::s:
            return std::string(chance.pick(words));
        case scalar_type::n:
            return number(chance.pick(numbers));
        case scalar_type::b:
            return bytes_of(chance.pick(words));
    }
    return null{};
}

item_key random_key(dice& chance, const key_schema& schema) {
    item_key key;
    key.emplace(schema.hash.name, random_key_value(chance, schema.hash.type));
    if (schema.range) key.emplace(schema.range->name, random_key_value(chance, schema.range->type));
    if (!chance.percent(4)) return key;
    const std::string& name = schema.range && chance.percent(50) ? schema.range->name : schema.hash.name;
    switch (chance.below(4)) {
        case 0:
            key.erase(name);
            break;
        case 1:
            key.insert_or_assign(name, random_value(chance));
            break;
        case 2:
            key.insert_or_assign(name, std::string());
            break;
        default:
            key.insert_or_assign(random_attribute(chance), random_value(chance));
    }
    return key;
}

item random_item(dice& chance, const key_schema& schema) {
    item out = random_key(chance, schema);
    for (auto count = chance.below(7); count > 0; --count) {
        auto name = random_attribute(chance);
        auto value = random_value_for(chance, name);
        out.insert_or_assign(std::move(name), std::move(value));
    }
    return out;
}

}  // namespace dynalease::conformance
