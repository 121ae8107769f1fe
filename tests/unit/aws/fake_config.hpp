// A configuration source made of maps.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "aws/config_source.hpp"

#include <map>
#include <string>

namespace testing_support {

struct fake_config {
    std::map<std::string, std::string, std::less<>> variables{{"HOME", "/home"}};
    std::map<std::string, std::string, std::less<>> files{};
    std::string home{};

    dynalease::aws::config_source source() const {
        dynalease::aws::config_source out;
        out.variable = [all = variables](std::string_view name) -> std::optional<std::string> {
            const auto found = all.find(name);
            if (found == all.end()) return std::nullopt;
            return found->second;
        };
        out.file = [all = files](const std::string& path) -> dynalease::result<std::optional<std::string>> {
            const auto found = all.find(path);
            if (found == all.end()) return std::optional<std::string>{};
            return std::optional<std::string>{found->second};
        };
        out.account_home = [where = home] { return where; };
        return out;
    }
};

}  // namespace testing_support
