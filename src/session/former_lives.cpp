// The lives of a session before the present one, whose rows may still say that they live.
// SPDX-License-Identifier: BSL-1.0
#include "session/former_lives.hpp"

#include "database/protocol/backoff.hpp"
#include "database/protocol/reply.hpp"
#include "runtime/alarm.hpp"
#include "runtime/spawn.hpp"
#include "session/protocol/session_requests.hpp"
#include "session/session_impl.hpp"

#include <algorithm>
#include <utility>

namespace dynalease::detail {

former_lives::former_lives(session_impl& core, std::vector<std::string> ids, leaving_grants leaving)
    : core_(core), ids_(std::move(ids)), leaving_(std::move(leaving)), closing_(core.world().executor) {}

std::vector<std::shared_ptr<pending_release>> former_lives::grants() const {
    std::vector<std::shared_ptr<pending_release>> all;
    for (const auto& each : leaving_) {
        auto grant = each.lock();
        if (grant && !grant->finished()) all.push_back(std::move(grant));
    }
    return all;
}

void former_lives::keep(const std::vector<std::shared_ptr<pending_release>>& present) {
    auto all = grants();
    all.insert(all.end(), present.begin(), present.end());
    std::erase_if(all, [](const auto& each) { return each->finished() || each->lost(); });
    leaving_.assign(all.begin(), all.end());
}

void former_lives::begin_close() {
    if (ids_.empty()) return;
    const auto until = core_.now() + core_.status().times().beat_limit;
    runtime::spawn_background(core_.world().executor, closing_, run(core_.shared_from_this(), until));
}

boost::asio::awaitable<void> former_lives::run(std::shared_ptr<session_impl> self, dynalease::time_point until) {
    co_await self->formers().close_each(until);
}

boost::asio::awaitable<void> former_lives::close(dynalease::time_point until) {
    co_await closing_.wait_idle_until(*core_.world().clock, until);
    runtime::alarm pause(core_.world());
    for (unsigned failures = 0;; ++failures) {
        const bool again = co_await close_each(until);
        if (!again || core_.now() >= until) break;
        co_await pause.wait_until(std::min(until, core_.now() + retry_pause(failures, core_.unit())));
    }
}

boost::asio::awaitable<bool> former_lives::close_each(dynalease::time_point until) {
    bool again = false;
    for (const auto& id : std::vector<std::string>(ids_)) {
        const auto left = until - core_.now();
        if (left <= std::chrono::nanoseconds::zero()) co_return true;
        auto request = protocol::close_session(core_.table(), id, core_.wall());
        const auto closed = co_await core_.target().call(std::move(request), {.timeout = left});
        const auto kind = closed ? answer::applied : classify(closed.error());
        if (closed) core_.remotes().note_over(id);
        // Who may not write now may when the session closes, or in its next life.
        if (was_answered(kind)) std::erase(ids_, id);
        again = again || kind == answer::unanswered || kind == answer::delayed;
    }
    co_return again;
}

}  // namespace dynalease::detail
