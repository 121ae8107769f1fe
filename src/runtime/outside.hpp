// The way out of a strand: where a caller's handler is called.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <boost/asio/any_io_executor.hpp>

#pragma GCC visibility push(default)  // dynalease::local or dynalease::testing uses it, too
namespace dynalease::runtime {

/// What `serial` stands on, if it is a strand; otherwise itself.
///
/// A strand stays taken while what was dispatched from it runs, also on the context it stands on: a caller's
/// computation there would stop every heartbeat, though other threads are idle. So a handler that belongs elsewhere
/// is posted here first, and goes on from here.
boost::asio::any_io_executor outside(const boost::asio::any_io_executor& serial);

}  // namespace dynalease::runtime
#pragma GCC visibility pop
