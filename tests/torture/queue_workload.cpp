// Every way of entering a queue, and every way of leaving it. Its tokens are its tickets: that they rise from turn to
// turn is first come, first served.
// SPDX-License-Identifier: BSL-1.0
#include "torture/queue_workload.hpp"

#include "torture/guarded_work.hpp"
#include "torture/settings.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/deferred.hpp>

#include <utility>

namespace torture {

namespace asio = boost::asio;

asio::awaitable<void> queue_workload::turn(dynalease::session& session, const post& self) const {
    const auto name = "queue-" + std::to_string(self.chance.below(name_count));
    auto mine = co_await enter(session, self, name);
    if (!mine) co_return;
    co_await work_under(session, self, mine);
    if (self.chance.chance(200)) co_return;  // the turn's destructor leaves
    const auto token = mine.fencing_token();
    const auto answer = co_await mine.leave(asio::as_tuple(asio::deferred));
    tell_giving_back(session, self, name, token, std::get<0>(answer));
}

asio::awaitable<dynalease::queue_turn> queue_workload::enter(dynalease::session& session, const post& self,
                                                             std::string name) const {
    const dynalease::queue queue{session, name};
    self.tell.report({.kind = what::asked, .name = name});
    dynalease::queue_turn turn;
    dynalease::error_code refusal;
    dynalease::enter_options options;
    if (self.chance.chance(150)) {
        auto tried = co_await queue.try_enter(std::move(options), asio::as_tuple(asio::deferred));
        refusal = std::get<0>(tried);
        turn = std::get<1>(std::move(tried));
    } else {
        options.wait = patience(self.chance);
        auto entered = co_await queue.enter(std::move(options), asio::as_tuple(asio::deferred));
        refusal = std::get<0>(entered);
        turn = std::get<1>(std::move(entered));
    }
    tell_outcome(session, self, name, turn, refusal);
    co_return turn;
}

}  // namespace torture
