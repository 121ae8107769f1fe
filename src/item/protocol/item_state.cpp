// Reading and writing of stamps.
// SPDX-License-Identifier: BSL-1.0
#include "item/protocol/item_state.hpp"

#include <algorithm>
#include <optional>
#include <utility>

namespace dynalease::protocol {

namespace {

constexpr const char* held_by_transaction = "transaction ";

failure unreadable(errc code, std::string_view name, std::string_view expected) {
    failure why(code);
    why.details.message = "attribute \"" + std::string(name) + "\" is not " + std::string(expected);
    return why;
}

/// The stamps in a row of bytes; empty if it is no such row.
std::optional<std::vector<item_stamp>> stamps_in(const attribute_value& value) {
    const auto* bytes = value.get_if<binary>();
    constexpr auto size = item_stamp{}.size();
    if (!bytes || bytes->size() % size != 0) return std::nullopt;
    std::vector<item_stamp> stamps(bytes->size() / size);
    for (std::size_t i = 0; i < stamps.size(); ++i) {
        std::copy_n(bytes->begin() + static_cast<std::ptrdiff_t>(i * size), size, stamps[i].begin());
    }
    return stamps;
}

/// Of attributes without a mark.
result<item_state> bare_state(const item_layout& layout, const item& attributes) {
    item_state sight;
    if (attributes.contains(layout.version)) {
        sight.state.version = find_integer(attributes, layout.version);
        if (!sight.state.version) return unreadable(errc::bad_version, layout.version, "an integer of 64 bits");
    }
    for (auto [name, into] : {std::pair<std::string_view, std::optional<item_stamp>*>{layout.stamp, &sight.state.stamp},
                              {item_attribute::born, &sight.state.born}}) {
        const auto* value = find(attributes, name);
        if (!value) continue;
        *into = stamp_in(*value);
        if (!*into) return unreadable(errc::corrupt_row, name, "a stamp of 12 bytes");
    }
    if (const auto* value = find(attributes, item_attribute::trail)) {
        auto stamps = stamps_in(*value);
        if (!stamps || stamps->size() > trail_length) {
            return unreadable(errc::corrupt_row, item_attribute::trail, "a row of up to 3 stamps");
        }
        sight.state.trail = *std::move(stamps);
    }
    sight.gone = attributes.contains(item_attribute::gone);
    if (const auto* writer = find(attributes, layout.writer())) {
        const auto* text = writer->get_if<std::string>();
        sight.holder = text ? *text : "unknown";
    } else if (const auto* readers = find(attributes, layout.readers())) {
        const auto* all = readers->get_if<string_set>();
        sight.holder = all && !all->empty() ? *all->begin() : "unknown";
    }
    return sight;
}

/// What the item calls its version, where that is not what the table does: of all items that `goes_by_name` refuses.
std::optional<std::string> other_name(const item_layout& layout, const item& shown,
                                      name_test test = name_test::of_item) {
    if (test == name_test::none) return std::nullopt;
    const auto* value = find(shown, item_attribute::versioned_by);
    if (!value) {
        const bool has_usual =
            test == name_test::of_item && layout.names_version() && shown.contains(item_attribute::born);
        return has_usual ? std::optional<std::string>(item_attribute::usual_version) : std::nullopt;
    }
    const auto* name = value->get_if<std::string>();
    if (name && layout.names_version() && *name == layout.version) return std::nullopt;
    return name ? *name : std::string(item_attribute::versioned_by);
}

std::optional<failure> fault_of_name(const item_layout& layout, const item& shown, name_test test) {
    const auto own_name = other_name(layout, shown, test);
    if (!own_name) return std::nullopt;
    failure why(errc::bad_version);
    why.details.message =
        "the item's version is its attribute \"" + *own_name + "\", and not \"" + layout.version + "\"";
    why.details.advice = "name it in versioned_options::version, as those do who have written the item";
    return why;
}

result<std::optional<visible_item>> without_mark(const item_layout& layout, std::optional<item> shown) {
    if (!shown) return std::optional<visible_item>{};
    auto mark = mark_of(*shown);
    if (!mark) return std::move(mark).error();
    auto seen = *mark ? before_mark(*shown, **mark).value_or(item{}) : *std::move(shown);
    auto state = bare_state(layout, seen);
    if (!state) return std::move(state).error();
    if (*mark) {
        state->mark = (*mark)->kind;
        if (state->holder.empty()) state->holder = held_by_transaction + (*mark)->owner.id;
    }
    return std::optional(visible_item{*std::move(state), std::move(seen)});
}

}  // namespace

result<std::optional<visible_item>> visible_in(const item_layout& layout, std::optional<item> shown, name_test test) {
    auto seen = without_mark(layout, std::move(shown));
    if (!seen || !*seen) return seen;
    auto why = fault_of_name(layout, (*seen)->attributes, test);
    if (why) return *std::move(why);
    return seen;
}

std::string words_of_holder(const std::string& holder) {
    if (holder.starts_with(held_by_transaction)) return holder;
    return "session " + holder.substr(0, holder.find('.'));
}

failure held_by(const std::string& holder) {
    failure why(errc::locked);
    why.details.message = "held by " + words_of_holder(holder);
    if (holder.starts_with(held_by_transaction)) {
        why.details.advice =
            "try again; if nobody carries it on, transactions::sweep ends it, and transactions::free "
            "takes its mark off an item whose transaction has no row any more";
    } else {
        why.details.advice =
            "try again later; under a guard of your own, write through it, or save with its condition() and "
            "ignore_lock";
    }
    return why;
}

result<item_state> state_of(const item_layout& layout, const item& shown) {
    if (!shown.contains(item_attribute::transaction)) return bare_state(layout, shown);
    auto seen = without_mark(layout, shown);
    if (!seen) return std::move(seen).error();
    return item_state(**std::move(seen));
}

result<item_state> versioned_state_of(const item_layout& layout, const item& shown, name_test test) {
    if (!shown.contains(item_attribute::transaction)) {
        auto why = fault_of_name(layout, shown, test);
        return why ? result<item_state>(*std::move(why)) : bare_state(layout, shown);
    }
    auto seen = visible_in(layout, shown, test);
    if (!seen) return std::move(seen).error();
    return item_state(**std::move(seen));
}

std::optional<item_stamp> birth_of(const item& shown) {
    const auto* value = find(shown, item_attribute::born);
    return value ? stamp_in(*value) : std::nullopt;
}

std::optional<failure> fault_of_version(const item_layout& layout, const item& shown) {
    const auto sight = state_of(layout, shown);
    if (!sight) return sight.error();
    const auto& state = sight->state;
    const bool unversioned = !state.version && (state.born || state.stamp);
    if (unversioned || other_name(layout, shown)) {
        failure why(errc::bad_version);
        why.details.message = "the item was written by a table of versions that are not called \"" + layout.version +
                              "\": give its lock that table, as in item_lock{session, table, key}";
        return why;
    }
    const auto next = version_after(layout, state);
    return next ? std::nullopt : std::optional(next.error());
}

result<std::int64_t> version_after(const item_layout& layout, const item_version& base) {
    if (!base.version) return layout.first_version;
    if (*base.version <= layout.version_limit - layout.step) return *base.version + layout.step;
    failure why(errc::version_overflow);
    why.details.message = "attribute \"" + layout.version + "\" is " + std::to_string(*base.version) +
                          ", and no version may be above " + std::to_string(layout.version_limit);
    return why;
}

std::vector<item_stamp> pushed_trail(const item_version& base) {
    std::vector<item_stamp> trail;
    if (base.stamp) trail.push_back(*base.stamp);
    for (const auto& stamp : base.trail) {
        if (trail.size() < trail_length) trail.push_back(stamp);
    }
    return trail;
}

binary bytes_of(const item_stamp& stamp) {
    return {stamp.begin(), stamp.end()};
}

binary bytes_of(const std::vector<item_stamp>& trail) {
    binary bytes;
    for (const auto& stamp : trail) bytes.insert(bytes.end(), stamp.begin(), stamp.end());
    return bytes;
}

std::optional<item_stamp> stamp_in(const attribute_value& value) {
    const auto stamps = stamps_in(value);
    return stamps && stamps->size() == 1 ? std::optional(stamps->front()) : std::nullopt;
}

bool remembers(const item_version& state, const item_stamp& stamp) {
    return state.stamp == stamp || state.born == stamp || std::ranges::find(state.trail, stamp) != state.trail.end();
}

bool knows_writers_from(const item_version& now, std::int64_t version) {
    if (!now.version || *now.version < version) return false;
    const auto beyond = static_cast<std::uint64_t>(*now.version) - static_cast<std::uint64_t>(version);
    return beyond == 0 ? now.stamp.has_value() : beyond <= now.trail.size();
}

bool surely_unwritten_since(const item_layout& layout, const item_version& before, const item_state& now) {
    const bool same_life = before.born && now.state.born == before.born;
    const auto target = version_after(layout, before);
    if (!same_life || !before.version || !now.state.version || !target) return false;
    return *now.state.version < *target || knows_writers_from(now.state, *target);
}

update_expression raised_version(const item_layout& layout, const item_stamp& mine) {
    auto raised =
        set(layout.version, if_not_exists(layout.version, layout.first_version - layout.step) + operand(layout.step));
    if (layout.names_version()) raised += set(item_attribute::versioned_by, layout.version);
    if (!layout.stamps) return raised + remove(layout.stamp) + remove(item_attribute::trail);
    return raised + set(item_attribute::trail, if_not_exists(layout.stamp, binary{})) +
           set(layout.stamp, bytes_of(mine));
}

}  // namespace dynalease::protocol
