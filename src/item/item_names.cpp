// Names of an application's items.
// SPDX-License-Identifier: BSL-1.0
#include "item/item_names.hpp"

#include "database/argument_check.hpp"
#include "database/table_name.hpp"

#include <set>
#include <string_view>
#include <utility>

namespace dynalease::detail {

namespace {

constexpr std::size_t longest_key = 2048;

void append_escaped(std::string& into, std::string_view bytes) {
    constexpr std::string_view digits = "0123456789ABCDEF";
    for (const char c : bytes) {
        const auto byte = static_cast<unsigned char>(c);
        if (byte > ' ' && byte != '/' && byte != '%' && byte != 0x7f) {
            into += c;
        } else {
            into += '%';
            into += digits[byte >> 4];
            into += digits[byte & 15U];
        }
    }
}

void append_key_value(std::string& into, const attribute_value& value) {
    if (const auto* text = value.get_if<std::string>()) {
        append_escaped(into, *text);
    } else if (const auto* amount = value.get_if<number>()) {
        into += amount->canonical_text();  // 1, 1.0 and 1E0 are one key
    } else if (const auto* bytes = value.get_if<binary>()) {
        append_escaped(into, {reinterpret_cast<const char*>(bytes->data()), bytes->size()});
    }
}

}  // namespace

std::string item_name(const item_ref& target) {
    auto name = target.table;
    for (const auto& [attribute, value] : target.key) {
        name += '/';
        append_key_value(name, value);
    }
    return name;
}

void check_item(const item_ref& target, const char* operation) {
    check_table_name(target.table);
    const argument_check require(operation);
    require(target.key.size() == 1 || target.key.size() == 2, errc::bad_attribute,
            "a key has one or two attributes; this one has " + std::to_string(target.key.size()));
    std::set<std::string> names;
    for (const auto& [name, value] : target.key) {
        require(
            !name.empty() || target.key.size() == 1, errc::bad_attribute,
            "the key has two values, and table \"" + target.table + "\" no sort key: its options' sort_key is empty");
        require.attribute_name("the key", name, names);
        const auto* text = value.get_if<std::string>();
        const auto* bytes = value.get_if<binary>();
        require(text || bytes || value.get_if<number>(), errc::bad_attribute,
                "the key attribute \"" + name + "\" must be a string, a number or a binary");
        require(!(text && text->empty()) && !(bytes && bytes->empty()), errc::bad_attribute,
                "the key attribute \"" + name + "\" is empty");
        require(!(text && text->size() > longest_key) && !(bytes && bytes->size() > longest_key), errc::bad_attribute,
                "the key attribute \"" + name + "\" has more than " + std::to_string(longest_key) + " bytes");
        if (text) require.utf8(*text, errc::bad_attribute, "the key attribute \"" + name + "\"");
    }
}

}  // namespace dynalease::detail
