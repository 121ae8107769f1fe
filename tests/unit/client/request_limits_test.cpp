// What DynamoDB would refuse for its size is refused here, by name, and not sent.
// SPDX-License-Identifier: BSL-1.0
#include "client/request_limits.hpp"

#include "unit/client/fixture.hpp"

using namespace client_test;

namespace {

constexpr std::size_t huge = 32 * 1024 * 1024;  // an encoded size that excuses nothing

std::string problem(const any_request& request, errc expected = errc::invalid_option) {
    const auto found = detail::beyond_limits(request, huge);
    if (!found) return "";
    CHECK(found->code == expected);
    CHECK(found->outcome == outcome::not_applied);
    CHECK_FALSE(found->details.advice.empty());
    return found->details.message;
}

put_item_request put_of(std::size_t payload) {
    put_item_request put{.table_name = "t", .new_item = {{"pk", "row"}}};
    put.new_item.emplace("p", std::string(payload, 'x'));
    return put;
}

get_item_request get_of(item_key key) {
    get_item_request get{.table_name = "t", .key = {}};
    get.key = std::move(key);
    return get;
}

}  // namespace

TEST_CASE("an item has at most 400 KB, names and all") {
    const std::size_t others = item_size({{"pk", "row"}, {"p", ""}});
    CHECK(problem(put_of(400 * 1024 - others)).empty());
    CHECK_THAT(problem(put_of(400 * 1024 - others + 1), errc::item_too_large), Catch::Contains("409601"));
}

TEST_CASE("a transaction has 1 to 100 actions, and 4 MB of items") {
    transact_write_items_request request;
    CHECK_THAT(problem(request), Catch::Contains("1 to 100 actions, not 0"));
    for (int i = 0; i < 100; ++i) request.actions.push_back(transact_delete{.table_name = "t", .key = {{"pk", i}}});
    CHECK(problem(request).empty());
    request.actions.push_back(transact_delete{.table_name = "t", .key = {{"pk", 100}}});
    CHECK_THAT(problem(request), Catch::Contains("not 101"));
    request.actions.clear();
    for (int i = 0; i < 11; ++i) {
        request.actions.push_back(transact_put{.table_name = "t", .new_item = put_of(399'000).new_item});
    }
    CHECK_THAT(problem(request, errc::item_too_large), Catch::Contains("4 MB"));
    request.actions.pop_back();
    CHECK(problem(request).empty());
    request.client_request_token = std::string(37, 't');
    CHECK_THAT(problem(request), Catch::Contains("client_request_token"));
}

TEST_CASE("batches have 25 writes or 100 keys, over all tables") {
    batch_write_item_request writes;
    batch_get_item_request keys;
    CHECK_THAT(problem(writes), Catch::Contains("not 0"));
    for (int i = 0; i < 100; ++i) {
        const std::string table = i % 2 == 0 ? "a" : "b";
        if (i < 25) writes.tables[table].push_back(batch_delete{{{"pk", i}}});
        keys.tables[table].keys.push_back({{"pk", i}});
    }
    CHECK(problem(writes).empty());
    CHECK(problem(keys).empty());
    writes.tables["c"].push_back(batch_delete{{{"pk", 0}}});
    keys.tables["c"].keys.push_back({{"pk", 0}});
    CHECK_THAT(problem(writes), Catch::Contains("1 to 25 writes, not 26"));
    CHECK_THAT(problem(keys), Catch::Contains("1 to 100 keys, not 101"));
}

TEST_CASE("keys: one or two attributes, not empty, 2048 and 1024 bytes") {
    const std::string whole(2048, 'k');
    const std::string half(1024, 'k');
    CHECK(problem(get_of({{"pk", whole}, {"sk", half}})).empty());
    CHECK(problem(get_of({{"pk", half}, {"sk", whole}})).empty());  // which is which only the table knows
    CHECK_THAT(problem(get_of({{"pk", whole + "k"}})), Catch::Contains("'pk'") && Catch::Contains("2048"));
    CHECK_THAT(problem(get_of({{"pk", whole}, {"sk", half + "k"}})), Catch::Contains("1024"));
    CHECK_THAT(problem(get_of({{"pk", ""}})), Catch::Contains("empty"));
    CHECK_THAT(problem(get_of({})), Catch::Contains("one or two"));
}

TEST_CASE("an expression has 4 KB, wherever it stands") {
    const std::string fits(4096, 'e');
    update_item_request update{.table_name = "t", .key = {{"pk", "row"}}};
    update.update_expression = fits;
    CHECK(problem(update).empty());
    update.update_expression += 'e';
    CHECK_THAT(problem(update), Catch::Contains("update_expression") && Catch::Contains("4 KB"));
    transact_write_items_request transaction;
    condition_check check{.table_name = "t", .key = {{"pk", "row"}}, .condition_expression = fits + "e"};
    transaction.actions.push_back(check);
    CHECK_THAT(problem(transaction), Catch::Contains("condition_expression"));
}

TEST_CASE("nothing is sent, no connection opened, and the error says which operation and table") {
    fixture f;
    f.serve([](std::size_t, const std::string&) { return reaction{answer(200, "{}")}; });
    const auto why = f.fail(put_of(500'000));
    CHECK(why.code == errc::item_too_large);
    CHECK(why.outcome == outcome::not_applied);
    CHECK(why.details.operation == "PutItem");
    CHECK(why.details.table == "t");
    CHECK(why.details.attempts == 0);
    CHECK(f.server->connections() == 0);
}
