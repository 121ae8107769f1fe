// Tells an answer that comes a second time, by a header in which a server's answers differ.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "http/response.hpp"

#include <string>
#include <string_view>

namespace dynalease::http {

class answer_ids {
public:
    /// @param header empty: there is none
    explicit answer_ids(std::string_view header) : header_(header) {}

    /// Whether it is the one before, once more: a stray copy that came while the next request was under way cannot be
    /// told by its time.
    bool is_repeated(const response& answer) {
        const auto id = answer.header(header_);
        if (id.empty()) return false;
        if (id == last_) return true;
        last_ = id;
        return false;
    }

private:
    std::string_view header_;
    std::string last_;
};

}  // namespace dynalease::http
