// What a request would have cost on AWS.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <dynalease/dynamodb/operations.hpp>

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace dynalease::local {

enum class read_kind { eventual, consistent, transactional };

/// One unit for each begun 4 KB; half for an eventually consistent read, double in a transaction.
double read_units(std::size_t bytes, read_kind kind);
/// One unit for each begun 1 KB.
double write_units(std::size_t bytes);

/// Units of one table and its indexes.
struct capacity {
    double own = 0;
    std::map<std::string, double> global{};
    std::map<std::string, double> local{};

    void add(const capacity& more, double times = 1);
    consumed_capacity report(const std::string& table, bool by_index) const;
};

/// The report, if it was asked for.
template <class Request>
std::optional<consumed_capacity> consumed_if(const Request& request, const std::string& table, const capacity& units) {
    if (!request.report_capacity) return std::nullopt;
    return units.report(table, request.capacity_by_index);
}

/// Of several tables.
using capacities = std::map<std::string, capacity>;
template <class Request>
std::vector<consumed_capacity> consumed_if(const Request& request, const capacities& units) {
    std::vector<consumed_capacity> result;
    if (!request.report_capacity) return result;
    for (const auto& [table, each] : units) result.push_back(each.report(table, request.capacity_by_index));
    return result;
}

}  // namespace dynalease::local
