// Errors on the wire: {"__type":"com.amazonaws.dynamodb.v20120810#Name","message":"…"}, with the present item of a
// refused condition and the reasons of a refused transaction.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "dynamodb/item_fields.hpp"

#include <optional>
#include <string>
#include <vector>

namespace dynalease::codec {

/// The body of an error, as much of it as is there.
struct error_body {
    std::string type;
    std::string message;
    std::optional<item> current;
    std::vector<cancellation_reason> reasons;
    bool capital = false;  ///< some say "Message" where the others say "message"
};

void fields(auto& visitor, maybe_const<error_body> auto& body) {
    visitor.required("__type", body.type);
    visitor.optional(body.capital ? "Message" : "message", body.message);
    if constexpr (std::remove_cvref_t<decltype(visitor)>::reading) {
        if (body.message.empty()) visitor.optional("Message", body.message);
    }
    visitor.optional("Item", body.current);
    visitor.optional("CancellationReasons", body.reasons);
}

}  // namespace dynalease::codec
