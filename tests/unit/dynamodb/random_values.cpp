// Random attribute values.
// SPDX-License-Identifier: BSL-1.0
#include "random_values.hpp"

#include <array>

namespace dynalease::test {

std::string random_values::text() {
    static constexpr std::array<std::string_view, 16> pieces = {
        "a", "Z", "0", " ", ".", "#", ":", "\"", "\\", "/", "\n", std::string_view("\0", 1), "\x1f", "é", "€", "😀"};
    std::string out;
    for (auto n = below(9); n > 0; --n) out += pieces[below(pieces.size())];
    return out;
}

number random_values::decimal_number() {
    std::string out = coin() ? "-" : "";
    const auto digits = 1 + below(38);
    for (std::size_t i = 0; i < digits; ++i) {
        if (i != 0 && below(10) == 0 && out.find('.') == std::string::npos) out += '.';
        out += static_cast<char>('0' + below(10));
    }
    if (coin()) out += (coin() ? "E" : "e") + std::to_string(static_cast<int>(below(180)) - 92);
    return number(out);
}

binary random_values::bytes() {
    binary out(below(12));
    for (auto& byte : out) byte = static_cast<std::byte>(below(256));
    return out;
}

attribute_map random_values::members(unsigned depth) {
    attribute_map out;
    for (auto n = below(5); n > 0; --n) out.insert_or_assign(text(), value(depth));
    return out;
}

attribute_value random_values::value(unsigned depth) {
    switch (below(depth < 4 ? 10 : 8)) {
        case 0:
            return text();
        case 1:
            return decimal_number();
        case 2:
            return bytes();
        case 3:
            return coin();
        case 4:
            return null{};
        case 5:
            return string_set{text(), text(), text()};
        case 6:
            return number_set{decimal_number(), decimal_number()};
        case 7:
            return binary_set{bytes(), bytes()};
        case 8:
            return members(depth + 1);
        default:
            break;
    }
    attribute_list out;
    for (auto n = below(4); n > 0; --n) out.push_back(value(depth + 1));
    return out;
}

}  // namespace dynalease::test
