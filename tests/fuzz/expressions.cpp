// Expressions of every kind on an engine with one item: a condition, an update, a projection, a filter and a key
// condition, a line each. What an update has made must be an item that can be stored as it is.
// SPDX-License-Identifier: BSL-1.0
#include "fuzz/target.hpp"

#include "local/codec/server_codec.hpp"

#include <dynalease/local/engine.hpp>

#include <chrono>
#include <string>
#include <utility>

namespace {

using namespace dynalease;

constexpr const char* table = "table";

const attribute_names names{{"#n", "n"}, {"#l", "l"}, {"#m", "m"}, {"#s", "size"}, {"#k", "k"}};
const attribute_values values{{":k", "key"},
                              {":1", 1},
                              {":s", "text"},
                              {":l", attribute_list{1, "a"}},
                              {":n", number_set{number(1)}},
                              {":t", string_set{"a", "b"}},
                              {":m", attribute_map{{"x", 1}}},
                              {":b", binary{std::byte{1}}},
                              {":z", null{}},
                              {":f", false}};

const item stored{{"k", "key"},
                  {"n", 5},
                  {"s", "text"},
                  {"l", attribute_list{1, attribute_map{{"x", "y"}}, attribute_list{2}}},
                  {"m", attribute_map{{"x", 1}, {"y", attribute_map{{"z", null{}}}}}},
                  {"set", string_set{"a", "c"}},
                  {"size", binary{std::byte{1}, std::byte{2}}}};

/// Every placeholder is used somewhere, or the request would be refused for that alone.
class bench {
public:
    bench() {
        create_table_request create;
        create.table_name = table;
        create.key.hash.name = "k";
        ask(create);
    }

    result<any_response> ask(const any_request& request) {
        return engine_.execute(request, local::engine::time(std::chrono::seconds(1'800'000'000)));
    }

    void reset() {
        put_item_request put;
        put.table_name = table;
        put.new_item = stored;
        ask(put);
    }

private:
    local::engine engine_;
};

/// Only what the texts name.
template <class Map>
Map named_in(const Map& all, std::initializer_list<std::string_view> texts) {
    Map out;
    for (const auto& [placeholder, meaning] : all) {
        for (const auto text : texts) {
            if (text.find(placeholder) != std::string_view::npos) out.emplace(placeholder, meaning);
        }
    }
    return out;
}

void update(bench& on, std::string_view what, std::string_view condition) {
    update_item_request request;
    request.table_name = table;
    request.key = {{"k", "key"}};
    request.update_expression = what;
    request.condition_expression = condition;
    request.names = named_in(names, {what, condition});
    request.values = named_in(values, {what, condition});
    request.returned = return_values::all_new;
    on.reset();
    const auto done = on.ask(request);
    if (!done) return;
    put_item_request again;
    again.table_name = table;
    again.new_item = std::get<update_item_response>(*done).attributes;
    fuzz::require(on.ask(again).has_value(), "what an update has made can be stored");
    const auto text = codec::encode_request(again);
    fuzz::require(codec::decode_request("PutItem", text).has_value(), "and travels");
}

void query(bench& on, std::string_view key, std::string_view filter, std::string_view projection) {
    query_request request;
    request.table_name = table;
    request.key_condition_expression = key;
    request.filter_expression = filter;
    request.projection_expression = projection;
    request.names = named_in(names, {key, filter, projection});
    request.values = named_in(values, {key, filter, projection});
    const auto found = on.ask(request);
    if (!found) return;
    fuzz::require(std::get<page_response>(*found).count <= 1, "there is but one item");
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    static bench on;
    fuzz::input in(data, size);
    const auto condition = in.line();
    const auto change = in.line();
    const auto projection = in.line();
    const auto filter = in.line();
    const auto key = in.line();
    update(on, change, condition);
    on.reset();
    query(on, key, filter, projection);
    query(on, "k = :k", filter, projection);
    return 0;
}
