// From what a caller orders to the one request that does it.
// SPDX-License-Identifier: BSL-1.0
#include "versioned/versioned_impl.hpp"

#include "database/protocol/transact_actions.hpp"

#include <dynalease/dynamodb/expression.hpp>

#include <algorithm>
#include <utility>

namespace dynalease::detail {

namespace {

using order_kind = write_order::kind;

}  // namespace

std::string_view verb_of(order_kind what) {
    switch (what) {
        case order_kind::create:
            return "versioned.create";
        case order_kind::save:
            return "versioned.save";
        case order_kind::touch:
            return "versioned.touch";
        case order_kind::remove:
            return "versioned.remove";
        case order_kind::blind:
            return "versioned.blind";
        case order_kind::clobber:
            return "versioned.clobber";
        case order_kind::clobber_remove:
            return "versioned.clobber_remove";
    }
    return "versioned";
}

item_key key_in(const versioned_impl& core, const write_order& order) {
    auto key = order.key ? core.key_of(*order.key) : protocol::key_of(core.layout(), order.stored);
    return key.empty() ? protocol::key_of(core.layout(), order.members.present) : key;
}

namespace {

failure bad(errc code, std::string message) {
    failure why(code);
    why.details.message = std::move(message);
    return why;
}

bool has_members(const write_order& order) {
    return order.what == order_kind::create || order.what == order_kind::save || order.what == order_kind::clobber;
}

/// The key that the order speaks of, and completes the members by it: a struct need not know its key.
result<item_key> key_for(const versioned_impl& core, write_order& order) {
    const auto& layout = core.layout();
    auto key = key_in(core, order);
    auto& members = order.members.present;
    if (auto why = core.fault_of(key)) return *std::move(why);
    if (!has_members(order)) return key;
    if (!protocol::keeps_key(layout, key, members)) {
        return bad(errc::bad_attribute, "the key is " + text_of(protocol::key_of(layout, members)) +
                                            ", but the item's is " + text_of(key) +
                                            "; a key cannot be changed: create another item");
    }
    if (!order.complete) members.insert(key.begin(), key.end());
    return key;
}

/// Sets the times that the library has to set in such a write.
void set_times(const versioned_impl& core, const write_order& order, item& into) {
    for (const auto& time : order.unwritten.times) {
        if (time.when == set_by_library::at_save || order.what == order_kind::create) {
            into.insert_or_assign(time.attribute, time.at(core.target().wall()));
        }
    }
}

template <class Request>
any_request with_condition(Request request, const condition_expression& condition) {
    apply(request, condition);
    return request;
}

std::optional<failure> plan_checked(write_intent& intent, const write_order& order) {
    const auto& layout = intent.core->layout();
    auto& write = intent.write;
    write.base = order.base;
    write.knows_stamps = !order.stored.empty();
    write.ignore_lock = order.ignore_lock;
    auto target = protocol::version_after(layout, write.base);
    if (!target) return std::move(target).error();
    write.target = *target;
    intent.how = write_intent::test::checked;

    const auto requests = intent.core->requests();
    if (order.what == order_kind::remove) {
        intent.removes = true;
        if (intent.core->options().removal == removal::erase) {
            intent.request = with_condition(requests.erase(intent.key, write), order.condition);
            return std::nullopt;
        }
        intent.buries = true;
        intent.changes = protocol::no_members(layout, order.stored);
        // What is too much for one request, or not known yet, is taken off the tombstone after it.
        if (intent.changes.remove.size() > protocol::most_changes) intent.changes.remove.resize(protocol::most_changes);
        auto bury = requests.bury(intent.key, write, intent.changes, intent.core->tombstone_expiry());
        if (order.stored.empty() || order.partial) bury.returned = return_values::all_old;
        intent.request = with_condition(std::move(bury), order.condition);
        return std::nullopt;
    }
    if (order.what == order_kind::save) {
        auto members = order.members;
        if (order.complete) {
            if (order.stored.empty()) {
                return bad(errc::invalid_option, "a revision does not say which attributes the item has; load it");
            }
            if (order.partial) {
                return bad(errc::invalid_option,
                           "what was read by a projection does not say which attributes the item "
                           "has; load it whole");
            }
            members.absent = protocol::replaced_members(layout, order.stored, order.members).remove;
        }
        const protocol::member_view view{
            .stored = order.stored, .seen = order.seen ? *order.seen : order.stored, .wanted = members};
        const bool replaces = order.complete && order.whole;
        intent.changes = order.stored.empty() || replaces ? protocol::all_members(layout, members)
                         : order.whole                    ? protocol::merged_members(layout, view)
                                                          : protocol::changed_members(layout, view);
        std::erase_if(intent.changes.remove,
                      [&](const auto& name) { return std::ranges::count(order.unwritten.kept, name) > 0; });
        set_times(*intent.core, order, intent.changes.set);
    }
    auto save = requests.save(intent.key, write, intent.changes);
    if (order.read_back) save.returned = return_values::all_new;
    intent.request = with_condition(std::move(save), order.condition);
    return std::nullopt;
}

void plan_clobber(write_intent& intent) {
    intent.how = write_intent::test::blind;
    intent.repeatable = false;
    intent.changes = protocol::all_members(intent.core->layout(), intent.members);
    intent.request = intent.core->requests().clobber(intent.key, intent.changes, intent.write.mine,
                                                     intent.write.ignore_lock, intent.makes);
}

void plan_create(write_intent& intent) {
    intent.how = write_intent::test::create;
    intent.write.base = {};
    intent.write.target = intent.core->layout().first_version;
    intent.stored.clear();
    intent.changes = {};
    intent.request = intent.core->requests().create(intent.members.present, intent.write.mine);
}

/// What the write leaves has the members of this library beside it.
std::optional<failure> check_size_after(const write_intent& intent) {
    constexpr std::size_t most_of_ours = 512;
    if (intent.removes) return std::nullopt;
    // Only near the limit is it worth while to make the item.
    const auto roughly = item_size(intent.stored) + item_size(intent.changes.set) + item_size(intent.members.present);
    if (roughly + most_of_ours <= protocol::largest_item) return std::nullopt;
    const auto after = item_after(intent);
    return after ? protocol::check_size(*after) : std::nullopt;
}

std::optional<failure> plan_unchecked(write_intent& intent, const write_order& order) {
    const auto& layout = intent.core->layout();
    const auto requests = intent.core->requests();
    const auto& mine = intent.write.mine;
    intent.how = write_intent::test::blind;
    intent.repeatable = false;
    intent.write.ignore_lock = order.ignore_lock;
    if (order.what == order_kind::clobber_remove) {
        intent.how = write_intent::test::erase_blindly;
        intent.removes = true;
        intent.request = requests.clobber_erase(intent.key, order.ignore_lock);
        return std::nullopt;
    }
    if (order.what == order_kind::clobber) {
        intent.members = order.members;
        intent.makes = order.upsert;
        plan_clobber(intent);
        return std::nullopt;
    }
    if (auto why = protocol::check_change(layout, order.change)) return why;
    auto update = requests.blind(intent.key, order.change, mine, order.ignore_lock);
    apply(update, order.condition);
    if (order.exact) {
        intent.repeatable = true;
        transact_write_items_request alone;
        alone.actions.emplace_back(as_action(std::move(update)));
        alone.client_request_token = intent.core->world().new_id();
        intent.request = std::move(alone);
    } else {
        intent.request = std::move(update);
    }
    return std::nullopt;
}

}  // namespace

void plan_without_tombstone(write_intent& intent) {
    if (intent.makes)
        plan_clobber(intent);
    else
        plan_create(intent);
}

std::vector<std::string> left_on_tombstone(const write_intent& intent, const item& before) {
    const auto& layout = intent.core->layout();
    auto left = protocol::no_members(layout, protocol::changed(before, intent.changes)).remove;
    std::erase(left, layout.time_to_live);
    return left;
}

std::optional<failure> plan_create_over(write_intent& intent, const protocol::visible_item& tombstone) {
    const auto& layout = intent.core->layout();
    intent.how = write_intent::test::create_over;
    intent.repeatable = true;
    intent.write.base = tombstone.state;
    auto target = protocol::version_after(layout, tombstone.state);
    if (!target) return std::move(target).error();
    intent.write.target = *target;
    intent.stored = tombstone.attributes;
    intent.changes = protocol::replaced_members(layout, tombstone.attributes, {intent.members.present});
    const auto requests = intent.core->requests();
    if (intent.changes.size() > protocol::most_changes) {
        intent.request = requests.create_in_place(intent.write, tombstone.attributes, item_after(intent).value());
    } else {
        intent.request = requests.create_over(intent.key, intent.write, intent.changes);
    }
    return std::nullopt;
}

result<write_intent> plan_write(std::shared_ptr<versioned_impl> core, write_order order,
                                std::optional<item_stamp> mine) {
    if (order.invalid) return *std::move(order.invalid);
    write_intent intent{.core = std::move(core)};
    auto key = key_for(*intent.core, order);
    if (!key) return std::move(key).error();
    intent.key = *std::move(key);
    intent.write.mine = mine ? *mine : intent.core->new_stamp();

    if (has_members(order)) {
        if (order.what != order_kind::save) set_times(*intent.core, order, order.members.present);
        if (auto why = protocol::check_members(intent.core->layout(), order.members)) return *std::move(why);
    }
    std::optional<failure> why;
    if (order.what == order_kind::create) {
        intent.members = std::move(order.members);
        plan_create(intent);
    } else if (order.what == order_kind::blind || order.what == order_kind::clobber ||
               order.what == order_kind::clobber_remove) {
        why = plan_unchecked(intent, order);
    } else {
        why = plan_checked(intent, order);
        intent.stored = std::move(order.stored);
        intent.partial = order.partial;
    }
    if (why) return *std::move(why);
    if (intent.changes.size() > protocol::most_changes) {
        return bad(errc::too_many_members, std::to_string(intent.changes.size()) + " attributes change, of at most " +
                                               std::to_string(protocol::most_changes) + " in one update");
    }
    if (auto too_large = check_size_after(intent)) return *std::move(too_large);
    return intent;
}

std::optional<item> item_after(const write_intent& intent) {
    if (intent.how == write_intent::test::create) return std::get<put_item_request>(intent.request).new_item;
    const auto& layout = intent.core->layout();
    const auto& write = intent.write;
    const bool known = intent.how == write_intent::test::create_over || intent.how == write_intent::test::checked;
    if (!known || !write.knows_stamps) return std::nullopt;
    auto now = protocol::changed(intent.stored, intent.changes);
    if (intent.how == write_intent::test::create_over) {
        now.erase(protocol::item_attribute::gone);
        if (!intent.changes.set.contains(layout.time_to_live)) now.erase(layout.time_to_live);
    }
    now.insert_or_assign(layout.version, write.target);
    if (layout.names_version()) now.insert_or_assign(protocol::item_attribute::versioned_by, layout.version);
    if (layout.stamps) {
        now.insert_or_assign(layout.stamp, protocol::bytes_of(write.mine));
        now.insert_or_assign(protocol::item_attribute::trail, protocol::bytes_of(protocol::pushed_trail(write.base)));
    } else {
        now.erase(layout.stamp);
        now.erase(protocol::item_attribute::trail);
    }
    if (!write.base.born) now.insert_or_assign(protocol::item_attribute::born, protocol::bytes_of(write.mine));
    return now;
}

}  // namespace dynalease::detail
