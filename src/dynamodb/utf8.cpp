// Which bytes are text.
// SPDX-License-Identifier: BSL-1.0
#include <dynalease/dynamodb/attribute_value.hpp>

#include <string_view>

namespace dynalease::detail {

bool is_utf8(std::string_view text) noexcept {
    const auto* at = reinterpret_cast<const unsigned char*>(text.data());
    const auto* const end = at + text.size();
    while (at != end) {
        const unsigned lead = *at++;
        if (lead < 0x80) continue;
        const int more = lead >= 0xf0 ? 3 : lead >= 0xe0 ? 2 : 1;
        if (lead < 0xc2 || lead > 0xf4 || end - at < more) return false;
        // What is too long for its value, half of a pair, or beyond the last character, shows in the second byte.
        const unsigned low = lead == 0xe0 ? 0xa0 : lead == 0xf0 ? 0x90 : 0x80;
        const unsigned high = lead == 0xed ? 0x9f : lead == 0xf4 ? 0x8f : 0xbf;
        if (*at < low || *at > high) return false;
        for (int i = 0; i < more; ++i) {
            if ((*at++ & 0xc0U) != 0x80) return false;
        }
    }
    return true;
}

}  // namespace dynalease::detail
