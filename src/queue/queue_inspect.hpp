// Looking at a queue without entering it.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <dynalease/dynamodb/failure.hpp>
#include <dynalease/queue/queue.hpp>

#include <boost/asio/awaitable.hpp>

namespace dynalease::detail {

/// Who holds and who waits. A ticket without a row was drawn a moment ago.
boost::asio::awaitable<result<queue_info>> survey(queue_target target);

}  // namespace dynalease::detail
