// One JSON object on one line: the form of every result.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <concepts>
#include <cstdint>
#include <string>
#include <string_view>

namespace support {

class json_line {
public:
    json_line& add(std::string_view name, std::string_view value);
    /// Rounded to `decimals` places, without trailing zeros.
    json_line& add(std::string_view name, double value, int decimals = 3);
    template <std::same_as<bool> Bool>
    json_line& add(std::string_view name, Bool value) {
        return raw(name, value ? "true" : "false");
    }
    template <std::integral Integer>
        requires(!std::same_as<Integer, bool>)
    json_line& add(std::string_view name, Integer value) {
        return raw(name, std::to_string(value));
    }

    /// Writes the line to standard output, at once.
    void print() const;

private:
    json_line& raw(std::string_view name, std::string_view value);

    std::string fields_;
};

}  // namespace support
