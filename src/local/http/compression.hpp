// Bodies in fewer bytes: answers for those who ask, and requests of those who send them so.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace dynalease::local {

/// The coding that an Accept-Encoding header prefers among "gzip" and "deflate"; empty: none.
std::string_view preferred_coding(std::string_view accept_encoding);

/// @param coding one of the two.
std::string compressed(std::string_view body, std::string_view coding);

struct unpacked_body {
    std::string text{};
    bool is_whole = false;  ///< else the bytes are not of that coding, or end too early
    bool is_too_large = false;
};
/// @param coding one of the two. @param most bytes that are unpacked at all, a little more at the most.
unpacked_body unpacked(std::string_view body, std::string_view coding, std::size_t most);

}  // namespace dynalease::local
