// Every way of taking a lock, and every way of giving it back.
// SPDX-License-Identifier: BSL-1.0
#include "torture/lock_workload.hpp"

#include "torture/guarded_work.hpp"
#include "torture/settings.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/deferred.hpp>

#include <utility>

namespace torture {

namespace asio = boost::asio;

asio::awaitable<void> lock_workload::turn(dynalease::session& session, const post& self) const {
    const auto name = "lock-" + std::to_string(self.chance.below(name_count));
    auto guard = co_await take(session, self, name);
    if (!guard) co_return;
    co_await work_under(session, self, guard);
    if (self.chance.chance(200)) co_return;  // the guard's destructor gives it back
    const auto token = guard.fencing_token();
    const auto answer = co_await guard.release(asio::as_tuple(asio::deferred));
    tell_giving_back(session, self, name, token, std::get<0>(answer));
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
        options.wait = patience(self.chance);
        auto acquired = co_await lock.acquire(std::move(options), asio::as_tuple(asio::deferred));
        refusal = std::get<0>(acquired);
        guard = std::get<1>(std::move(acquired));
    }
    tell_outcome(session, self, name, guard, refusal);
    co_return guard;
}

}  // namespace torture
