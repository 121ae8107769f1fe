// Reads requests as the service does.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "dynamodb/json_fields.hpp"

#include <dynalease/dynamodb/operations.hpp>

#include <map>
#include <string>
#include <string_view>

namespace dynalease::codec {

/// What the fields of a request ask of a reader that serves: older parameters, which it says in expressions, and checks
/// whose turn comes between two fields.
class request_reader : public field_reader {
public:
    static constexpr bool serving = true;

    using field_reader::field_reader;
    using field_reader::required;

    /// The tables of BatchGetItem, each with parameters of its own.
    void required(std::string_view name, std::map<std::string, keys_and_options>& tables);

    void attributes_to_get(auto& request) { read_projection(request.projection_expression, request.names); }
    void older_condition(auto& request) { read_condition(request.condition_expression, request.names, request.values); }
    void older_filter(std::string_view parameter, auto& request) {
        read_filter(parameter, request.filter_expression, request.names, request.values);
    }
    void key_conditions(query_request& request);
    void attribute_updates(update_item_request& request);
    void start_key(auto& request) { read_key(request.exclusive_start_key); }

    void check_size(const item& whole) const;
    void check_segments(const scan_request& request) const;

private:
    void read_projection(std::string& text, attribute_names& names);
    void read_condition(std::string& text, attribute_names& names, attribute_values& values);
    void read_filter(std::string_view parameter, std::string& text, attribute_names& names, attribute_values& values);
    void read_key(item_key& key);
};

/// @throws malformed as `read` does.
template <class Request>
void read_request(json_input in, Request& out) {
    request_reader visitor(in);
    fields(visitor, out);
}
/// Member by member, for the service has an order and words for every mistake in them.
void read_request(json_input in, create_table_request& out);
void read_request(json_input in, update_table_request& out);

}  // namespace dynalease::codec
