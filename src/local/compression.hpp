// Answers in fewer bytes, for those who ask.
#pragma once

#include <string>
#include <string_view>

namespace dynalease::local {

/// The coding that an Accept-Encoding header prefers among "gzip" and "deflate"; empty: none.
std::string_view preferred_coding(std::string_view accept_encoding);

/// @param coding one of the two.
std::string compressed(std::string_view body, std::string_view coding);

}  // namespace dynalease::local
