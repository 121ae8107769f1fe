// The limits of an item lock's options.
// SPDX-License-Identifier: BSL-1.0
#include "item_lock/item_lock_options.hpp"

#include "database/argument_check.hpp"
#include "item/item_names.hpp"

#include <limits>
#include <set>
#include <utility>

namespace dynalease::detail {

namespace {

using namespace std::chrono_literals;

constexpr argument_check require("item_lock");

void check_attribute_names(const item_ref& target, const item_lock_options& options) {
    std::set<std::string> taken;
    for (const auto& [name, value] : target.key) taken.insert(name);
    require.attribute_name("prefix", options.prefix + "W", taken);
    require.attribute_name("version", options.version, taken);
    require.attribute_name("stamp", options.stamp, taken);
    require(!options.prefix.empty(), errc::invalid_name, "prefix must not be empty");
}

/// @throws dynalease::error
item_place checked_place(item_ref target, item_lock_options options) {
    check_item(target, "item_lock");
    check_attribute_names(target, options);
    require(options.step >= 1, errc::invalid_option, "step must be at least 1");
    constexpr auto least = std::numeric_limits<std::int64_t>::min();
    require(options.first_version >= least + options.step, errc::invalid_option,
            "first_version leaves no number below it");
    require(options.version_limit >= options.first_version, errc::invalid_option,
            "version_limit must not lie below first_version");
    require(options.most_readers >= 1 && options.most_readers <= 1000, errc::invalid_option,
            "most_readers must be between 1 and 1,000");
    require(options.poll_interval >= 10ms && options.poll_interval <= 1min, errc::invalid_option,
            "poll_interval must be between 10 ms and 1 min");
    require(options.longest_poll_interval >= options.poll_interval && options.longest_poll_interval <= 1min,
            errc::invalid_option, "longest_poll_interval must be between poll_interval and 1 min");
    item_place place;
    place.name = item_name(target);
    // Either key attribute tells as well as the other whether there is an item.
    place.item.layout = {.table = std::move(target.table),
                         .key = target.key.begin()->first,
                         .version = options.version,
                         .stamp = options.stamp,
                         .lock_prefix = options.prefix,
                         .first_version = options.first_version,
                         .step = options.step,
                         .version_limit = options.version_limit,
                         .stamps = options.stamps};
    if (!options.versioned) place.item.layout.version.clear();  // the name is the application's own
    if (target.key.size() == 2) place.item.layout.sort = target.key.rbegin()->first;
    place.item.key = std::move(target.key);
    place.item.most_readers = options.most_readers;
    place.item.poll_interval = options.poll_interval;
    place.item.longest_poll_interval = options.longest_poll_interval;
    place.options = std::move(options);
    return place;
}

std::string shown(const std::string& value) {
    return '"' + value + '"';
}
std::string shown(bool value) {
    return value ? "true" : "false";
}
std::string shown(std::int64_t value) {
    return std::to_string(value);
}

/// Two that disagree about where the version stands would let a save pass over what was written under the lock.
void check_agreement(const item_lock_impl& shared, const item_place& mine) {
    const auto agree = [&](const char* option, const auto& first, const auto& second) {
        if (first == second) return;
        require(false, errc::invalid_option,
                std::string(option) + " is " + shown(second) + " here, and " + shown(first) +
                    " in another handle of \"" + shared.name() +
                    "\" in this session; make it as item_lock{session, table, key}");
    };
    const auto& first = shared.options();
    const auto& second = mine.options;
    agree("prefix", std::string(first.prefix), std::string(second.prefix));
    agree("versioned", first.versioned, second.versioned);
    agree("version", std::string(first.version), std::string(second.version));
    agree("stamp", std::string(first.stamp), std::string(second.stamp));
    agree("stamps", first.stamps, second.stamps);
    agree("first_version", first.first_version, second.first_version);
    agree("step", first.step, second.step);
    agree("version_limit", first.version_limit, second.version_limit);
}

}  // namespace

item_lock_options kept_as(const versioned_options& table, item_lock_options how) {
    how.prefix = table.lock_prefix;
    how.versioned = true;
    how.version = table.version;
    how.stamp = table.stamp;
    how.stamps = table.stamps;
    how.first_version = table.first_version;
    how.step = table.step;
    how.version_limit = table.version_limit;
    return how;
}

item_target item_target_of(const std::shared_ptr<session_impl>& core, item_ref target, item_lock_options options) {
    // A table may be made anew with another key, and a key be named with a wrong type: what its attributes are called,
    // and of which type they are, tells items apart as their values do.
    auto identity = item_name(target);
    for (const auto& [attribute, value] : target.key) {
        identity += '\n' + std::string(attribute) +
                    (value.get_if<number>()   ? " N"
                     : value.get_if<binary>() ? " B"
                                              : " S");
    }
    const auto place = checked_place(std::move(target), std::move(options));
    auto front = core->members().member<item_lock_impl>(std::move(identity), place);
    check_agreement(*front, place);
    return {core, std::move(front)};
}

}  // namespace dynalease::detail
