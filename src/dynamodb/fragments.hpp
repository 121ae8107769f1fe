// Strings expressions together from their pieces.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <dynalease/dynamodb/path.hpp>

#include <iterator>
#include <string>
#include <string_view>
#include <utility>

namespace dynalease::detail {

inline void append(fragments& out, std::string_view text) {
    out.emplace_back(std::string(text));
}
inline void append(fragments& out, const fragments& parts) {
    out.insert(out.end(), parts.begin(), parts.end());
}
inline void append(fragments& out, fragments&& parts) {
    out.insert(out.end(), std::make_move_iterator(parts.begin()), std::make_move_iterator(parts.end()));
}

template <class... Pieces>
fragments concatenate(Pieces&&... pieces) {
    fragments out;
    (append(out, std::forward<Pieces>(pieces)), ...);
    return out;
}

}  // namespace dynalease::detail
