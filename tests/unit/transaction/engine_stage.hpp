// Transactions on the embedded engine: a coordinator's errands, carried out at once and counted.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "support/row_world.hpp"

#include "item/protocol/item_state.hpp"
#include "transaction/protocol/coordinator.hpp"
#include "transaction/protocol/stored_writes.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace dynalease::protocol::test {

inline const std::string accounts = "accounts";

struct traffic {
    unsigned writes = 0;
    unsigned reads = 0;
    unsigned rounds = 0;             ///< round trips, one after the other, that this took
    unsigned rounds_to_verdict = 0;  ///< ... until it was decided
};

class engine_stage {
public:
    engine_stage() { make_table(accounts); }

    void make_table(const std::string& name) {
        if (!world_.execute(create_table_request{.table_name = name, .key = {{"id"}}})) throw std::logic_error("table");
    }
    void put(item whole) {
        if (!world_.execute(put_item_request{.table_name = accounts, .new_item = std::move(whole)}))
            throw std::logic_error("put");
    }
    void erase(const std::string& id) {
        if (!world_.execute(delete_item_request{.table_name = accounts, .key = {{"id", id}}}))
            throw std::logic_error("erase");
    }
    std::optional<item> find(const std::string& id) {
        return world_.execute(get_item_request{.table_name = accounts, .key = {{"id", id}}, .consistent_read = true})
            .value()
            .found;
    }
    std::optional<transaction_header> header(const std::string& id) {
        const auto row = world_.find(transaction_key(id));
        return parse_transaction_header(row ? &*row : nullptr).value();
    }
    row_world& world() { return world_; }

    /// Until the machine has come to the phase, or to its end.
    template <class Machine>
    traffic run(Machine& what, typename Machine::phase until = Machine::phase::ended) {
        traffic seen;
        while (what.now() != until && what.now() != Machine::phase::ended) round(what, seen);
        return seen;
    }
    /// All that it wants at once.
    template <class Machine>
    void round(Machine& what, traffic& seen) {
        std::vector<errand> wanted;
        while (auto next = what.next(1'700'000'000)) wanted.push_back(*std::move(next));
        if (wanted.empty()) throw std::logic_error("it wants nothing, and has not ended");
        ++seen.rounds;
        if (what.decided() == run_verdict::open) seen.rounds_to_verdict = seen.rounds;
        for (auto& each : wanted) {
            ++(is_write(each.request) ? seen.writes : seen.reads);
            what.answer(each.slot, read_answer(execute(each.request)));
        }
    }
    /// One request, and its answer.
    template <class Machine>
    void one_step(Machine& what) {
        auto next = what.next(1'700'000'000).value();
        what.answer(next.slot, read_answer(execute(next.request)));
    }

    result<any_response> execute(const any_request& request) {
        return std::visit(
            [this](const auto& each) -> result<any_response> {
                auto answer = world_.execute(each);
                if (!answer) return answer.error();
                return any_response(*std::move(answer));
            },
            request);
    }

private:
    row_world world_;
};

inline guarded_table plain_accounts() {
    return {.layout = {.table = accounts, .key = "id"}};
}
inline guarded_table versioned_accounts() {
    return {.layout = {.table = accounts, .key = "id"}, .versioned = true};
}

/// A new stamp with every call.
inline item_stamp drawn_stamp() {
    static std::uint64_t count = 0;
    item_stamp stamp{};
    ++count;
    for (std::size_t i = 0; i < 8; ++i) stamp[i] = static_cast<std::byte>(count >> (8 * i));
    return stamp;
}

inline planned_item updating(const guarded_table& on, const std::string& id, update_expression change,
                             condition_expression demand = {}) {
    return {.on = on,
            .key = {{"id", id}},
            .writes = {{.change = std::move(change), .demand = std::move(demand), .stamp = drawn_stamp()}}};
}
inline planned_item of_kind(const guarded_table& on, const std::string& id, mark_kind kind) {
    return {.on = on, .key = {{"id", id}}, .writes = {{.kind = kind, .stamp = drawn_stamp()}}};
}
inline planned_item inserting(const guarded_table& on, item whole) {
    const auto id = whole.at("id");
    return {.on = on,
            .key = {{"id", id}},
            .writes = {{.kind = mark_kind::inserted, .whole = std::move(whole), .stamp = drawn_stamp()}}};
}

/// As another process would take it over: from the row alone, with stamps of its own.
inline coordinator taken_over(const transaction_header& header, rivalry rules = {}) {
    auto plan = plan_in(header).value();
    for (auto& each : plan.items) {
        for (auto& write : each.writes) write.stamp = drawn_stamp();
    }
    return coordinator::resumed(table, std::move(plan), rules, header);
}

inline coordinator coordinated(std::vector<planned_item> items, run_name name = {"4711", "run"}, rivalry rules = {}) {
    return {table, {.name = std::move(name), .born = 1, .items = std::move(items)}, rules};
}

}  // namespace dynalease::protocol::test
