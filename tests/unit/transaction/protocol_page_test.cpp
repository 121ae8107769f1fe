// The page of the transactions' protocol shows the requests as they are built.
// SPDX-License-Identifier: BSL-1.0
#include "support/protocol_page.hpp"
#include "transaction/protocol/held_requests.hpp"
#include "transaction/protocol/joint_requests.hpp"
#include "transaction/protocol/marking_requests.hpp"
#include "transaction/protocol/sweep_watch.hpp"
#include "transaction/protocol/transaction_requests.hpp"

#include <string>
#include <variant>

namespace dynalease::protocol::test {

namespace {

std::string text_of_end(const ending_request& request) {
    return std::visit([](const auto& each) { return text_of(each); }, request);
}

}  // namespace

TEST_CASE("the page of the transactions' protocol shows each request as it is built") {
    const std::string coordination = "coordination";
    const run_name self{"4711", "run"};
    const transaction_requests row(coordination, self);
    const guarded_table versioned{.layout = {.table = "accounts", .key = "id"}, .versioned = true};
    const guarded_table plain{.layout = {.table = "accounts", .key = "id"}};
    const marking_requests requests(versioned, self);
    const item_key key{{"id", "ann"}};
    const item_ref where{"accounts", key};
    const item_stamp stamp{std::byte{1}};
    const planned_write update{
        .change = set("balance", attr("balance") - 5), .demand = attr("balance") >= 5, .stamp = stamp};
    const planned_write later{.change = set("note", "x"), .stamp = stamp};
    const planned_write erasure{.kind = mark_kind::to_erase, .stamp = stamp};
    const planned_write insert{.kind = mark_kind::inserted, .whole = {{"id", "ann"}, {"balance", 5}}, .stamp = stamp};
    const lock_name lock{stamp, stamp};
    const item_mark updated{.owner = self,
                            .lock = lock,
                            .write = 1,
                            .images = {{"_trail", false}, {"balance", false}, {"note", true}, {"version", false}},
                            .versions = {"version"}};
    const auto marked = [&](mark_kind kind) {
        return item_mark{.owner = self, .lock = lock, .kind = kind, .write = 1};
    };
    const item_mark inserted{.owner = self, .lock = {stamp, {}}, .kind = mark_kind::inserted, .write = 1};

    const planned_check reading{.on = versioned, .key = key, .seen = item_sight{.stamp = stamp, .version = 7}};
    const planned_check absent{.on = versioned, .key = key, .seen = item_sight{.absent = true}};
    const planned_check demanding{.on = versioned, .key = key, .demand = attr("state") == "open"};
    auto guarded = reading;
    guarded.fence = condition_check{.table_name = "accounts",
                                    .key = key,
                                    .condition_expression = "begins_with(#W, :sa)",
                                    .names = {{"#W", "_lockW"}},
                                    .values = {{":sa", "s.1."}}};
    const auto at_once = [&](const guarded_table& on, const planned_write& write) {
        const planned_item what{.on = on, .key = key, .writes = {write}};
        return text_of(native_call_of(coordination, {.name = self, .items = {what}}, {}, 0));
    };
    const auto under_lock = [&](const planned_write& write, std::optional<std::int64_t> expiry) {
        const planned_item what{.on = versioned, .key = key, .writes = {write}};
        const planned_item only_held{.on = versioned, .key = {{"id", "bob"}}, .writes = {erasure}};
        const transaction_plan held{.name = self, .items = {what, only_held}, .holds = true};
        const held_call call(held, {marked(mark_kind::read), marked(mark_kind::read)}, {.name = self, .items = {what}});
        return text_of(call.held_commit(coordination, expiry, {}));
    };

    check_page(
        "transaction",
        {{"begin", text_of(row.begin(0, {}, {}))},
         {"begin, over a run that was rolled back", text_of(row.begin(0, {}, "old"))},
         {"begin, with what it wants in pages", text_of(row.begin(0, {.pages = 2}, {}))},
         {"store_pages", text_of(row.store_pages({{.writes = {"a write"}}}, 0, 1, {}))},
         {"look_at_page", text_of(row.look_at_page(1))},
         {"finish_with_pages", text_of(row.finish_with_pages(header_state::committed, 0, 1))},
         {"look", text_of(row.look())},
         {"commit", text_of(row.commit({}))},
         {"commit_checked", text_of(row.commit_checked({}, {check_item(absent)}, {}))},
         {"roll_back", text_of(row.roll_back("me"))},
         {"finish", text_of(row.finish(header_state::committed, 0))},
         {"set_aside", text_of(row.set_aside(0, {}, 7, 0))},
         {"finish_aside", text_of(row.finish_aside(0, "run"))},
         {"open_transactions", text_of(open_transactions(coordination, {}))},
         {"still_pending", text_of(row.still_pending())},
         {"lock_item", text_of(requests.lock_item(key, update, 1))},
         {"lock_item, in a table without versions", text_of(marking_requests(plain, self).lock_item(key, later, 1))},
         {"lock_item, as it was seen",
          text_of(requests.lock_item(key, erasure, 1, item_sight{.stamp = stamp, .version = 7}))},
         {"lock_item, to erase it", text_of(requests.lock_item(key, erasure, 1))},
         {"lock_item_again", text_of(requests.lock_item_again(key, later, 2, updated))},
         {"lock_inserts", text_of(lock_inserts(coordination, self, {requests.lock_insert(insert, 1)}, {}))},
         {"check_item", text_of(check_item(reading))},
         {"check_item, of which something is demanded", text_of(check_item(demanding))},
         {"check_item, that was not there", text_of(check_item(absent))},
         {"check_item, of what a guard locks", text_of(check_item(guarded))},
         {"native_call_of, an update", at_once(versioned, update)},
         {"native_call_of, an update in a table without versions", at_once(plain, later)},
         {"native_call_of, an erasure", at_once(versioned, erasure)},
         {"native_call_of, an insert", at_once(versioned, insert)},
         {"native_call_of, its outcome alone",
          text_of(native_call_of(coordination, {.name = self, .items = {}, .keeps_outcome = true}, {}, 0))},
         {"held_commit, of an update, and of what was only held", under_lock(update, 0)},
         {"held_commit, of an erasure, with a copy of a lock on its way", under_lock(erasure, {})},
         {"withdraw", text_of(row.withdraw(0, {}, 0))},
         {"look_at_item", text_of(look_at_item(where))},
         {"look_at_one_moment", text_of(look_at_one_moment({where}))},
         {"look_at_each", text_of(look_at_each({where}))},
         {"unlock", text_of_end(unlock(where, updated))},
         {"unlock, of an insert", text_of_end(unlock(where, inserted))},
         {"unlock, of a read lock", text_of_end(unlock(where, marked(mark_kind::read)))},
         {"unlock, of an item to erase", text_of_end(unlock(where, marked(mark_kind::to_erase)))},
         {"undo", text_of_end(undo(where, updated))},
         {"undo, of an insert", text_of_end(undo(where, inserted))},
         {"undo, of an item to erase", text_of_end(undo(where, marked(mark_kind::to_erase)))}});
}

}  // namespace dynalease::protocol::test
