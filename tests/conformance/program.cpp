// Random programs, call by call.
// SPDX-License-Identifier: BSL-1.0
#include "conformance/program.hpp"

#include "conformance/expressions.hpp"
#include "conformance/mutation.hpp"
#include "conformance/tables.hpp"
#include "conformance/values.hpp"

#include "dynamodb/codec.hpp"

#include <algorithm>
#include <map>
#include <utility>

namespace dynalease::conformance {

namespace {

scan_request whole(const std::string& table, const std::string& index = {}) {
    scan_request out;
    out.table_name = table;
    out.index_name = index;
    return out;
}

/// A guess by the text: whether it sets nothing.
bool only_takes_away(const std::string& update) {
    const auto has = [&](const char* upper, const char* lower) {
        return update.find(upper) != std::string::npos || update.find(lower) != std::string::npos;
    };
    return !update.empty() && !has("SET ", "set ") && !has("ADD ", "add ");
}

/// Whether an item in the making has a key is a question that servers answer differently.
bool names_a_key(const update_item_request& update) {
    const auto has = [&](const char* name) {
        return update.update_expression.find(name) != std::string::npos ||
               std::ranges::any_of(update.names, [&](const auto& each) { return each.second == name; });
    };
    return has("pk") || has("sk");
}

/// Not what only a pass over all pages, or a certain kind of answer, makes comparable.
bool can_be_mutated(const any_request& request) {
    if (const auto* scan = std::get_if<scan_request>(&request)) return !scan->limit && !scan->total_segments;
    if (const auto* query = std::get_if<query_request>(&request)) return query->index_name.empty() || !query->limit;
    // A token of a raw request would be known to the server from another run.
    if (const auto* transaction = std::get_if<transact_write_items_request>(&request)) {
        return transaction->client_request_token.empty() &&
               std::ranges::none_of(transaction->actions, [](const transact_write& action) {
                   const auto* update = std::get_if<transact_update>(&action);
                   return update && only_takes_away(update->update_expression);
               });
    }
    const auto* update = std::get_if<update_item_request>(&request);
    return !update || (!only_takes_away(update->update_expression) && !names_a_key(*update));
}

/// Makes the calls of one program.
class author {
public:
    author(std::uint64_t seed, const abilities& asked) : chance_(seed), asked_(asked) {
        made_.seed = seed;
        const auto name = "conformance-" + std::to_string(seed);
        made_.tables.push_back(random_table(chance_, name + "-a"));
        if (chance_.percent(50)) made_.tables.push_back(random_table(chance_, name + "-b"));
    }

    program write() {
        for (auto count = 4 + chance_.below(12); count > 0; --count) made_.calls.push_back(one_call());
        // What all of it has left behind.
        for (const auto& table : made_.tables) {
            made_.calls.push_back({whole(table.table_name), {}, true});
            for (const auto* indexes : {&table.global_indexes, &table.local_indexes}) {
                for (const auto& index : *indexes) {
                    made_.calls.push_back({whole(table.table_name, index.name), {}, true});
                }
            }
        }
        return std::move(made_);
    }

private:
    /// The table of the call in the making.
    const create_table_request& choose_table() { return *(table_ = &chance_.pick(made_.tables)); }
    std::string table_name() { return chance_.percent(1) ? "conformance-absent" : table_->table_name; }
    item_key key() { return random_key(chance_, table_->key); }
    /// One that an earlier call has, most likely, put; empty: there is none.
    item earlier_item() {
        const auto& known = items_[table_->table_name];
        return known.empty() ? item{} : chance_.pick(known);
    }
    item new_item() {
        const item like = earlier_item();
        return items_[table_->table_name].emplace_back(random_item(chance_, *table_, like));
    }

