// What is known of a write that had no answer.
// SPDX-License-Identifier: BSL-1.0
#pragma once

namespace dynalease {

/// What is known of a write that was in doubt.
enum class resolution {
    applied,
    not_applied,  ///< and it never will be
    open,         ///< a copy may land yet, or nobody can tell any more
};

}  // namespace dynalease
