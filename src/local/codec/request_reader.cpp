// The older parameters, and the checks between fields.
// SPDX-License-Identifier: BSL-1.0
#include "local/codec/request_reader.hpp"

#include "dynamodb/item_fields.hpp"
#include "local/codec/legacy_parameters.hpp"
#include "local/codec/segments.hpp"
#include "local/codec/start_key.hpp"

#include <utility>

namespace dynalease::codec {

void request_reader::required(std::string_view name, std::map<std::string, keys_and_options>& tables) {
    nested(name, [&tables](const field_reader& all) {
        for (const auto& member : all.object().value.GetObject()) {
            const auto table = text_of(member.name);
            within(table, [&] { read_request(json_input{member.value}, tables[std::string(table)]); });
        }
    });
}

void request_reader::key_conditions(query_request& request) {
    read_key_conditions(object(), {request.key_condition_expression, request.names, request.values});
}

void request_reader::attribute_updates(update_item_request& request) {
    read_attribute_updates(object(), {request.update_expression, request.names, request.values});
}

void request_reader::check_size(const item& whole) const {
    check_size_before_expected(object(), whole);
}

void request_reader::check_segments(const scan_request& request) const {
    if (auto fault = segment_fault(request); !fault.empty()) throw malformed{errc::validation, std::move(fault)};
}

void request_reader::read_projection(std::string& text, attribute_names& names) {
    read_attributes_to_get(object(), text, names);
}

void request_reader::read_condition(std::string& text, attribute_names& names, attribute_values& values) {
    read_expected(object(), {text, names, values});
}

void request_reader::read_filter(std::string_view parameter, std::string& text, attribute_names& names,
                                 attribute_values& values) {
    read_conditions(object(), parameter, {text, names, values});
}

void request_reader::read_key(item_key& key) {
    read_start_key(object(), key);
}

}  // namespace dynalease::codec
