// What a task does with a guard, whatever the primitive: looks at it, holds it, and changes what it protects.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "torture/workload.hpp"

#include <dynalease/error.hpp>
#include <dynalease/session.hpp>

#include <boost/asio/awaitable.hpp>

#include <algorithm>
#include <chrono>
#include <optional>
#include <string>

namespace torture {

/// How long a task is ready to wait; empty: as long as the session lives.
std::optional<std::chrono::milliseconds> patience(dice& chance);
std::chrono::milliseconds length_of_hold(dice& chance);

/// Tells what came of an attempt. @throws the refusal
template <class Guard>
void tell_outcome(const dynalease::session& session, const post& self, const std::string& name, const Guard& guard,
                  dynalease::error_code refusal) {
    if (guard) {
        self.tell.report(
            {.kind = what::granted, .name = name, .session = session.id(), .token = guard.fencing_token()});
    } else {
        self.tell.report({.kind = what::gave_up, .name = name});
    }
    if (refusal) throw dynalease::error(refusal, {});
}

/// Looks at the guard, and tells if it was valid. A look during which the process stood still proves nothing: when
/// the guard said so is then not known.
template <class Guard>
void look(const dynalease::session& session, const post& self, const Guard& guard) {
    constexpr instant at_once = std::chrono::milliseconds(1);
    for (int tries = 0; tries < 3; ++tries) {
        const auto before = boot_time();
        if (!guard.held()) return;
        const auto after = boot_time();
        if (after - before > at_once) continue;
        self.tell.report({.kind = what::valid,
                          .at = before,
                          .until = after,
                          .name = guard.name(),
                          .session = session.id(),
                          .token = guard.fencing_token()});
        return;
    }
}

/// Tells what the caller of a release or a leave was told. @throws the refusal
void tell_giving_back(const dynalease::session& session, const post& self, const std::string& name, std::int64_t token,
                      dynalease::error_code answer);

template <class Guard>
boost::asio::awaitable<void> hold(const dynalease::session& session, const post& self, const Guard& guard) {
    constexpr instant between_looks = std::chrono::milliseconds(20);
    const auto end = boot_time() + length_of_hold(self.chance);
    for (auto now = boot_time(); now < end; now = boot_time()) {
        co_await self.pause(std::min(between_looks, end - now));
        look(session, self, guard);
    }
}

/// Up to the moment before it is given back.
template <class Guard>
boost::asio::awaitable<void> work_under(const dynalease::session& session, const post& self, const Guard& guard) {
    const auto name = guard.name();
    const auto token = guard.fencing_token();
    look(session, self, guard);
    const auto value = co_await self.tell.read(name, token);
    co_await hold(session, self, guard);
    look(session, self, guard);
    self.halt.obey();
    look(session, self, guard);
    // On purpose without asking the guard: a process that stood still just here could not know either.
    if (value) co_await self.tell.write(name, token, *value + 1);
    self.tell.report({.kind = what::releasing, .name = name, .token = token});
}

}  // namespace torture
