// Tells a forked child from its parent: a copy of a session, or of a connection, is not the thing itself.
// SPDX-License-Identifier: BSL-1.0
#pragma once

namespace dynalease::runtime {

/// Another number in the child of each fork, by whatever call it was made. Any thread; costs two loads.
unsigned fork_count() noexcept;

}  // namespace dynalease::runtime
