// Work that is cancelled when its turn is lost.
// SPDX-License-Identifier: BSL-1.0
#include <dynalease/queue/with_turn.hpp>

#include "queue/queue_hold.hpp"
#include "session/guard_verbs.hpp"
#include "session/guarded_work.hpp"

#include <utility>

namespace dynalease::detail {

namespace {

constexpr guarded_verb verb{"with_turn", "the turn"};

}  // namespace

granted_queue::hold granted_queue::held(const queue_turn& turn) {
    return queue_hold::of(turn);
}

void granted_queue::run(const boost::asio::any_io_executor& executor, const hold& held,
                        boost::asio::awaitable<void> work, guarded_handler handler) {
    std::make_shared<guarded_work>(executor, held, verb, std::move(handler))->start(std::move(work));
}

void granted_queue::end(const hold& held, bool has_guard, diagnostics* details, handler_for<void> handler) {
    start_ending_work(held, has_guard, {details, verb.name}, std::move(handler));
}

void granted_queue::check_kept(const hold& held, error_code end, const diagnostics& why) {
    check_kept_under_work(*held, verb, end, why);
}

}  // namespace dynalease::detail