    call one_call() {
        choose_table();
        call out{one_request()};
        if (std::holds_alternative<scan_request>(out.request)) {
            out.to_the_end = true;
        } else if (std::holds_alternative<query_request>(out.request)) {
            // Where one page of an index ends among items of one key is the server's choice.
            const auto& query = std::get<query_request>(out.request);
            out.to_the_end = !query.index_name.empty() || chance_.percent(50);
        }
        if (asked_.raw && chance_.percent(5) && can_be_mutated(out.request)) {
            out.raw = mutated(chance_, codec::encode_request(out.request));
            out.to_the_end = false;
        }
        return out;
    }

    any_request one_request() {
        const auto kind = chance_.below(100);
        if (kind < 20) return put();
        if (kind < 26) return get();
        if (kind < 50) return update();
        if (kind < 58) return erase();
        if (kind < 72) return query();
        if (kind < 80) return scan();
        if (kind < 83) return read_batch();
        if (kind < 86) return write_batch();
        if (kind < 88) return ttl();
        if (!asked_.transactions) return update();
        return kind < 97 ? any_request(transaction()) : any_request(transact_read());
    }

    return_values returned(bool any) {
        if (chance_.percent(30)) return return_values::none;
        if (any) return static_cast<return_values>(chance_.below(5));
        return chance_.percent(97) ? return_values::all_old : return_values::updated_new;
    }

    put_item_request put() {
        put_item_request out;
        out.table_name = table_name();
        out.new_item = new_item();
        guard(out, 35);
        out.returned = returned(false);
        out.report_capacity = chance_.percent(10);
        return out;
    }

    get_item_request get() {
        get_item_request out;
        out.table_name = table_name();
        out.key = key();
        out.consistent_read = chance_.percent(50);
        project(out);
        out.report_capacity = chance_.percent(10);
        return out;
    }

    update_item_request update() {
        update_item_request out;
        out.table_name = table_name();
        out.key = key();
        if (chance_.percent(96)) {
            out.update_expression = expression_writer(chance_, table_->key, out.names, out.values).update();
        }
        guard(out, 30);
        // Whether it makes an item is a question that servers answer differently; so let them answer it here.
        out.returned = only_takes_away(out.update_expression) ? return_values::all_new : returned(true);
        out.report_capacity = chance_.percent(10);
        return out;
    }

    delete_item_request erase() {
        delete_item_request out;
        out.table_name = table_name();
        out.key = key();
        guard(out, 40);
        out.returned = returned(false);
        out.report_capacity = chance_.percent(10);
        return out;
    }

    /// Sometimes a condition, and always the last word on the placeholders.
    template <class Request>
    void guard(Request& out, unsigned chance) {
        expression_writer writer(chance_, table_->key, out.names, out.values);
        if (chance_.percent(chance)) {
            out.condition_expression = writer.condition();
            out.current_on_refusal = chance_.percent(50);
        }
        writer.finish();
    }

    template <class Request>
    void project(Request& out) {
        attribute_values none;
        expression_writer writer(chance_, table_->key, out.names, none);
        if (chance_.percent(40)) out.projection_expression = writer.projection();
        if constexpr (!requires { out.values; }) writer.finish();
    }

    /// @param index null: of the table
    template <class Request>
    void fill_page(Request& out, const secondary_index* index) {
        out.table_name = table_name();
        if (index) out.index_name = index->name;
        if (chance_.percent(30)) {
            out.filter_expression = expression_writer(chance_, table_->key, out.names, out.values).condition();
        }
        project(out);
        expression_writer(chance_, table_->key, out.names, out.values).finish();
        if (chance_.percent(40))
            out.limit = static_cast<std::int32_t>(chance_.below(20) == 0 ? 0 : 1 + chance_.below(3));
        out.consistent_read = chance_.percent(index ? 10 : 30);
        if (out.projection_expression.empty() && chance_.percent(8)) out.select = selection::count;
        if (index && chance_.percent(5)) out.select = static_cast<selection>(chance_.below(5));
        out.report_capacity = chance_.percent(10);
    }

