// Work that is cancelled when its turn is lost.
// SPDX-License-Identifier: BSL-1.0
#include <dynalease/queue/with_turn.hpp>

#include "queue/queue_hold.hpp"
#include "session/guarded_work.hpp"

#include <utility>

namespace dynalease::detail {

granted_queue::hold granted_queue::held(const queue_turn& turn) {
    return queue_hold::of(turn);
}

void granted_queue::run(const boost::asio::any_io_executor& executor, const hold& held,
                        boost::asio::awaitable<void> work, guarded_handler handler) {
    diagnostics about;
    about.operation = "with_turn";
    about.key = held->name();
    about.message = "the turn";
    std::make_shared<guarded_work>(executor, held, std::move(about), std::move(handler))->start(std::move(work));
}

}  // namespace dynalease::detail
