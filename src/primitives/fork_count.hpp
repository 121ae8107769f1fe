// Tells a forked child from its parent: a copy of a session is not the session.
#pragma once

namespace dynalease::detail {

/// Grows by one in the child of each fork.
unsigned fork_count() noexcept;

}  // namespace dynalease::detail
