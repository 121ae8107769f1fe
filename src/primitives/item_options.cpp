// The limits of an item lock's options.
#include "primitives/item_options.hpp"

#include "primitives/session_options.hpp"

#include <limits>
#include <set>
#include <utility>

namespace dynalease::detail {

namespace {

using namespace std::chrono_literals;

void require_of_item_lock(bool holds, errc code, std::string message) {
    if (holds) return;
    diagnostics details;
    details.operation = "item_lock";
    details.message = std::move(message);
    throw error(code, std::move(details));
}

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

void append_value(std::string& into, const attribute_value& value) {
    if (const auto* text = value.get_if<std::string>()) {
        append_escaped(into, *text);
    } else if (const auto* amount = value.get_if<number>()) {
        into += amount->text();
    } else if (const auto* bytes = value.get_if<binary>()) {
        append_escaped(into, {reinterpret_cast<const char*>(bytes->data()), bytes->size()});
    } else {
        require_of_item_lock(false, errc::bad_attribute, "a key's values are strings, numbers or binaries");
    }
}

void check_key_values(const item_key& key) {
    require_of_item_lock(key.size() == 1 || key.size() == 2, errc::bad_attribute,
                         "a key has one or two attributes; this one has " + std::to_string(key.size()));
    for (const auto& [name, value] : key) {
        const auto* text = value.get_if<std::string>();
        const auto* bytes = value.get_if<binary>();
        require_of_item_lock(!(text && text->empty()) && !(bytes && bytes->empty()), errc::bad_attribute,
                             "the key attribute \"" + name + "\" is empty");
    }
}

void check_attribute_names(const item_ref& target, const item_lock_options& options) {
    std::set<std::string> taken;
    for (const auto& [name, value] : target.key) taken.insert(name);
    for (const auto& [option, name] : {std::pair<const char*, std::string>{"prefix", options.prefix + "W"},
                                       {"version", options.version},
                                       {"stamp", options.stamp}}) {
        require_of_item_lock(!name.empty() && name.size() <= 255, errc::invalid_name,
                             std::string(option) + " must name an attribute of 1 to 255 bytes");
        require_of_item_lock(taken.insert(name).second, errc::invalid_name,
                             std::string(option) + ": the name \"" + name + "\" is used twice");
    }
    require_of_item_lock(!options.prefix.empty(), errc::invalid_name, "prefix must not be empty");
}

/// "<table>/<values of the key>": for people, too.
std::string item_name(const item_ref& target) {
    auto name = target.table;
    for (const auto& [attribute, value] : target.key) {
        name += '/';
        append_value(name, value);
    }
    return name;
}

/// @throws dynalease::error
item_place checked_place(item_ref target, item_lock_options options) {
    check_table_name(target.table);
    check_key_values(target.key);
    check_attribute_names(target, options);
    require_of_item_lock(options.step >= 1, errc::invalid_option, "step must be at least 1");
    require_of_item_lock(options.first_version >= std::numeric_limits<std::int64_t>::min() + options.step,
                         errc::invalid_option, "first_version leaves no number below it");
    require_of_item_lock(options.most_readers >= 1 && options.most_readers <= 1000, errc::invalid_option,
                         "most_readers must be between 1 and 1,000");
    require_of_item_lock(options.poll_interval >= 10ms && options.poll_interval <= 1min, errc::invalid_option,
                         "poll_interval must be between 10 ms and 1 min");
    require_of_item_lock(
        options.longest_poll_interval >= options.poll_interval && options.longest_poll_interval <= 1min,
        errc::invalid_option, "longest_poll_interval must be between poll_interval and 1 min");
    item_place place;
    // Either key attribute tells as well as the other whether there is an item.
    place.layout = {.table = std::move(target.table),
                    .key = target.key.begin()->first,
                    .version = options.version,
                    .stamp = options.stamp,
                    .lock_prefix = options.prefix,
                    .first_version = options.first_version,
                    .step = options.step};
    if (target.key.size() == 2) place.layout.sort = target.key.rbegin()->first;
    place.key = std::move(target.key);
    place.options = std::move(options);
    return place;
}

}  // namespace

item_target item_target_of(const std::shared_ptr<session_core>& core, item_ref target, item_lock_options options) {
    auto name = item_name(target);
    const auto place = checked_place(std::move(target), std::move(options));
    return {core, core->member<item_front>(std::move(name), place)};
}

}  // namespace dynalease::detail
