// TransactWriteItems and TransactGetItems.
// SPDX-License-Identifier: BSL-1.0
#include "local/expression/projection.hpp"
#include "local/operations/cancellation.hpp"
#include "local/operations/operations.hpp"
#include "local/operations/write.hpp"
#include "local/storage/capacity.hpp"
#include "local/values/item_check.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

namespace dynalease::local {

namespace {

constexpr std::size_t most_actions = 100;

void check_count(std::size_t count) {
    if (count == 0 || count > most_actions) {
        refuse(std::string("1 validation error detected: Value at 'transactItems' failed to satisfy constraint: "
                           "Member must have length ") +
               (count == 0 ? "greater than or equal to 1" : "less than or equal to 100"));
    }
}

void check_distinct(std::set<item_place>& seen, item_place place) {
    if (!seen.insert(std::move(place)).second) {
        refuse("Transaction request cannot include multiple operations on one item");
    }
}

void check_payload(std::size_t bytes) {
    constexpr std::size_t most = 4 * 1024 * 1024;
    if (bytes <= most) return;
    refuse("Transaction payload size cannot exceed 4MB. Payload Size: " + std::to_string(bytes));
}

/// A validation error of one action is that action's reason, most often; anything else is the whole request's.
cancellation_reason reason_of(refusal& fault) {
    if (fault.of_whole_request || fault.why.code != make_error_code(errc::validation)) throw std::move(fault);
    return {"ValidationError", std::move(fault.why.details.message), std::nullopt};
}

cancellation_reason refused_action(const prepared_write& write, allowance& allowed) {
    cancellation_reason reason{"ConditionalCheckFailed", "The conditional request failed", std::nullopt};
    const item* present = write.present();
    if (write.what().current_on_refusal && present) {
        allowed.copy(*present);
        reason.current = *present;
    }
    return reason;
}

/// All actions of one transaction through their three steps together.
class batch {
public:
    batch(const context& in, const std::vector<transact_write>& actions) : in_(in), reasons_(actions.size()) {
        for (auto& reason : reasons_) reason.code = "None";
        writes_.reserve(actions.size());
        for (const auto& action : actions) writes_.emplace_back(in.state, write_of(action));
    }

    /// Every action that cannot be done gets its reason.
    void decide() {
        std::set<item_place> seen;
        decisions_.resize(writes_.size());
        std::size_t bytes = 0;
        for (const auto& write : writes_) in_.table_named(write.what().table_name);  // before any fault of an action
        for (std::size_t i = 0; i < writes_.size(); ++i) {
            attempt(i, [&] {
                writes_[i].locate(in_.state, in_.seconds());
                return false;
            });
            // The service looks no further than the first: the reasons of the others are "None".
            if (failed(i)) return;
            check_distinct(seen, writes_[i].place());
        }
        for (std::size_t i = 0; i < writes_.size(); ++i) {
            if (!in_.state.work.holds(writes_[i].place(), work_in_progress::kind::transaction, in_.now)) continue;
            reasons_[i] = conflict_reason();
            any_failed_ = true;
        }
        for (std::size_t i = 0; i < writes_.size(); ++i) {
            if (failed(i)) continue;
            attempt(i, [&] {
                decisions_[i] = writes_[i].decide();
                return decisions_[i].refused;
            });
            bytes += decisions_[i].size;
        }
        check_payload(bytes);
    }

    bool any_failed() const { return any_failed_; }
    std::vector<cancellation_reason> take_reasons() { return std::move(reasons_); }

    capacities units() const {
        capacities sums;
        for (std::size_t i = 0; i < writes_.size(); ++i) {
            sums[writes_[i].where().name()].add(writes_[i].units(decisions_[i]), 2);
        }
        return sums;
    }

    /// Of reading all that a transaction wrote that was done before.
    capacities units_of_reading() {
        capacities sums;
        for (prepared_write& write : writes_) {
            write.locate(in_.state, in_.seconds());
            const row* present = write.where().find(write.key());
            sums[write.where().name()].own += read_units(present ? present->size : 0, read_kind::transactional);
        }
        return sums;
    }

    /// All that may fail, but for what the answer tells.
    void prepare() {
        changes_.reserve(writes_.size());
        for (std::size_t i = 0; i < writes_.size(); ++i) {
            changes_.push_back(writes_[i].prepare(std::move(decisions_[i])));
            in_.state.work.begin(writes_[i].place(), work_in_progress::kind::transaction, in_.now);
        }
    }
    void commit() noexcept {
        for (auto& each : changes_) {
            if (each) each->commit();
        }
    }

    std::map<std::string, std::vector<item_collection_metrics>> collections() const {
        std::map<std::string, std::vector<item_collection_metrics>> result;
        for (const prepared_write& write : writes_) {
            if (write.what().what == write::kind::check) continue;
            if (auto metrics = write.collection()) result[write.where().name()].push_back(*std::move(metrics));
        }
        return result;
    }

private:
    bool failed(std::size_t i) const { return reasons_[i].code != "None"; }

    template <class Step>
    void attempt(std::size_t i, Step step) {
        try {
            if (step()) reasons_[i] = refused_action(writes_[i], in_.state.allowed);
        } catch (refusal& fault) {
            reasons_[i] = reason_of(fault);
        }
        any_failed_ = any_failed_ || failed(i);
    }

