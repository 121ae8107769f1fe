// The options of versioned items, and what does not depend on one write.
// SPDX-License-Identifier: BSL-1.0
#include "versioned/versioned_impl.hpp"

#include "database/argument_check.hpp"
#include "database/table_name.hpp"
#include "versioned/protocol/narrow_reads.hpp"

#include <algorithm>
#include <set>

namespace dynalease::detail {

namespace {

using namespace std::chrono_literals;

constexpr argument_check require("versioned");

void check_names(const versioned_options& options) {
    std::set<std::string> taken{protocol::item_attribute::born, protocol::item_attribute::trail,
                                protocol::item_attribute::gone, protocol::item_attribute::versioned_by};
    require.attribute_name("key", options.key, taken);
    require.attribute_name("version", options.version, taken);
    require.attribute_name("stamp", options.stamp, taken);
    require.attribute_name("lock_prefix", options.lock_prefix, taken);
    require.attribute_name("time_to_live", options.time_to_live, taken);
    if (!options.sort_key.empty()) require.attribute_name("sort_key", options.sort_key, taken);
}

}  // namespace

versioned_impl::versioned_impl(database target, versioned_options options, stored_types types)
    : target_(std::move(target)), options_(std::move(options)) {
    check_table_name(options_.table);
    check_names(options_);
    require(options_.step >= 1, errc::invalid_option, "step must be at least 1");
    require(options_.first_version >= std::numeric_limits<std::int64_t>::min() + options_.step &&
                options_.first_version <= options_.version_limit &&
                options_.version_limit >= std::numeric_limits<std::int64_t>::min() + options_.step,
            errc::invalid_option, "first_version must lie between the least integer and version_limit");
    // A copy of a request may be late by five minutes and its caller by as much; TTL's own clock may run ahead a bit.
    require(options_.tombstone_lifetime >= 660s, errc::invalid_option, "tombstone_lifetime must be at least 11 min");
    require(options_.resolve_within >= 0ms, errc::invalid_option, "resolve_within must not be negative");
    layout_ = {.table = options_.table,
               .key = options_.key,
               .sort = options_.sort_key,
               .version = options_.version,
               .stamp = options_.stamp,
               .lock_prefix = options_.lock_prefix,
               .time_to_live = options_.time_to_live,
               .first_version = options_.first_version,
               .step = options_.step,
               .version_limit = options_.version_limit,
               .stamps = options_.stamps};
    expect_type(options_.key, types.key);
    if (!options_.sort_key.empty()) expect_type(options_.sort_key, types.sort_key);
    expect_expiry(types);
}

void versioned_impl::expect_type(const std::string& name, std::string_view type) {
    if (type.empty()) return;
    require(type == "S" || type == "N" || type == "B", errc::bad_attribute,
            "the struct stores the key attribute \"" + name + "\" as " + std::string(type) +
                "; a key is a string (S), a number (N) or a binary (B)");
    key_types_.emplace(name, type);
}

void versioned_impl::expect_expiry(const stored_types& types) const {
    require(types.no_time_to_live.empty(), errc::bad_attribute,
            "the struct's item_traits call \"" + std::string(types.no_time_to_live) +
                "\" its time_to_live, and it has no such attribute");
    // Of the usual name it may be any other text.
    const bool said = options_.time_to_live != default_item_traits::time_to_live;
    require(!said || types.time_to_live.empty() || types.time_to_live == "N", errc::bad_attribute,
            "the struct stores \"" + std::string(options_.time_to_live) + "\", by which the table's TTL goes, as " +
                std::string(types.time_to_live) +
                ", and TTL wants a number: name it in item_traits, as time_to_live, so that a time is stored as one");
}

std::optional<failure> versioned_impl::fault_of(const item_key& key) const {
    if (auto why = protocol::check_key(layout_, key)) return why;
    for (const auto& [name, value] : key) {
        const auto type = key_types_.find(name);
        if (type == key_types_.end() || type->second == value.type_name()) continue;
        failure why(errc::bad_attribute);
        why.details.message = "the key attribute \"" + name + "\" is given as " + std::string(value.type_name()) +
                              ", and the struct stores it as " + type->second;
        why.details.advice = "the table's key has one of these types: correct the other";
        return why;
    }
    return std::nullopt;
}

void versioned_impl::explain(failure& why) const {
    if (!protocol::refuses_key(why)) return;
    const auto named = [&](const std::string& name) {
        const auto type = key_types_.find(name);
        return "\"" + name + "\"" + (type == key_types_.end() ? std::string() : " (" + type->second + ")");
    };
    why.details.advice = "see whether the table's key is what versioned_options say: partition key " +
                         named(options_.key) +
                         (options_.sort_key.empty() ? ", no sort key" : ", sort key " + named(options_.sort_key));
}

std::int64_t versioned_impl::tombstone_expiry() const {
    const auto now = std::chrono::ceil<std::chrono::seconds>(target_.wall().time_since_epoch());
    return (now + options_.tombstone_lifetime).count();
}

std::shared_ptr<versioned_impl> make_versioned_impl(database target, versioned_options options, stored_types types) {
    return std::make_shared<versioned_impl>(std::move(target), std::move(options), types);
}

const versioned_options& options_of(const versioned_impl& core) {
    return core.options();
}

std::vector<path> shown_attributes(const versioned_impl& core, const std::vector<std::string>& only) {
    return protocol::shown_attributes(core.layout(), only);
}

const database& database_of(const versioned_impl& core) {
    return core.target();
}

boost::asio::any_io_executor executor_of(const versioned_impl& core) {
    return core.world().executor;
}

item user_attributes(const versioned_impl& core, const item& attributes) {
    auto own = attributes;
    std::erase_if(own, [&](const auto& entry) { return protocol::is_reserved(core.layout(), entry.first); });
    return own;
}

error unfit_item(const versioned_impl& core, const item& attributes, const std::exception& why, std::string_view verb) {
    diagnostics details;
    details.operation = verb;
    details.table = core.options().table;
    details.key = text_of(protocol::key_of(core.layout(), attributes));
    const auto* named = dynamic_cast<const error*>(&why);
    details.message = named ? named->diagnostics().message : why.what();
    return error(named ? named->code() : make_error_code(errc::bad_attribute), std::move(details));
}

misfit misfit_of(const versioned_impl& core, item attributes, error why) {
    auto key = protocol::key_of(core.layout(), attributes);
    return {std::move(key), std::move(attributes), std::move(why)};
}

error unfit_among(const std::vector<misfit>& misfits, std::string_view all, std::string_view verb) {
    const auto& first = misfits.front().why;
    auto details = first.diagnostics();
    const auto others = misfits.size() - 1;
    if (others > 0) {
        details.message += " (of " + std::string(all) + " " + std::to_string(others) + " more do not fit)";
    }
    details.advice =
        std::string(verb) + " gives the rest of " + std::string(all) + ", and apart from it what does not fit";
    return error(first.code(), std::move(details));
}

error unreadable_item(const versioned_impl& core, const item& shown, failure why, const char* operation) {
    why.details.operation = operation;
    why.details.table = core.options().table;
    why.details.key = text_of(protocol::key_of(core.layout(), shown));
    return error(why.code, std::move(why.details));
}

std::optional<stored_item> stored_from(const versioned_impl& core, item&& shown) {
    const auto state = protocol::versioned_state_of(core.layout(), shown, protocol::name_test::of_row);
    if (state)
        return stored_in(protocol::visible_in(core.layout(), std::move(shown), protocol::name_test::of_row).value());
    throw unreadable_item(core, shown, state.error(), "versioned.from");
}

write_report report_of(std::shared_ptr<versioned_impl> core, protocol::write_outcome&& end,
                       protocol::write_intent&& intent) {
    write_report told{std::move(end.facts)};
    if (end.in_doubt) {
        told.pending = std::make_shared<const write_intent>(write_intent{std::move(intent), std::move(core)});
    }
    return told;
}

}  // namespace dynalease::detail
