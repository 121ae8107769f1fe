// Where keys lie: scattered by the hash that DynamoDB's own order of a Scan goes by.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstdint>
#include <string_view>

namespace dynalease::local {

/// The first eight bytes of the MD5 of a word of DynamoDB's and an encoded key, its range part behind the hash part.
std::uint64_t hash_order(std::string_view hash, std::string_view range = {});

}  // namespace dynalease::local
