// An answer as it is compared: JSON, with what no client may rely on taken out or put in order.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "conformance/json.hpp"
#include "conformance/program.hpp"

#include <dynalease/dynamodb/failure.hpp>

#include <string>
#include <vector>

namespace dynalease::conformance {

struct answer {
    bool refused = false;
    json body{};  ///< a refusal: its bare name as "__type", its "message", "Item" and "CancellationReasons"

    /// "ValidationException"; empty: not refused.
    std::string error() const;
    std::string message() const;
};

answer answer_of(const any_request& request, const result<any_response>& got);
/// @param body of an answer with this HTTP status
answer answer_of(const any_request& request, unsigned status, const std::string& body);
/// The pages of one Query or Scan as one.
answer answer_of(const any_request& request, page_response all, unsigned pages);

struct difference {
    const call& what;
    const answer& ours;
    const answer& theirs;
    std::string path;  ///< "Items[].n1.N"; "message" for the words of a refusal
    std::string our_value;
    std::string their_value;
};

/// Every field that differs.
std::vector<difference> compare(const call& what, const answer& ours, const answer& theirs);

}  // namespace dynalease::conformance
