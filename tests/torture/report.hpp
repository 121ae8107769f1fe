// What a judged history is shown as: its violations with what happened around them, and the result line.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "torture/case_file.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace torture {

struct circumstances {
    std::string primitive{};
    std::uint64_t seed = 0;
};

/// Each violation with the history around it, on standard error; of a great many, the first ones.
void print_violations(const case_file& facts, const std::vector<violation>& found);

/// One JSON object on standard output.
void print_result(const case_file& facts, std::size_t violations, const circumstances& run);

/// What a run lacks to have shown anything, a line each; empty: nothing.
std::vector<std::string> missing_in(const case_file& facts, const circumstances& run);

}  // namespace torture