    const context& in_;
    std::vector<prepared_write> writes_;
    std::vector<prepared_write::plan> decisions_;
    std::vector<std::optional<table::change>> changes_;
    std::vector<cancellation_reason> reasons_;
    bool any_failed_ = false;
};

/// All items of one transaction, read together.
class batch_of_gets {
public:
    /// Checks all expressions, before any table is looked for.
    batch_of_gets(const context& in, const transact_get_items_request& request)
        : in_(in), request_(request), reasons_(request.gets.size()) {
        const attribute_values no_values;
        for (const transact_get& get : request.gets) {
            check_depth(get.key);
            expression::compiler expressions(in.state.expressions, in.state.allowed, get.names, no_values);
            projections_.push_back(expressions.projection(get.projection_expression));
            expressions.finish();
        }
    }

    /// Every item that cannot be read gets its reason.
    void read() {
        for (std::size_t i = 0; i < reasons_.size(); ++i) {
            reasons_[i].code = "None";
            table& from = in_.table_named(request_.gets[i].table_name);
            answer_.items.emplace_back();
            try {
                check_key(from.key(), request_.gets[i].key);
            } catch (refusal& fault) {
                fail(i, reason_of(fault));
                continue;
            }
            read_from(from, i);
        }
        check_payload(bytes_);
    }

    bool any_failed() const { return any_failed_; }
    std::vector<cancellation_reason> take_reasons() { return std::move(reasons_); }
    transact_get_items_response take_answer() {
        answer_.consumed = consumed_if(request_, units_);
        for (auto& each : answer_.consumed) each.read_units = each.capacity_units;
        return std::move(answer_);
    }

private:
    void fail(std::size_t i, cancellation_reason why) {
        reasons_[i] = std::move(why);
        any_failed_ = true;
    }

    void read_from(table& from, std::size_t i) {
        const transact_get& get = request_.gets[i];
        const item_place place{&from, encode_key(from.key(), get.key)};
        check_distinct(seen_, place);
        const row* present = from.find(place.second);
        const std::size_t size = present ? present->size : 0;
        bytes_ += size;
        units_[from.name()].own += read_units(size, read_kind::transactional);
        if (in_.state.work.holds(place, work_in_progress::kind::write, in_.now)) fail(i, conflict_reason());
        if (!present) return;
        if (const auto& projection = projections_[i]) {
            const attribute_values no_values;
            const expression::bindings bound(get.names, no_values, in_.state.allowed);
            item named = expression::projector(projection->tree, bound)(present->attributes);
            // GetItem answers an empty item here, TransactGetItems none.
            if (!named.empty()) answer_.items[i] = std::move(named);
        } else {
            in_.state.allowed.copy(present->attributes);
            answer_.items[i] = present->attributes;
        }
    }

    const context& in_;
    const transact_get_items_request& request_;
    std::vector<expression::cache<expression::projection>::shared> projections_;
    std::vector<cancellation_reason> reasons_;
    transact_get_items_response answer_;
    std::set<item_place> seen_;
    capacities units_;
    std::size_t bytes_ = 0;
    bool any_failed_ = false;
};

void check_token(const std::string& token) {
    constexpr std::size_t longest_token = 36;
    if (token.size() > longest_token) {
        refuse("1 validation error detected: Value '" + token.substr(0, longest_token) +
               "...' at 'clientRequestToken' failed to satisfy constraint: Member must have length less than or "
               "equal to 36");
    }
}

/// The answer to what was done before: nothing is written, and only the reads count.
transact_write_items_response repeated(const context& in, const transact_write_items_request& request) {
    transact_write_items_response answer;
    if (!request.report_capacity) return answer;
    answer.consumed = consumed_if(request, batch(in, request.actions).units_of_reading());
    for (auto& each : answer.consumed) each.read_units = each.capacity_units;
    return answer;
}

}  // namespace

result<any_response> execute(const context& in, const transact_write_items_request& request) {
    check_count(request.actions.size());
    check_token(request.client_request_token);
    const bool idempotent = !request.client_request_token.empty();
    const fingerprint print = idempotent ? fingerprint_of(request) : fingerprint{};
    if (idempotent && in.state.tokens.was_done(request.client_request_token, print, in.now)) {
        return any_response(repeated(in, request));
    }
    batch actions(in, request.actions);
    actions.decide();
    if (actions.any_failed()) return cancelled_for(actions.take_reasons());
    transact_write_items_response answer;
    if (request.report_capacity) answer.consumed = consumed_if(request, actions.units());
    for (auto& each : answer.consumed) each.write_units = each.capacity_units;
    actions.prepare();
    // Before it is done: a repeat must not do it again.
    if (idempotent) {
        in.state.tokens.remember(request.client_request_token, print, in.now + in.state.work.duration());
        in.state.note_token(request.client_request_token);
    }
    actions.commit();
    if (request.report_collection) answer.collections = actions.collections();
    return any_response(std::move(answer));
}

result<any_response> execute(const context& in, const transact_get_items_request& request) {
    check_count(request.gets.size());
    in.state.allowed.allow_transaction();
    batch_of_gets gets(in, request);
    gets.read();
    if (gets.any_failed()) return cancelled_for(gets.take_reasons());
    return any_response(gets.take_answer());
}

}  // namespace dynalease::local
