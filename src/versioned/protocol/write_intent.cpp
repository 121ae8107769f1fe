// What becomes of a write that meets a tombstone, what it leaves, and which decision is its own.
// SPDX-License-Identifier: BSL-1.0
#include "versioned/protocol/write_intent.hpp"

#include <utility>
#include <variant>

namespace dynalease::protocol {

void plan_clobber(write_intent& intent) {
    intent.how = write_intent::test::blind;
    intent.repeatable = false;
    intent.changes = all_members(*intent.layout, intent.members);
    intent.request = intent.requests().clobber(intent.key, intent.changes, intent.write.mine, intent.write.ignore_lock,
                                               intent.makes);
}

void plan_create(write_intent& intent) {
    intent.how = write_intent::test::create;
    intent.write.base = {};
    intent.write.target = intent.layout->first_version;
    intent.stored.clear();
    intent.changes = {};
    intent.request = intent.requests().create(intent.members.present, intent.write.mine);
}

void plan_without_tombstone(write_intent& intent) {
    if (intent.makes)
        plan_clobber(intent);
    else
        plan_create(intent);
}

std::optional<failure> plan_create_over(write_intent& intent, const visible_item& tombstone) {
    const auto& layout = *intent.layout;
    intent.how = write_intent::test::create_over;
    intent.repeatable = true;
    intent.write.base = tombstone.state;
    auto target = version_after(layout, tombstone.state);
    if (!target) return std::move(target).error();
    intent.write.target = *target;
    intent.stored = tombstone.attributes;
    intent.changes = replaced_members(layout, tombstone.attributes, {intent.members.present});
    const auto requests = intent.requests();
    if (intent.changes.size() > most_changes) {
        intent.request = requests.create_in_place(intent.write, tombstone.attributes, item_after(intent).value());
    } else {
        intent.request = requests.create_over(intent.key, intent.write, intent.changes);
    }
    return std::nullopt;
}

std::vector<std::string> left_on_tombstone(const write_intent& intent, const item& before) {
    auto left = no_members(*intent.layout, changed(before, intent.changes)).remove;
    std::erase(left, intent.layout->time_to_live);
    return left;
}

std::optional<item> item_after(const write_intent& intent) {
    if (intent.how == write_intent::test::create) return std::get<put_item_request>(intent.request).new_item;
    const auto& layout = *intent.layout;
    const auto& write = intent.write;
    const bool known = intent.how == write_intent::test::create_over || intent.how == write_intent::test::checked;
    if (!known || !write.knows_stamps) return std::nullopt;
    auto now = changed(intent.stored, intent.changes);
    if (intent.how == write_intent::test::create_over) {
        now.erase(item_attribute::gone);
        if (!intent.changes.set.contains(layout.time_to_live)) now.erase(layout.time_to_live);
    }
    now.insert_or_assign(layout.version, write.target);
    if (layout.names_version()) now.insert_or_assign(item_attribute::versioned_by, layout.version);
    if (layout.stamps) {
        now.insert_or_assign(layout.stamp, bytes_of(write.mine));
        now.insert_or_assign(item_attribute::trail, bytes_of(pushed_trail(write.base)));
    } else {
        now.erase(layout.stamp);
        now.erase(item_attribute::trail);
    }
    if (!write.base.born) now.insert_or_assign(item_attribute::born, bytes_of(write.mine));
    return now;
}

verdict decide(const write_intent& intent, const visible_item* now, bool clean) {
    const refusal what{.base = intent.write.base,
                       .mine = intent.write.mine,
                       .target = intent.write.target,
                       .clean = clean,
                       .ignores_lock = intent.write.ignore_lock,
                       .knows_stamps = intent.write.knows_stamps,
                       .has_maps = !now || has_maps(now->attributes, intent.changes.inside),
                       .now = now};
    switch (intent.how) {
        case write_intent::test::create:
            return decide_create(what);
        case write_intent::test::create_over:
            return decide_create_over(what);
        case write_intent::test::checked:
            return decide_checked(what);
        case write_intent::test::blind:
        case write_intent::test::erase_blindly:
            break;
    }
    return decide_blind(what, intent.makes);
}

std::string text_of(const std::optional<std::int64_t>& version) {
    return version ? "version " + std::to_string(*version) : "no version";
}

std::string text_of_conflict(const write_intent& intent, const detail::write_facts& facts) {
    auto text = "expected " + text_of(facts.expected) + ", found " + text_of(facts.found);
    if (facts.found != facts.expected || !facts.current) return text;
    if (has_maps(facts.current->attributes, intent.changes.inside)) return text + " of another life";
    return text + ", but a map in which something was to be changed is gone: a writer took it that raises no version";
}

resolution resolution_of(verdict meant) {
    switch (meant) {
        case verdict::applied:
        case verdict::superseded:
            return resolution::applied;
        case verdict::conflict:
        case verdict::exists:
        case verdict::missing:
            return resolution::not_applied;
        default:
            return resolution::open;
    }
}

std::optional<failure> overflow_of(const write_intent& intent, const item_state& now) {
    if (intent.how != write_intent::test::blind) return std::nullopt;
    auto next = version_after(*intent.layout, now.state);
    return next ? std::nullopt : std::optional(std::move(next).error());
}

std::optional<detail::stored_item> stored_in(std::optional<visible_item> seen) {
    if (!seen || seen->missing()) return std::nullopt;
    return detail::stored_item{std::move(seen->state), std::move(seen->attributes)};
}

}  // namespace dynalease::protocol
