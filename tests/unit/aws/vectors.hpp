// Reading of the test vectors: files as bytes, and JSON.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "unit/aws/json.hpp"

#include <fstream>
#include <iterator>
#include <map>
#include <optional>
#include <stdexcept>
#include <string>

namespace vectors {

inline std::optional<std::string> try_read(const std::string& path_in_data) {
    std::ifstream file(DYNALEASE_TEST_DATA "/" + path_in_data, std::ios::binary);
    if (!file) return std::nullopt;
    return std::string{std::istreambuf_iterator<char>(file), {}};
}

inline std::string read(const std::string& path_in_data) {
    auto text = try_read(path_in_data);
    if (!text) throw std::runtime_error("no test data " + path_in_data);
    return *text;
}

inline json read_json(const std::string& path_in_data) {
    return parse_json(read(path_in_data));
}

inline std::map<std::string, std::string, std::less<>> strings_of(const json& object) {
    std::map<std::string, std::string, std::less<>> out;
    for (const auto& [name, value] : object.members) out.emplace(name, value.text);
    return out;
}

}  // namespace vectors
