// Items and values as JSON, for users.
// SPDX-License-Identifier: BSL-1.0
#include <dynalease/dynamodb/json.hpp>

#include "dynamodb/codec.hpp"
#include "dynamodb/json_reader.hpp"
#include "dynamodb/json_writer.hpp"

#include <dynalease/error.hpp>

#include <utility>

namespace dynalease {

namespace {

template <class Value>
std::string text_of(const Value& value) {
    codec::json_writer out;
    write(out, value);
    return std::move(out).take();
}

}  // namespace

std::string to_json(const attribute_map& attributes) {
    return text_of(attributes);
}

std::string to_json(const attribute_value& value) {
    return text_of(value);
}

attribute_map item_from_json(std::string_view text) {
    try {
        const codec::json_body parsed(text, codec::max_body_size);
        attribute_map attributes;
        codec::read(codec::json_input{parsed.root()}, attributes);
        return attributes;
    } catch (const codec::malformed& why) {
        diagnostics details;
        details.operation = "item_from_json";
        details.message = why.message();
        throw error(make_error_code(errc::bad_attribute), std::move(details));
    }
}

}  // namespace dynalease
