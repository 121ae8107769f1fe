// Names and values are our own words, but a quote in one must not break the line.
// SPDX-License-Identifier: BSL-1.0
#include "support/json_line.hpp"

#include <cstdio>

namespace support {
namespace {

std::string in_quotes(std::string_view text) {
    std::string out = "\"";
    for (const char letter : text) {
        if (letter == '"' || letter == '\\') out += '\\';
        out += letter;
    }
    return out + '"';
}

}  // namespace

json_line& json_line::add(std::string_view name, std::string_view value) {
    return raw(name, in_quotes(value));
}

json_line& json_line::add(std::string_view name, double value, int decimals) {
    char text[64];
    const int length = std::snprintf(text, sizeof text, "%.*f", decimals, value);
    std::string_view digits(text, static_cast<std::size_t>(length));
    if (digits.find('.') != digits.npos) {
        digits = digits.substr(0, digits.find_last_not_of('0') + 1);
        if (digits.ends_with('.')) digits.remove_suffix(1);
    }
    return raw(name, digits);
}

void json_line::print() const {
    std::printf("{%s}\n", fields_.c_str());
    std::fflush(stdout);
}

json_line& json_line::raw(std::string_view name, std::string_view value) {
    if (!fields_.empty()) fields_ += ", ";
    fields_.append(in_quotes(name)).append(":").append(value);
    return *this;
}

}  // namespace support
