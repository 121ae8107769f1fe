// Telling from an item alone whether its holders live.
#include "protocol/plain_lease.hpp"

#include <algorithm>
#include <charconv>
#include <utility>

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

void plain_watch::sight(const item_lock_sight& lock, time_point now) {
    auto before = std::exchange(seen_, {});
    const auto keep = [&](const item_claimant& who) {
        if (!is_plain(who.session)) return;
        const auto known = before.find(who.text);
        seen_.emplace(who.text, known == before.end() ? claimant{now, plain_lease(who.session)} : known->second);
    };
    if (lock.writer) keep(*lock.writer);
    for (const auto& reader : lock.readers) keep(reader);
    if (lock.intent) keep(*lock.intent);
}

holder_is plain_watch::judge(const item_claimant& who, time_point now) const {
    const auto known = seen_.find(who.text);
    if (known == seen_.end() || !known->second.lease) return holder_is::alive;
    return now - known->second.since >= *known->second.lease ? holder_is::over : holder_is::alive;
}

std::optional<time_point> plain_watch::next_end() const {
    std::optional<time_point> first;
    for (const auto& [text, who] : seen_) {
        if (!who.lease) continue;
        const auto end = who.since + *who.lease;
        first = first ? std::min(*first, end) : end;
    }
    return first;
}

}  // namespace dynalease::protocol
