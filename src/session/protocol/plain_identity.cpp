// Writing and reading the identity of a session without a row.
// SPDX-License-Identifier: BSL-1.0
#include "session/protocol/plain_identity.hpp"

#include <charconv>
#include <cstdint>

namespace dynalease::protocol {

namespace {
constexpr char plain_mark = '~';
}

std::string plain_identity(std::string_view random, std::chrono::milliseconds lease) {
    return plain_mark + std::string(random) + plain_mark + std::to_string(lease.count());
}

bool is_plain(std::string_view session) {
    return session.starts_with(plain_mark);
}

std::optional<std::chrono::milliseconds> plain_lease(std::string_view session) {
    const auto mark = session.rfind(plain_mark);
    if (!is_plain(session) || mark == 0) return std::nullopt;
    const auto digits = session.substr(mark + 1);
    std::uint32_t lease = 0;
    const auto [end, code] = std::from_chars(digits.data(), digits.data() + digits.size(), lease);
    if (code != std::errc() || end != digits.data() + digits.size() || lease == 0) return std::nullopt;
    return std::chrono::milliseconds(lease);
}

}  // namespace dynalease::protocol
