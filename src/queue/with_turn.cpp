// Work that is cancelled when its turn is lost.
// SPDX-License-Identifier: BSL-1.0
#include <dynalease/queue/with_turn.hpp>

#include "queue/queue_hold.hpp"
#include "session/guarded_work.hpp"

#include <utility>

namespace dynalease::detail {

void granted_queue::run(const boost::asio::any_io_executor& executor, const queue_turn& turn,
                        boost::asio::awaitable<void> work, guarded_handler handler) {
    diagnostics about;
    about.operation = "with_turn";
    about.key = turn.name();
    about.message = "the turn";
    std::make_shared<guarded_work>(executor, queue_hold::of(turn), std::move(about), std::move(handler))
        ->start(std::move(work));
}

}  // namespace dynalease::detail