    query_request query() {
        query_request out;
        const auto* index = random_index(chance_, *table_);
        const auto& schema = index ? index->key : table_->key;
        const auto like = earlier_item();
        out.key_condition_expression = expression_writer(chance_, schema, out.names, out.values).key_condition(like);
        out.scan_index_forward = chance_.percent(60);
        fill_page(out, index);
        if (chance_.percent(12)) {
            out.exclusive_start_key = key();
            if (index) fill_key(chance_, out.exclusive_start_key, index->key, like, 97);
        }
        return out;
    }

    scan_request scan() {
        scan_request out;
        fill_page(out, random_index(chance_, *table_));
        if (chance_.percent(15)) {
            out.segment = 0;
            out.total_segments = static_cast<std::int32_t>(chance_.below(4));
        }
        return out;
    }

    batch_get_item_request read_batch() {
        batch_get_item_request out;
        for (auto count = 1 + chance_.below(2); count > 0; --count) {
            const auto& name = choose_table().table_name;
            auto& wanted = out.tables[name];
            for (auto keys = 1 + chance_.below(4); keys > 0; --keys) wanted.keys.push_back(key());
            wanted.consistent_read = chance_.percent(50);
            wanted.names.clear();
            project(wanted);
        }
        out.report_capacity = chance_.percent(10);
        return out;
    }

    batch_write_item_request write_batch() {
        batch_write_item_request out;
        for (auto count = 1 + chance_.below(2); count > 0; --count) {
            auto& writes = out.tables[choose_table().table_name];
            for (auto actions = 1 + chance_.below(3); actions > 0; --actions) {
                if (chance_.percent(60)) {
                    writes.emplace_back(batch_put{new_item()});
                } else {
                    writes.emplace_back(batch_delete{key()});
                }
            }
        }
        out.report_capacity = chance_.percent(10);
        return out;
    }

    any_request ttl() {
        if (chance_.percent(50)) return describe_time_to_live_request{table_name()};
        return update_time_to_live_request{table_name(), chance_.percent(90) ? "expires" : "ttl", chance_.percent(70)};
    }

    template <class Action>
    Action on_key(unsigned guarded) {
        Action out;
        out.table_name = table_name();
        out.key = key();
        if constexpr (requires { out.update_expression; }) {
            out.update_expression = expression_writer(chance_, table_->key, out.names, out.values).update();
            // As in UpdateItem; here no answer could tell.
            if (only_takes_away(out.update_expression)) {
                out.condition_expression = "attribute_exists(pk)";
                return out;
            }
        }
        guard(out, guarded);
        return out;
    }

    transact_write action() {
        choose_table();
        switch (chance_.below(4)) {
            case 0: {
                transact_put out;
                out.table_name = table_name();
                out.new_item = new_item();
                guard(out, 40);
                return out;
            }
            case 1:
                return on_key<transact_update>(40);
            case 2:
                return on_key<transact_delete>(50);
            default:
                return on_key<condition_check>(98);
        }
    }

    transact_write_items_request transaction() {
        transact_write_items_request out;
        for (auto count = 1 + chance_.below(4); count > 0; --count) out.actions.push_back(action());
        // A token of few, so that some come again, with the same request or with another.
        if (chance_.percent(30)) out.client_request_token = "token-" + std::to_string(chance_.below(3));
        out.report_capacity = chance_.percent(10);
        if (last_transaction_ && chance_.percent(15)) out = *last_transaction_;
        last_transaction_ = out;
        return out;
    }

    transact_get_items_request transact_read() {
        transact_get_items_request out;
        for (auto count = 1 + chance_.below(3); count > 0; --count) {
            choose_table();
            auto& wanted = out.gets.emplace_back();
            wanted.table_name = table_name();
            wanted.key = key();
            project(wanted);
        }
        out.report_capacity = chance_.percent(10);
        return out;
    }

    dice chance_;
    abilities asked_;
    program made_;
    const create_table_request* table_ = nullptr;
    std::map<std::string, std::vector<item>> items_;  ///< by table
    std::optional<transact_write_items_request> last_transaction_;
};

}  // namespace

program random_program(std::uint64_t seed, const abilities& asked) {
    return author(seed, asked).write();
}

}  // namespace dynalease::conformance
