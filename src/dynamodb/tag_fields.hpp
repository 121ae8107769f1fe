// The fields of requests and responses about tags.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "dynamodb/json_fields.hpp"

#include <dynalease/dynamodb/operations.hpp>

#include <string>
#include <utility>
#include <vector>

namespace dynalease::codec {

struct tag {
    std::string key;
    std::string value;
};
void fields(auto& visitor, maybe_const<tag> auto& each) {
    visitor.required("Key", each.key);
    visitor.required("Value", each.value);
}

/// Tags travel as a list of pairs.
void tags_field(auto& visitor, auto& tags) {
    std::vector<tag> list;
    if constexpr (std::remove_cvref_t<decltype(visitor)>::reading) {
        visitor.optional("Tags", list);
        for (auto& each : list) {
            const auto [at, is_new] = tags.emplace(std::move(each.key), std::move(each.value));
            if (is_new) continue;
            throw malformed{errc::validation,
                            "Duplicate Tag Keys provided as input: Duplicate Tag Key found " + at->first};
        }
    } else {
        for (const auto& [key, value] : tags) list.push_back({key, value});
        visitor.expected("Tags", list);
    }
}

void fields(auto& visitor, maybe_const<tag_resource_request> auto& request) {
    visitor.expected("ResourceArn", request.resource_arn);
    tags_field(visitor, request.tags);
}
void fields(auto&, maybe_const<tag_resource_response> auto&) {}
void fields(auto& visitor, maybe_const<untag_resource_request> auto& request) {
    visitor.expected("ResourceArn", request.resource_arn);
    visitor.expected("TagKeys", request.tag_keys);
}
void fields(auto&, maybe_const<untag_resource_response> auto&) {}
void fields(auto& visitor, maybe_const<list_tags_of_resource_request> auto& request) {
    visitor.expected("ResourceArn", request.resource_arn);
    visitor.optional("NextToken", request.next_token);
}
void fields(auto& visitor, maybe_const<list_tags_of_resource_response> auto& response) {
    tags_field(visitor, response.tags);
    visitor.optional("NextToken", response.next_token);
}

}  // namespace dynalease::codec
