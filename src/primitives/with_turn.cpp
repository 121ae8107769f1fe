// Work that is cancelled when its turn is lost.
#include <dynalease/with_turn.hpp>

#include "primitives/guarded_work.hpp"

#include <utility>

namespace dynalease::detail {

void run_in_turn(const boost::asio::any_io_executor& executor, const queue_turn& turn,
                 boost::asio::awaitable<void> work, guarded_handler handler) {
    diagnostics details;
    details.operation = "with_turn";
    details.key = turn.name();
    details.message = "the turn was lost before the work in it ended; the work was cancelled";
    run_guarded(executor, turn, std::move(work), std::move(handler), error(errc::lock_lost, std::move(details)));
}

}  // namespace dynalease::detail
