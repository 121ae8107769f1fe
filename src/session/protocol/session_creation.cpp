// How a session's row comes to be: what follows from each answer to the request that makes it.
// SPDX-License-Identifier: BSL-1.0
#include "session/protocol/session_creation.hpp"

#include "database/protocol/reply.hpp"
#include "session/protocol/row.hpp"

namespace dynalease::protocol {

using detail::answer;

namespace {

bool made_by(const std::string& name, const std::optional<item>& row) {
    const auto parsed = row ? std::optional(parse_session_row(*row)) : std::nullopt;
    return parsed && *parsed && (*parsed)->alive && (*parsed)->creation == name;
}

}  // namespace

void session_creation::begin(time_point now, const lease_times& times) {
    give_up_at_ = now + times.lease;
    fruitless_ = false;
    failures_ = 0;
}

void session_creation::sends(time_point now) {
    if (!first_sent_) first_sent_ = now;
}

session_creation::step session_creation::judge(const failure* why, time_point now) {
    if (why == nullptr) return step::live;
    in_doubt_ = in_doubt_ || why->outcome == outcome::unknown;
    const auto kind = detail::classify(*why);
    if (kind == answer::refused) {
        // Ours only if an earlier copy may have landed, and as the very request that stands there. A process that was
        // copied with this session in it has the same id; for both of us another one is as good.
        return in_doubt_ && made_by(name_, why->current) ? step::live : step::rename;
    }
    fruitless_ = condition_of(why->code) == condition::unreachable || (kind == answer::unanswered && failures_ >= 1) ||
                 now >= give_up_at_;
    if (kind == answer::rejected) return step::fail;
    ++failures_;
    return step::again;
}

void session_creation::note_stale() noexcept {
    in_doubt_ = true;  // it is ours
    fruitless_ = true;
    ++failures_;
}

void session_creation::rename(std::string name) {
    name_ = std::move(name);
    first_sent_.reset();
    in_doubt_ = false;
}

}  // namespace dynalease::protocol
