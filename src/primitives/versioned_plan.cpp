// From what a caller orders to the one request that does it.
#include "primitives/versioned_core.hpp"

#include <dynalease/dynamodb/expression.hpp>

#include <algorithm>
#include <utility>

namespace dynalease::detail {

namespace {

using order_kind = write_order::kind;

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

failure bad(errc code, std::string message) {
    failure why(code);
    why.details.message = std::move(message);
    return why;
}

/// The key that the order speaks of.
result<item_key> key_for(const versioned_core& core, const write_order& order) {
    const auto& layout = core.layout();
    const bool has_members =
        order.what == order_kind::create || order.what == order_kind::save || order.what == order_kind::clobber;
    auto key = order.key     ? core.key_of(*order.key)
               : has_members ? protocol::key_of(layout, order.members.present)
                             : protocol::key_of(layout, order.stored);
    if (auto why = protocol::check_key(layout, key)) return *std::move(why);
    if (!has_members || order.stored.empty()) return key;
    const auto loaded = protocol::key_of(layout, order.stored);
    if (key == loaded) return key;
    return bad(errc::bad_attribute, "the key is " + text_of(key) + ", but " + text_of(loaded) +
                                        " was loaded; a key cannot be changed: create another item");
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
        intent.changes = protocol::no_members(layout, order.stored);
        auto bury = requests.bury(intent.key, write, intent.changes, intent.core->tombstone_expiry());
        intent.request = with_condition(std::move(bury), order.condition);
        return std::nullopt;
    }
    if (order.what == order_kind::save) {
        auto members = order.members;
        if (order.complete) {
            if (order.stored.empty()) {
                return bad(errc::invalid_option, "a revision does not say which attributes the item has; load it");
            }
            members.absent = protocol::replaced_members(layout, order.stored, order.members).remove;
        }
        intent.changes = order.whole || order.stored.empty() ? protocol::all_members(layout, members)
                                                             : protocol::changed_members(layout, order.stored, members);
    }
    auto save = requests.save(intent.key, write, intent.changes);
    if (order.read_back) save.returned = return_values::all_new;
    intent.request = with_condition(std::move(save), order.condition);
    return std::nullopt;
}

std::optional<failure> plan_unchecked(write_intent& intent, const write_order& order) {
    const auto& layout = intent.core->layout();
    const auto requests = intent.core->requests();
    const auto& mine = intent.write.mine;
    intent.how = write_intent::test::blind;
    intent.repeatable = false;
    if (order.what == order_kind::clobber_remove) {
        intent.how = write_intent::test::erase_blindly;
        intent.removes = true;
        intent.request = requests.clobber_erase(intent.key, order.ignore_lock);
        return std::nullopt;
    }
    update_item_request update;
    if (order.what == order_kind::clobber) {
        intent.changes = protocol::all_members(layout, order.members);
        update = requests.clobber(intent.key, intent.changes, mine, order.ignore_lock, order.upsert);
    } else {
        if (const auto name = protocol::reserved_name_in(layout, order.change); !name.empty()) {
            return bad(errc::reserved_name, "attribute \"" + name + "\" belongs to the library; update another");
        }
        update = requests.blind(intent.key, order.change, mine, order.ignore_lock);
    }
    apply(update, order.condition);
    if (order.exact) {
        intent.repeatable = true;
        transact_write_items_request alone;
        alone.actions.emplace_back(protocol::as_action(std::move(update)));
        alone.client_request_token = intent.core->world().random->id();
        intent.request = std::move(alone);
    } else {
        intent.request = std::move(update);
    }
    return std::nullopt;
}

}  // namespace

void plan_create(write_intent& intent) {
    intent.how = write_intent::test::create;
    intent.write.base = {};
    intent.write.target = intent.core->layout().first_version;
    intent.stored.clear();
    intent.changes = {};
    intent.request = intent.core->requests().create(intent.members.present, intent.write.mine);
}

std::optional<failure> plan_create_over(write_intent& intent, const item& tombstone,
                                        const protocol::item_sight& sight) {
    const auto& layout = intent.core->layout();
    intent.how = write_intent::test::create_over;
    intent.write.base = sight.state;
    auto target = protocol::version_after(layout, sight.state);
    if (!target) return std::move(target).error();
    intent.write.target = *target;
    intent.stored = tombstone;
    intent.changes = protocol::all_members(layout, {intent.members.present});
    if (intent.changes.size() > protocol::most_changes) return failure(errc::too_many_members);
    intent.request = intent.core->requests().create_over(intent.key, intent.write, intent.changes);
    return std::nullopt;
}

result<write_intent> plan_write(std::shared_ptr<versioned_core> core, write_order order,
                                std::optional<item_stamp> mine) {
    if (order.invalid) return *std::move(order.invalid);
    write_intent intent{.core = std::move(core), .verb = verb_of(order.what)};
    auto key = key_for(*intent.core, order);
    if (!key) return std::move(key).error();
    intent.key = *std::move(key);
    intent.write.mine = mine ? *mine : intent.core->new_stamp();

    const auto& layout = intent.core->layout();
    if (order.what == order_kind::create || order.what == order_kind::save || order.what == order_kind::clobber) {
        if (auto why = protocol::check_members(layout, order.members)) return *std::move(why);
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
    }
    if (why) return *std::move(why);
    if (intent.changes.size() > protocol::most_changes) {
        return bad(errc::too_many_members, std::to_string(intent.changes.size()) + " attributes change, of at most " +
                                               std::to_string(protocol::most_changes) + " in one update");
    }
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
