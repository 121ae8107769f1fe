// Work that is cancelled when its lock is lost.
#include <dynalease/with_lock.hpp>

#include "primitives/guarded_work.hpp"

#include <utility>

namespace dynalease::detail {

void run_while_held(const boost::asio::any_io_executor& executor, const lock_guard& guard,
                    boost::asio::awaitable<void> work, guarded_handler handler) {
    diagnostics details;
    details.operation = "with_lock";
    details.key = guard.name();
    details.message = "the lock was lost before the work under it ended; the work was cancelled";
    run_guarded(executor, guard, std::move(work), std::move(handler), error(errc::lock_lost, std::move(details)));
}

}  // namespace dynalease::detail
