// BatchGetItem and BatchWriteItem.
// SPDX-License-Identifier: BSL-1.0
#include "local/expression/projection.hpp"
#include "local/operations/operations.hpp"
#include "local/operations/write.hpp"
#include "local/storage/capacity.hpp"
#include "local/values/item_check.hpp"

#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace dynalease::local {

namespace {

constexpr std::size_t most_gets = 100;
constexpr std::size_t most_writes = 25;
constexpr std::size_t largest_answer = 16 * 1024 * 1024;

void check_distinct(std::set<row_key>& seen, const row_key& key) {
    if (!seen.insert(key).second) refuse("Provided list of item keys contains duplicates");
}

/// Without the table's key schema; with it, `check_distinct` sees more.
void refuse_repeated(const std::vector<item_key>& keys) {
    for (auto each = keys.begin(); each != keys.end(); ++each) {
        if (std::find(keys.begin(), each, *each) != each) refuse("Provided list of item keys contains duplicates");
    }
}

template <class Tables, class Count>
void check_count(const Tables& tables, std::size_t most, const std::string& operation, Count count) {
    if (tables.empty()) refuse("The requestItems parameter is required for " + operation);
    std::size_t sum = 0;
    for (const auto& [name, requests] : tables) {
        if (count(requests) == 0) {
            refuse("1 validation error detected: Value at 'requestItems." + name +
                   ".member' failed to satisfy constraint: Member must have length greater than or equal to 1");
        }
        sum += count(requests);
    }
    if (sum > most) refuse("Too many items requested for the " + operation + " call");
}

class batch_reader {
public:
    batch_reader(const context& in, const batch_get_item_request& request) : in_(in), request_(request) {}

    batch_get_item_response read() {
        for (const auto& [name, wanted] : request_.tables) read_table(name, wanted);
        return std::move(answer_);
    }

private:
    void read_table(const std::string& name, const keys_and_options& wanted) {
        const attribute_values no_values;
        expression::compiler expressions(in_.state.expressions, in_.state.allowed, wanted.names, no_values);
        const auto projection = expressions.projection(wanted.projection_expression);
        expressions.finish();
        std::optional<expression::projector> project;
        if (projection) project.emplace(projection->tree, expressions.bound());
        if (!in_.state.tables.contains(name)) refuse_repeated(wanted.keys);
        table& from = in_.table_named(name);
        const auto kind = wanted.consistent_read ? read_kind::consistent : read_kind::eventual;
        std::set<row_key> seen;
        capacity units;
        auto& found = answer_.items[name];
        for (const item_key& key : wanted.keys) {
            check_key(from.key(), key);
            const row_key where = encode_key(from.key(), key);
            check_distinct(seen, where);
            const row* present = from.find(where);
            const std::size_t size = present ? present->size : 0;
            if (bytes_ + size > largest_answer || !in_.state.allowed.has_room()) {
                leave(name, wanted, key);
                continue;
            }
            bytes_ += size;
            units.own += read_units(size, kind);
            if (!present) continue;
            if (project) {
                found.push_back((*project)(present->attributes));
            } else {
                in_.state.allowed.copy(present->attributes);
                found.push_back(present->attributes);
            }
        }
        if (auto report = consumed_if(request_, from.name(), units)) answer_.consumed.push_back(*std::move(report));
    }

    void leave(const std::string& name, const keys_and_options& wanted, const item_key& key) {
        const auto [at, first] = answer_.unprocessed.try_emplace(name);
        if (first) {
            at->second = wanted;
            at->second.keys.clear();
        }
        at->second.keys.push_back(key);
    }

    const context& in_;
    const batch_get_item_request& request_;
    batch_get_item_response answer_;
    std::size_t bytes_ = 0;
};

const attribute_names no_names;
const attribute_values no_values;

write batched_write(const std::string& table_name, const batch_write& action) {
    write result;
    result.table_name = table_name;
    result.batched = true;
    result.names = &no_names;
    result.values = &no_values;
    if (const auto* put = std::get_if<batch_put>(&action)) {
        result.what = write::kind::put;
        result.subject = &put->new_item;
    } else {
        result.what = write::kind::erase;
        result.subject = &std::get<batch_delete>(action).key;
    }
    return result;
}

}  // namespace

result<any_response> execute(const context& in, const batch_get_item_request& request) {
    check_count(request.tables, most_gets, "BatchGetItem",
                [](const keys_and_options& wanted) { return wanted.keys.size(); });
    for (const auto& [name, wanted] : request.tables) std::ranges::for_each(wanted.keys, check_depth);
    return any_response(batch_reader(in, request).read());
}

result<any_response> execute(const context& in, const batch_write_item_request& request) {
    check_count(request.tables, most_writes, "BatchWriteItem", [](const auto& writes) { return writes.size(); });
    std::vector<prepared_write> writes;
    std::vector<prepared_write::plan> decisions;
    batch_write_item_response answer;
    // Faults that need no table come before a table that is not there.
    std::vector<prepared_write> checked;
    for (const auto& [name, actions] : request.tables) {
        for (const batch_write& action : actions) checked.emplace_back(in.state, batched_write(name, action));
    }
    auto next = checked.begin();
    for (const auto& [name, actions] : request.tables) {
        std::set<row_key> seen;
        capacity units;
        for (const batch_write& action : actions) {
            prepared_write& write = *next++;
            write.locate(in.state, in.seconds());
            check_distinct(seen, write.key());
            if (in.state.work.holds(write.place(), work_in_progress::kind::transaction, in.now)) {
                answer.unprocessed[name].push_back(action);
                continue;
            }
            decisions.push_back(write.decide());
            if (request.report_capacity) units.add(write.units(decisions.back()));
            writes.push_back(std::move(write));
        }
        if (auto report = consumed_if(request, name, units)) answer.consumed.push_back(*std::move(report));
    }
    for (std::size_t i = 0; i < writes.size(); ++i) {
        auto change = writes[i].prepare(std::move(decisions[i]));
        in.state.work.begin(writes[i].place(), work_in_progress::kind::write, in.now);
        if (change) change->commit();
        if (!request.report_collection) continue;
        if (auto metrics = writes[i].collection()) {
            answer.collections[writes[i].where().name()].push_back(*std::move(metrics));
        }
    }
    return any_response(std::move(answer));
}

}  // namespace dynalease::local
