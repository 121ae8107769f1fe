// What a request would have cost on AWS.
#pragma once

#include <dynalease/dynamodb/operations.hpp>

#include <cstddef>
#include <optional>
#include <string>

namespace dynalease::local {

enum class read_kind { eventual, consistent, transactional };

/// One unit for each begun 4 KB; half for an eventually consistent read, double in a transaction.
double read_units(std::size_t bytes, read_kind kind);
/// One unit for each begun 1 KB.
double write_units(std::size_t bytes);

/// The report, if it was asked for.
inline std::optional<consumed_capacity> consumed_if(bool asked, const std::string& table, double units) {
    if (!asked) return std::nullopt;
    return consumed_capacity{table, units};
}

}  // namespace dynalease::local
