// What the hooks are told of one grant.
// SPDX-License-Identifier: BSL-1.0
#include "session/grant_reporter.hpp"

#include "session/call_hook.hpp"
#include "session/session_lives.hpp"

#include <atomic>
#include <utility>

namespace dynalease::detail {

namespace {

std::uint64_t next_id() noexcept {
    static std::atomic<std::uint64_t> last{0};
    return ++last;
}

}  // namespace

grant_reporter::grant_reporter(std::shared_ptr<const grant_hooks> hooks, std::shared_ptr<session_lives> lives,
                               const clock& time, asked_words what)
    : hooks_(std::move(hooks)),
      lives_(std::move(lives)),
      id_(next_id()),
      what_(std::move(what)),
      began_(time.wall()),
      came_(time.now()) {}

/// On from the wall clock's time at the call: what that is set to meanwhile makes no time longer or shorter.
grant_report grant_reporter::begin(grant_event what, dynalease::time_point from, dynalease::time_point to) const {
    return {.what = what,
            .id = id_,
            .verb = what_.verb,
            .name = what_.name,
            .table = what_.table,
            .began = began_ + std::chrono::floor<std::chrono::milliseconds>(from - came_),
            .took = to - from,
            .fencing_token = token_};
}

void grant_reporter::granted(dynalease::time_point now, std::int64_t token) {
    token_ = token;
    auto seen = begin(grant_event::granted, came_, now);
    seen.requests = requests;
    tell(seen);
}

void grant_reporter::not_granted(dynalease::time_point now, error_code why, const diagnostics& details) {
    auto seen = begin(grant_event::not_granted, came_, now);
    seen.requests = requests;
    seen.code = why;
    seen.fault = &details;
    tell(seen);
}

void grant_reporter::ended(const holding& held) {
    auto seen = begin(held.how, held.began, held.end);
    seen.code = held.code;
    tell(seen);
}

void grant_reporter::tell(const grant_report& seen) const noexcept {
    for (const auto* each = hooks_.get(); each != nullptr; each = each->others.get()) {
        call_hook("a hook of grants", [&] { each->hook(seen); }, [&](const auto& line) { tell_thrown(line); });
    }
}

void grant_reporter::tell_thrown(const std::string& words) const noexcept {
    if (lives_) lives_->log(severity::error, words);
}

}  // namespace dynalease::detail
