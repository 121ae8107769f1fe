// Requests on a table with indexes of every kind, a line each: the operation, a blank, its body. Whatever they have
// done, the table and each index are the same read whole, by pages, by every key and backwards.
// SPDX-License-Identifier: BSL-1.0
#include "fuzz/target.hpp"

#include "dynamodb/key_parts.hpp"
#include "local/codec/server_codec.hpp"

#include <dynalease/local/engine.hpp>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace {

using namespace dynalease;

constexpr const char* table = "things";
const local::engine::time now{std::chrono::seconds(1'800'000'000)};

create_table_request creation() {
    create_table_request out;
    out.table_name = table;
    out.key = {{"pk"}, key_attribute{"sk", scalar_type::n}};
    out.global_indexes.push_back({.name = "several",
                                  .key = {.hash = {"h1"},
                                          .range = key_attribute{"r1"},
                                          .more_hash = {{"h2", scalar_type::n}},
                                          .more_range = {{"r2", scalar_type::b}, {"sk", scalar_type::n}}}});
    out.global_indexes.push_back({.name = "hash", .key = {{"r1"}}, .projected = projection::keys_only});
    out.local_indexes.push_back({.name = "local", .key = {{"pk"}, key_attribute{"h2", scalar_type::n}}});
    return out;
}

/// `=` of every attribute of a key as the item has it.
template <class Each>
void add_equalities(query_request& to, const item& like, const Each& each_of_key) {
    each_of_key([&](const key_attribute& each) {
        const auto n = std::to_string(to.names.size());
        to.names.emplace("#n" + n, each.name);
        to.values.emplace(":v" + n, like.at(each.name));
        std::string& text = to.key_condition_expression;
        text += (text.empty() ? "#n" : " AND #n") + n + " = :v" + n;
    });
}

class world {
public:
    world() { ask(creation()); }

    void ask(std::string_view line) {
        const auto blank = std::min(line.find(' '), line.size());
        const auto request = codec::decode_request(line.substr(0, blank), line.substr(blank));
        if (!request) return;
        const auto got = ask(*request);
        if (!got) return;
        fuzz::require(codec::decode_response(request->index(), codec::encode_response(*got)).has_value(),
                      "an answer can be read");
    }

    void check() {
        const auto got = ask(describe_table_request{table});
        if (!got) return;
        const auto& held = std::get<describe_table_response>(*got).table;
        check_view({}, held.key);
        for (const auto& index : held.global_indexes) check_view(index.name, index.key);
        for (const auto& index : held.local_indexes) check_view(index.name, index.key);
    }

private:
    result<any_response> ask(const any_request& request) { return engine_.execute(request, now); }

    template <class Request>
    std::vector<item> read(Request request, std::optional<std::int32_t> limit) {
        request.limit = limit;
        std::vector<item> out;
        do {
            const auto got = ask(request);
            fuzz::require(got.has_value(), "a page can be read, and gone on from");
            const auto& page = std::get<page_response>(*got);
            for (const item& each : page.items) out.push_back(each);
            request.exclusive_start_key = page.last_evaluated_key;
            constexpr std::size_t most = 10'000;
            fuzz::require(out.size() < most, "pages come to an end");
        } while (!request.exclusive_start_key.empty());
        return out;
    }

    void check_view(const std::string& index, const key_schema& key) {
        scan_request scan;
        scan.table_name = table;
        scan.index_name = index;
        const auto whole = read(scan, {});
        fuzz::require(read(scan, 1) == whole, "pages of one item are the whole");
        for (const item& each : whole) {
            query_request query;
            query.table_name = table;
            query.index_name = index;
            add_equalities(query, each, [&](const auto& visit) { each_hash(key, visit); });
            check_query(query, each);
            add_equalities(query, each, [&](const auto& visit) { each_range(key, visit); });
            check_query(query, each);
        }
    }

    void check_query(query_request query, const item& wanted) {
        const auto forward = read(query, {});
        fuzz::require(std::ranges::find(forward, wanted) != forward.end(), "an item is found by its key");
        query.scan_index_forward = false;
        auto backward = read(query, 1);
        std::ranges::reverse(backward);
        fuzz::require(forward == backward, "backwards is the same, the other way round");
    }

    local::engine engine_;
};

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    world on;
    fuzz::input in(data, size);
    while (!in.rest().empty()) on.ask(in.line());
    on.check();
    return 0;
}
