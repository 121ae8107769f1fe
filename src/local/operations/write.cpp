// Writes of single items.
// SPDX-License-Identifier: BSL-1.0
#include "local/operations/write.hpp"

#include "local/codec/translated_placeholder.hpp"
#include "local/expression/condition.hpp"
#include "local/expression/projection.hpp"
#include "local/expression/update.hpp"
#include "local/expression/update_size.hpp"
#include "local/operations/index_update.hpp"
#include "local/operations/key_paths.hpp"
#include "local/values/item_check.hpp"

#include <algorithm>
#include <utility>

namespace dynalease::local {

namespace {

template <class Request>
write common(write::kind kind, const Request& request, const item& subject) {
    write result;
    result.what = kind;
    result.table_name = request.table_name;
    result.subject = &subject;
    result.condition_expression = request.condition_expression;
    result.names = &request.names;
    result.values = &request.values;
    result.current_on_refusal = request.current_on_refusal;
    return result;
}

template <class Request>
write update_of(const Request& request) {
    write result = common(write::kind::update, request, request.key);
    result.update_expression = request.update_expression;
    return result;
}

/// As it will be kept, which may be smaller: numbers lose their zeros.
void check_size(const item& whole) {
    if (item_size(whole) <= largest_item) return;
    item kept = whole;
    normalise_numbers(kept);
    if (item_size(kept) > largest_item) refuse("Item size has exceeded the maximum allowed size");
}

const item& nothing() {
    static const item empty;
    return empty;
}

}  // namespace

write write_of(const put_item_request& request) {
    return common(write::kind::put, request, request.new_item);
}
write write_of(const update_item_request& request) {
    return update_of(request);
}
write write_of(const delete_item_request& request) {
    return common(write::kind::erase, request, request.key);
}

write write_of(const transact_write& action) {
    struct visitor {
        write operator()(const condition_check& check) const { return common(write::kind::check, check, check.key); }
        write operator()(const transact_put& put) const { return common(write::kind::put, put, put.new_item); }
        write operator()(const transact_update& update) const { return update_of(update); }
        write operator()(const transact_delete& erase) const { return common(write::kind::erase, erase, erase.key); }
    };
    write result = std::visit(visitor{}, action);
    result.transacted = true;
    return result;
}

prepared_write::prepared_write(database_state& state, const write& what)
    : what_(what),
      state_(state),
      allowed_(state.allowed),
      expressions_(state.expressions, state.allowed, *what.names, *what.values) {
    check_values(*what.values);
    if (what.what == write::kind::put) {
        check_values(*what.subject);
        check_size(*what.subject);
    }
    update_ = expressions_.update(what.update_expression);
    condition_ = expressions_.condition(what.condition_expression, "ConditionExpression");
    expressions_.finish();
    if (what.what != write::kind::put) check_depth(*what.subject);
    if (what.what == write::kind::check && !condition_) {
        refuse("The ConditionExpression of a ConditionCheck must not be empty");
    }
}

void prepared_write::locate(database_state& state, std::chrono::sys_seconds now) {
    table_ = &state.table_named(what_.table_name, now);
    if (what_.what == write::kind::put) {
        if (what_.batched) check_key_present(table_->key(), *what_.subject);
        check_item_key(table_->key(), *what_.subject);
        table_->check_indexes(*what_.subject);
    } else {
        check_key(table_->key(), *what_.subject);
    }
    check_update();
    place_ = {table_, encode_key(table_->key(), *what_.subject)};
}

void prepared_write::check_update() const {
    if (!update_) return;
    const key_schema& schema = table_->key();
    for (const expression::path& target : update_->tree.targets) {
        const std::string_view name = expressions_.bound().name(target.front());
        if (is_part_of(schema, name)) {
            refuse("One or more parameter values were invalid: Cannot update attribute " + std::string(name) +
                   ". This attribute is part of the key");
        }
    }
    check_index_types(update_->tree, expressions_.bound(), *table_);
    refuse_nested_keys(update_->tree, expressions_.bound(), *table_);
}

const item* prepared_write::present() const {
    const row* found = table_->find(key());
    return found ? &found->attributes : nullptr;
}

prepared_write::plan prepared_write::decide() const {
    if (update_) check_size_to_write();
    const item* before = present();
    if (condition_ && !expression::holds(condition_->tree, before ? *before : nothing(), expressions_.bound())) {
        return {true};
    }
    if (what_.what == write::kind::update) return decide_update(before);
    plan decision;
    if (what_.what == write::kind::put) {
        decision.after = *what_.subject;
        normalise_numbers(*decision.after);
        decision.size = item_size(*decision.after);
    }
    return decision;
}

prepared_write::plan prepared_write::decide_update(const item* before) const {
    plan decision;
    const bool only_takes_away = update_ && update_->tree.set.empty() && update_->tree.add.empty();
    if (!before && only_takes_away) return decision;  // there is nothing to take away from
    allowed_.keep(before ? *before : *what_.subject);
    decision.after = before ? *before : *what_.subject;
    if (update_) {
        // An item that is not there yet has its key.
        expression::apply(update_->tree, expressions_.bound(), before ? *before : *what_.subject, *decision.after);
        check_depth(*decision.after);
        check_updated_indexes(update_->tree.targets, expressions_.bound(), *table_, *decision.after);
        table_->check_indexes(*decision.after);
    }
    normalise_numbers(*decision.after);
    decision.size = item_size(*decision.after);
    if (decision.size > largest_item) refuse_updated_size();
    return decision;
}

/// Not so the parameters from before there were expressions, and not a transaction's update.
void prepared_write::check_size_to_write() const {
    const auto& targets = update_->tree.targets;
    if (what_.transacted || (!targets.empty() && codec::is_translated(targets.front().front().name))) return;
    if (expression::size_to_write(update_->tree, expressions_.bound()) > largest_item) refuse_updated_size();
}

capacity prepared_write::units(const plan& decision) const {
    const row* before = table_->find(key());
    const item* old_item = before ? &before->attributes : nullptr;
    const item* new_item = decision.after ? &*decision.after : nullptr;
    capacity result;
    result.own = write_units(std::max(before ? before->size : 0, decision.size));
    if (what_.what == write::kind::check || (!new_item && what_.what != write::kind::erase)) return result;
    item_change of(old_item, new_item, decision.size);
    for (const table_index& index : table_->indexes()) {
        const double index_units = index.write_units(key(), of);
        if (index_units != 0) (index.is_global() ? result.global : result.local)[index.name()] = index_units;
    }
    return result;
}

std::optional<table::change> prepared_write::prepare(plan decision) {
    if (decision.after || what_.what == write::kind::erase) state_.note_row(*table_, key());
    if (decision.after) return table_->put(key(), *std::move(decision.after), decision.size);
    if (what_.what == write::kind::erase) return table_->erase(key());
    return std::nullopt;
}

std::optional<item_collection_metrics> prepared_write::collection() const {
    if (!table_->has_local_index()) return std::nullopt;
    const auto& hash = table_->key().hash.name;
    const auto lower = static_cast<double>(table_->collection_gigabytes(key()));
    return item_collection_metrics{{{hash, *find(*what_.subject, hash)}}, {lower, lower + 1}};
}

item prepared_write::touched_part(const item& whole) const {
    return update_ ? expression::projector(update_->tree.targets, expressions_.bound())(whole) : item{};
}

}  // namespace dynalease::local
