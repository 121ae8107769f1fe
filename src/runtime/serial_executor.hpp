// Strands: where the library runs one thing at a time, and the way out, where a caller's handler is called.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <boost/asio/any_completion_executor.hpp>
#include <boost/asio/any_io_executor.hpp>

#pragma GCC visibility push(default)  // dynalease::local or dynalease::testing uses it, too
namespace dynalease::runtime {

/// A strand on `executor`. On one of an `io_context` it has that type within, not `any_io_executor`: each copy, and
/// each property that Asio asks for when it posts, is then free of allocations, of which a cycle of a lock had some
/// ninety.
boost::asio::any_io_executor serial_executor(const boost::asio::any_io_executor& executor);

/// What `serial` stands on, if it is a strand; otherwise itself.
///
/// A strand stays taken while what was dispatched from it runs, also on the context it stands on: a caller's
/// computation there would stop every heartbeat, though other threads are idle. So a handler that belongs elsewhere
/// is posted here first, and goes on from here.
boost::asio::any_io_executor outside(const boost::asio::any_io_executor& serial);

/// A handler's executor as one that can be posted to, if it is of a context or strand of Asio's own: what its type was
/// `any_completion_executor` does not tell, and it has no way to post. Else empty.
boost::asio::any_io_executor postable(const boost::asio::any_completion_executor& executor);

}  // namespace dynalease::runtime
#pragma GCC visibility pop
