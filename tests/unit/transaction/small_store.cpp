// The embedded server's expressions on a map of rows.
// SPDX-License-Identifier: BSL-1.0
#include "small_store.hpp"

#include "hashes.hpp"

#include "local/expression/compiled.hpp"
#include "local/expression/condition.hpp"
#include "local/expression/update.hpp"
#include "local/values/refusal.hpp"

#include <stdexcept>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

namespace dynalease::protocol::test {

namespace {

namespace expression = local::expression;

std::string place_of(const std::string& table, const item_key& key) {
    auto text = table;
    for (const auto& [name, value] : key) text += "/" + std::get<std::string>(value.get());
    return text;
}

/// What a write makes of the item that is there.
struct effect {
    bool refused = false;
    std::optional<item> after{};
    item touched{};  ///< the attributes of it that an update names
};

expression::caches& known_texts() {
    static expression::caches known;
    return known;
}

template <class Write>
effect effect_of(const Write& write, const item* before) {
    local::allowance allowed;
    expression::compiler compiler(known_texts(), allowed, write.names, write.values);
    std::shared_ptr<const expression::parsed<expression::update>> update;
    if constexpr (requires { write.update_expression; }) update = compiler.update(write.update_expression);
    const auto condition = compiler.condition(write.condition_expression, "ConditionExpression");
    compiler.finish();
    const item nothing;
    if (condition && !expression::holds(condition->tree, before ? *before : nothing, compiler.bound())) {
        return {.refused = true};
    }
    effect done;
    if constexpr (requires { write.new_item; }) {
        done.after = write.new_item;
    } else if constexpr (requires { write.update_expression; }) {
        const item was = before ? *before : write.key;
        done.after = was;
        expression::apply(update->tree, compiler.bound(), was, *done.after);
        for (const auto& target : update->tree.targets) {
            const std::string name(compiler.bound().name(target.front()));
            if (const auto* value = dynalease::find(*done.after, name)) done.touched.emplace(name, *value);
        }
    } else if constexpr (std::is_same_v<Write, condition_check>) {
        if (before) done.after = *before;
    }
    return done;
}

}  // namespace

const item* small_store::find(const std::string& table, const item_key& key) const {
    const auto found = rows_.find(place_of(table, key));
    return found == rows_.end() ? nullptr : &found->second->attributes;
}

void small_store::put(const std::string& table, const item_key& key, item whole) {
    const auto hash = hash_of(whole);
    rows_.insert_or_assign(place_of(table, key), std::make_shared<const row>(row{std::move(whole), hash}));
}

void small_store::erase(const std::string& table, const item_key& key) {
    rows_.erase(place_of(table, key));
}

std::uint64_t small_store::hash() const {
    std::uint64_t hash = 0;
    for (const auto& [place, kept] : rows_) hash = mixed(mixed(hash, hash_of(std::string_view(place))), kept->hash);
    return hash;
}

result<any_response> small_store::execute(const any_request& request) {
    const auto key_of_write = [](const auto& write) {
        if constexpr (requires { write.key; }) {
            return write.key;
        } else {
            // The tables of these tests have the keys of the coordination table, or "id" alone.
            item_key key;
            for (const char* name : {"id", "pk", "sk"}) {
                if (const auto* value = dynalease::find(write.new_item, name)) key.emplace(name, *value);
            }
            return key;
        }
    };
    const auto keep = [&](const auto& write, std::optional<item> after) {
        const auto key = key_of_write(write);
        if (after) {
            put(write.table_name, key, *std::move(after));
        } else {
            erase(write.table_name, key);
        }
    };
    try {
        if (const auto* get = std::get_if<get_item_request>(&request)) {
            const auto* found = find(get->table_name, get->key);
            return any_response(
                get_item_response{.found = found ? std::optional(*found) : std::nullopt, .consumed = {}});
        }
        if (const auto* all = std::get_if<transact_get_items_request>(&request)) {
            transact_get_items_response seen;
            for (const auto& each : all->gets) {
                const auto* found = find(each.table_name, each.key);
                seen.items.push_back(found ? std::optional(*found) : std::nullopt);
            }
            return any_response(std::move(seen));
        }
        if (const auto* all = std::get_if<batch_get_item_request>(&request)) {
            // One of them, and the others at another time: that is what the service may do, too.
            batch_get_item_response seen{.items = {}, .unprocessed = all->tables, .consumed = {}};
            const auto& [name, wanted] = *all->tables.begin();
            const auto* found = find(name, wanted.keys.front());
            if (found) seen.items[name].push_back(*found);
            auto& left = seen.unprocessed[name].keys;
            left.erase(left.begin());
            return any_response(std::move(seen));
        }
        if (const auto* all = std::get_if<transact_write_items_request>(&request)) {
            failure why(errc::transaction_canceled);
            std::vector<effect> effects;
            bool refused = false;
            for (const auto& action : all->actions) {
                std::visit(
                    [&](const auto& write) {
                        const auto* before = find(write.table_name, key_of_write(write));
                        effects.push_back(effect_of(write, before));
                        refused |= effects.back().refused;
                        why.reasons.push_back(
                            {effects.back().refused ? "ConditionalCheckFailed" : "None", "",
                             effects.back().refused && before ? std::optional(*before) : std::nullopt});
                    },
                    action);
            }
            if (refused) return why;
            for (std::size_t i = 0; i < effects.size(); ++i) {
                std::visit([&](const auto& write) { keep(write, std::move(effects[i].after)); }, all->actions[i]);
            }
            return any_response(transact_write_items_response{});
        }
        const auto write_one = [&](const auto& write, auto answer) -> result<any_response> {
            const auto* before = find(write.table_name, key_of_write(write));
            auto done = effect_of(write, before);
            if (done.refused) {
                failure why(errc::condition_failed);
                if (before && write.current_on_refusal) why.current = *before;
                return why;
            }
            if (write.returned == return_values::updated_new) answer.attributes = std::move(done.touched);
            if (write.returned == return_values::all_new && done.after) answer.attributes = *done.after;
            keep(write, std::move(done.after));
            return any_response(std::move(answer));
        };
        if (const auto* put = std::get_if<put_item_request>(&request)) return write_one(*put, put_item_response{});
        if (const auto* update = std::get_if<update_item_request>(&request)) {
            return write_one(*update, update_item_response{});
        }
        if (const auto* erase = std::get_if<delete_item_request>(&request)) {
            return write_one(*erase, delete_item_response{});
        }
    } catch (const local::refusal& fault) {
        return fault.why;
    }
    throw std::logic_error("a request that no machine of a transaction sends");
}

}  // namespace dynalease::protocol::test
