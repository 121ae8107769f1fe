// What a failure was about, as its request tells.
// SPDX-License-Identifier: BSL-1.0
#include "dynamodb/failed_request.hpp"

#include <catch2/catch.hpp>

using namespace dynalease;
using detail::tables_named;

TEST_CASE("a failure of a request on several tables names them all, or the one that the service names") {
    transact_write_items_request writes;
    writes.actions.emplace_back(condition_check{.table_name = "coordination", .key = {}, .condition_expression = {}});
    writes.actions.emplace_back(transact_delete{.table_name = "accounts", .key = {}});
    writes.actions.emplace_back(transact_delete{.table_name = "accounts", .key = {}});
    CHECK(tables_named(writes, "Requested resource not found") == "coordination, accounts");
    CHECK(tables_named(writes, "Requested resource not found: Table: accounts not found") == "accounts");
    CHECK(tables_named(writes, "Requested resource not found: Table: acc not found") == "coordination, accounts");

    transact_get_items_request reads;
    reads.gets.push_back({.table_name = "b", .key = {}});
    reads.gets.push_back({.table_name = "a", .key = {}});
    CHECK(tables_named(reads, {}) == "b, a");
    batch_get_item_request batch;
    batch.tables["a"];
    batch.tables["b"];
    CHECK(tables_named(batch, {}) == "a, b");
    batch_write_item_request changes;
    changes.tables["c"];
    CHECK(tables_named(changes, {}) == "c");
    CHECK(tables_named(get_item_request{.table_name = "alone", .key = {}}, {}) == "alone");
    CHECK(tables_named(list_tables_request{}, {}).empty());
}

TEST_CASE("of a refused transaction the first refused action is named, with its own table and key") {
    transact_write_items_request writes;
    writes.actions.emplace_back(condition_check{.table_name = "a", .key = {{"id", 1}}, .condition_expression = {}});
    writes.actions.emplace_back(transact_delete{.table_name = "b", .key = {{"id", "x"}}});
    failure why(errc::transaction_canceled);
    why.details.message = "cancelled";
    why.reasons = {{"None", {}, {}}, {"ConditionalCheckFailed", "The conditional request failed", {}}};
    detail::name_request(why, writes);
    CHECK(why.details.operation == "TransactWriteItems");
    CHECK(why.details.table == "b");
    CHECK(why.details.key == "x");
    CHECK(why.details.message ==
          "cancelled; action 2 of 2, a deletion: ConditionalCheckFailed, The conditional request failed");
}
