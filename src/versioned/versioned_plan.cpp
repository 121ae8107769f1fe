// From what a caller orders to the one request that does it.
// SPDX-License-Identifier: BSL-1.0
#include "versioned/versioned_impl.hpp"

#include "database/protocol/storable.hpp"
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

write_times times_of(const versioned_impl& core, const write_order& order) {
    write_times times;
    for (const auto& time : order.unwritten.times) {
        const auto value = time.at(core.target().wall());
        if (time.when == set_by_library::at_save) times.saved.emplace(time.attribute, value);
        times.made.emplace(time.attribute, value);
    }
    return times;
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
    if (auto why = core.fault_of(key)) {
        const bool lacks = has_members(order) && !order.complete && !order.key && key.size() < layout.key_size();
        if (lacks && why->details.advice.empty()) {
            why->details.advice =
                "no member of the struct is stored as that, or it is an empty optional: name one so "
                "(dynalease::member_traits, item_traits), or correct versioned_options::key and sort_key";
        }
        return *std::move(why);
    }
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
    auto times = times_of(core, order);
    for (auto& [name, value] : order.what == order_kind::create ? times.made : times.saved) {
        into.insert_or_assign(name, std::move(value));
    }
}

template <class Request>
any_request with_condition(Request request, const condition_expression& condition) {
    apply(request, condition);
    return request;
}

std::optional<failure> plan_checked(const versioned_impl& core, protocol::write_intent& intent,
                                    const write_order& order) {
    const auto& layout = core.layout();
    auto& write = intent.write;
    write.base = order.base;
    write.knows_stamps = !order.stored.empty();
    write.ignore_lock = order.ignore_lock;
    auto target = protocol::version_after(layout, write.base);
    if (!target) return std::move(target).error();
    write.target = *target;
    intent.how = protocol::write_intent::test::checked;

    const auto requests = core.requests();
    if (order.what == order_kind::remove) {
        intent.removes = true;
        if (core.options().removal == removal::erase) {
            intent.request = with_condition(requests.erase(intent.key, write), order.condition);
            return std::nullopt;
        }
        intent.buries = true;
        intent.changes = protocol::no_members(layout, order.stored);
        // What is too much for one request, or not known yet, is taken off the tombstone after it.
        if (intent.changes.remove.size() > protocol::most_changes) intent.changes.remove.resize(protocol::most_changes);
        auto bury = requests.bury(intent.key, write, intent.changes, core.tombstone_expiry());
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
                                       : protocol::narrowed(protocol::changed_members(layout, view), view);
        std::erase_if(intent.changes.remove,
                      [&](const auto& name) { return std::ranges::count(order.unwritten.kept, name) > 0; });
        set_times(core, order, intent.changes.set);
    }
    auto save = requests.save(intent.key, write, intent.changes);
    if (order.read_back) save.returned = return_values::all_new;
    intent.request = with_condition(std::move(save), order.condition);
    return std::nullopt;
}

/// What the write leaves has the members of this library beside it.
std::optional<failure> check_size_after(const protocol::write_intent& intent) {
    constexpr std::size_t most_of_ours = 512;
    if (intent.removes) return std::nullopt;
    // Only near the limit is it worth while to make the item.
    const auto roughly = item_size(intent.stored) + size_of(intent.changes) + item_size(intent.members.present);
    if (roughly + most_of_ours <= largest_item) return std::nullopt;
    const auto after = item_after(intent);
    return after ? protocol::check_size(*after) : std::nullopt;
}

std::optional<failure> plan_unchecked(const versioned_impl& core, protocol::write_intent& intent,
                                      const write_order& order) {
    const auto requests = core.requests();
    const auto& mine = intent.write.mine;
    intent.how = protocol::write_intent::test::blind;
    intent.repeatable = false;
    intent.write.ignore_lock = order.ignore_lock;
    if (order.what == order_kind::clobber_remove) {
        intent.how = protocol::write_intent::test::erase_blindly;
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
    if (auto why = protocol::check_change(core.layout(), order.change)) return why;
    auto update = requests.blind(intent.key, order.change, mine, order.ignore_lock);
    apply(update, order.condition);
    if (order.exact) {
        intent.repeatable = true;
        transact_write_items_request alone;
        alone.actions.emplace_back(as_action(std::move(update)));
        alone.client_request_token = core.world().new_id();
        intent.request = std::move(alone);
    } else {
        intent.request = std::move(update);
    }
    return std::nullopt;
}

}  // namespace

result<protocol::write_intent> plan_write(const versioned_impl& core, write_order order,
                                          std::optional<item_stamp> mine) {
    if (order.invalid) return *std::move(order.invalid);
    protocol::write_intent intent{.layout = &core.layout()};
    auto key = key_for(core, order);
    if (!key) return std::move(key).error();
    intent.key = *std::move(key);
    intent.write.mine = mine ? *mine : core.new_stamp();

    if (has_members(order)) {
        if (order.what != order_kind::save) set_times(core, order, order.members.present);
        if (auto why = protocol::check_members(core.layout(), order.members)) return *std::move(why);
    }
    std::optional<failure> why;
    if (order.what == order_kind::create) {
        intent.members = std::move(order.members);
        plan_create(intent);
    } else if (order.what == order_kind::blind || order.what == order_kind::clobber ||
               order.what == order_kind::clobber_remove) {
        why = plan_unchecked(core, intent, order);
    } else {
        why = plan_checked(core, intent, order);
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

}  // namespace dynalease::detail
