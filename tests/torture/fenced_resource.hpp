// What the locks protect: counters that refuse a fencing token smaller than the largest they have seen.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

namespace torture {

class fenced_resource {
public:
    /// @returns nothing if the token is too old. Reading counts as seeing: what was read cannot change behind the
    /// reader's back by the hand of an older holder.
    std::optional<std::int64_t> read(const std::string& name, std::int64_t token) {
        auto& its = counters_[name];
        if (token < its.largest_token) return std::nullopt;
        its.largest_token = token;
        return its.value;
    }

    /// @returns false, and changes nothing, if the token is too old.
    bool write(const std::string& name, std::int64_t token, std::int64_t value) {
        auto& its = counters_[name];
        if (token < its.largest_token) return false;
        its = {token, value};
        return true;
    }

private:
    struct counter {
        std::int64_t largest_token = 0;
        std::int64_t value = 0;
    };
    std::map<std::string, counter> counters_;
};

}  // namespace torture
