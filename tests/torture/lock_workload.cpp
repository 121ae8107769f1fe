// Waits of all lengths, holds of all lengths, and every way of giving back.
#include "torture/lock_workload.hpp"

#include "torture/settings.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/deferred.hpp>

#include <utility>

namespace torture {
namespace {

namespace asio = boost::asio;
using namespace std::chrono_literals;

/// Looks at the guard, and tells if it was valid. A look during which the process stood still proves nothing: when
/// the guard said so is then not known.
void look(const dynalease::session& session, const post& self, const dynalease::lock_guard& guard) {
    constexpr instant at_once = 1ms;
    for (int tries = 0; tries < 3; ++tries) {
        const auto before = boot_time();
        if (!guard.valid()) return;
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

std::chrono::milliseconds length_of_hold(dice& chance) {
    if (chance.chance(20)) return chance.between(lease, 2 * lease);
    if (chance.chance(100)) return chance.between(50ms, 300ms);
    return chance.between(0ms, 30ms);
}

}  // namespace

asio::awaitable<void> lock_workload::turn(dynalease::session& session, const post& self) const {
    const auto name = "lock-" + std::to_string(self.chance.below(name_count));
    auto guard = co_await take(session, self, name);
    if (!guard) co_return;
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
    if (self.chance.chance(200)) co_return;  // the guard's destructor gives it back
    co_await guard.release();
}

asio::awaitable<dynalease::lock_guard> lock_workload::take(dynalease::session& session, const post& self,
                                                           std::string name) const {
    dynalease::lock lock{session, name};
    self.tell.report({.kind = what::asked, .name = name});
    dynalease::lock_guard guard;
    dynalease::error_code refusal;
    if (self.chance.chance(150)) {
        auto tried = co_await lock.try_acquire(asio::as_tuple(asio::deferred));
        refusal = std::get<0>(tried);
        guard = std::get<1>(std::move(tried));
    } else {
        dynalease::acquire_options options;
        const bool hasty = self.chance.chance(200);
        if (hasty) options.wait = self.chance.between(0ms, 300ms);
        if (!hasty && self.chance.chance(500)) options.wait = 20 * lease;
        auto acquired = co_await lock.acquire(std::move(options), asio::as_tuple(asio::deferred));
        refusal = std::get<0>(acquired);
        guard = std::get<1>(std::move(acquired));
    }
    if (guard) {
        self.tell.report(
            {.kind = what::granted, .name = name, .session = session.id(), .token = guard.fencing_token()});
    } else {
        self.tell.report({.kind = what::gave_up, .name = name});
    }
    if (refusal) throw dynalease::error(refusal, {});
    co_return guard;
}

asio::awaitable<void> lock_workload::hold(const dynalease::session& session, const post& self,
                                          const dynalease::lock_guard& guard) const {
    constexpr instant between_looks = 20ms;
    const auto end = boot_time() + length_of_hold(self.chance);
    for (auto now = boot_time(); now < end; now = boot_time()) {
        co_await self.pause(std::min(between_looks, end - now));
        look(session, self, guard);
    }
}

}  // namespace torture
