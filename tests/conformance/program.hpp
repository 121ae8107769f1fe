// A random program: tables, and calls on them one after another.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "conformance/dice.hpp"

#include <dynalease/dynamodb/operations.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace dynalease::conformance {

struct call {
    any_request request;
    /// Sent in place of the request's own encoding, past the client: what no client would send.
    std::string raw{};
    /// A Query or Scan that goes on to its last page, and over all its segments.
    bool to_the_end = false;
};

struct program {
    std::uint64_t seed = 0;
    std::vector<create_table_request> tables;
    std::vector<call> calls;
};

/// What a server can be asked.
struct abilities {
    bool transactions = true;
    /// Requests that are wrong in their shape, and not only in what they ask for.
    bool raw = true;
};

/// The same seed gives the same program; programs of different seeds share no table.
program random_program(std::uint64_t seed, const abilities& asked);

}  // namespace dynalease::conformance
