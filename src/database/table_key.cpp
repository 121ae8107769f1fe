// The key that a coordination table has, and what is told of a table that has another.
// SPDX-License-Identifier: BSL-1.0
#include "database/table_key.hpp"

#include "database/protocol/coordination_key.hpp"

#include <utility>

namespace dynalease::detail {

namespace {

namespace attribute = protocol::attribute;

std::string words_of(const key_attribute& part) {
    constexpr const char* types[] = {"S", "N", "B"};
    return std::string(part.name) + " (" + types[static_cast<int>(part.type)] + ")";
}

std::string words_of(const key_schema& key) {
    const auto hash = words_of(key.hash);
    return key.range ? hash + " and " + words_of(*key.range) : hash;
}

const key_schema& own_key() {
    static const key_schema key{.hash = {attribute::partition}, .range = key_attribute{attribute::sort}};
    return key;
}

}  // namespace

std::optional<failure> fault_of_key(const table_description& table, errc code) {
    if (table.key == own_key()) return std::nullopt;
    failure why(code);
    why.details.table = table.table_name;
    why.details.message =
        "the table has the key " + words_of(table.key) + ", and a coordination table " + words_of(own_key());
    why.details.advice = "name the coordination table, or another that create_table is to make";
    return why;
}

boost::asio::awaitable<std::optional<failure>> look_for_key_fault(database target, std::string table) {
    describe_table_request describe{.table_name = std::move(table)};
    const auto seen = co_await target.call(std::move(describe));
    if (!seen) co_return std::nullopt;
    co_return fault_of_key(seen->table, errc::validation);
}

boost::asio::awaitable<failure> explained_by_key(database target, std::string table, failure why) {
    if (why.code != errc::validation) co_return why;
    auto odd = co_await look_for_key_fault(std::move(target), std::move(table));
    if (odd) co_return *std::move(odd);
    co_return why;
}

}  // namespace dynalease::detail
