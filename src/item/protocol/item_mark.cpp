// Reading of marks, and of what lies under them.
// SPDX-License-Identifier: BSL-1.0
#include "item/protocol/item_mark.hpp"

#include "item/protocol/item_state.hpp"

#include <algorithm>
#include <utility>

namespace dynalease::protocol {

namespace {

constexpr std::string_view absent_member = "_TxAbsent";

failure damaged(std::string_view attribute) {
    failure why(errc::corrupt_row);
    why.details.message = "attribute \"" + std::string(attribute) +
                          "\" of a transaction's mark is missing, or not as this library writes it";
    return why;
}

std::optional<run_name> run_name_in(const item& shown) {
    const auto* text = find_string(shown, mark_attribute::owner);
    if (!text) return std::nullopt;
    const auto slash = text->find('/');
    if (slash == 0 || slash == text->npos || slash + 1 == text->size()) return std::nullopt;
    if (text->find('/', slash + 1) != text->npos) return std::nullopt;
    return run_name{text->substr(0, slash), text->substr(slash + 1)};
}

std::optional<item_stamp> stamp_under(const item& shown, std::string_view name) {
    const auto* value = find(shown, name);
    return value ? stamp_in(*value) : std::nullopt;
}

std::optional<mark_kind> kind_in(const item& shown) {
    const auto* text = find_string(shown, mark_attribute::kind);
    if (!text || text->size() != 1) return std::nullopt;
    for (const auto kind : {mark_kind::updated, mark_kind::inserted, mark_kind::to_erase, mark_kind::read}) {
        if (text->front() == static_cast<char>(kind)) return kind;
    }
    return std::nullopt;
}

void strip(item& shown) {
    std::erase_if(shown, [](const auto& entry) { return entry.first.starts_with(item_attribute::transaction_prefix); });
}

/// The item without the mark, in the state before as far as the stamp tells.
item given_back(const item& shown, const item_mark& mark) {
    auto bare = shown;
    strip(bare);
    if (mark.lock.before) {
        bare.insert_or_assign(mark.stamp_name, binary(mark.lock.before->begin(), mark.lock.before->end()));
    } else {
        bare.erase(mark.stamp_name);
    }
    return bare;
}

}  // namespace

std::string image_name(std::string_view attribute) {
    return std::string(mark_attribute::image_prefix) + std::string(attribute);
}

std::string next_version_name(std::string_view version) {
    return std::string(mark_attribute::next_prefix) + std::string(version);
}

binary no_stamp() {
    return {std::byte{0}};
}

attribute_value absent_image() {
    return attribute_map{{std::string(absent_member), true}};
}

result<std::optional<item_mark>> mark_of(const item& shown) {
    if (!shown.contains(mark_attribute::owner)) return std::optional<item_mark>{};
    item_mark mark;
    auto owner = run_name_in(shown);
    if (!owner) return damaged(mark_attribute::owner);
    mark.owner = *std::move(owner);

    if (const auto* name = find(shown, mark_attribute::stamp_name)) {
        const auto* text = name->get_if<std::string>();
        if (!text || text->empty()) return damaged(mark_attribute::stamp_name);
        mark.stamp_name = *text;
    }
    const auto stamp = stamp_under(shown, mark.stamp_name);
    if (!stamp) return damaged(mark.stamp_name);
    mark.lock.stamp = *stamp;
    mark.lock.before = stamp_under(shown, mark_attribute::before);
    const auto* before = find(shown, mark_attribute::before);
    if (!mark.lock.before && (!before || *before != attribute_value(no_stamp())))
        return damaged(mark_attribute::before);

    const auto kind = kind_in(shown);
    if (!kind) return damaged(mark_attribute::kind);
    mark.kind = *kind;
    const auto write = find_integer(shown, mark_attribute::write);
    if (!write || *write < 1) return damaged(mark_attribute::write);
    mark.write = *write;

    const auto absent = absent_image();
    for (const auto& [name, value] : shown) {
        if (name.starts_with(mark_attribute::image_prefix)) {
            mark.images.push_back({name.substr(mark_attribute::image_prefix.size()), value == absent});
        } else if (name.starts_with(mark_attribute::next_prefix)) {
            if (!value.is<number>()) return damaged(name);
            mark.versions.push_back(name.substr(mark_attribute::next_prefix.size()));
        }
    }
    return std::optional(std::move(mark));
}

std::optional<item> before_mark(const item& shown, const item_mark& mark) {
    if (mark.kind == mark_kind::inserted) return std::nullopt;
    auto was = given_back(shown, mark);
    for (const auto& image : mark.images) {
        if (image.absent) {
            was.erase(image.name);
        } else {
            was.insert_or_assign(image.name, *find(shown, image_name(image.name)));
        }
    }
    return was;
}

std::optional<item> after_mark(const item& shown, const item_mark& mark) {
    if (mark.kind == mark_kind::to_erase) return std::nullopt;
    if (mark.kind == mark_kind::read) return given_back(shown, mark);
    auto will_be = shown;
    strip(will_be);
    for (const auto& name : mark.versions) {
        will_be.insert_or_assign(name, *find(shown, next_version_name(name)));
    }
    return will_be;
}

result<std::optional<item>> committed_view(const std::optional<item>& shown) {
    if (!shown) return std::optional<item>{};
    auto mark = mark_of(*shown);
    if (!mark) return mark.error();
    return *mark ? before_mark(*shown, **mark) : shown;
}

}  // namespace dynalease::protocol
