// Tells a forked child from its parent: a copy of a session, or of a connection, is not the thing itself.
// SPDX-License-Identifier: BSL-1.0
#pragma once

namespace dynalease::runtime {

/// The process in which it was made. A copy of it stays that process's, wherever it is taken along.
class own_process {
public:
    own_process() noexcept : number_(number_here()) {}
    /// Whether this is a forked child of that process, by whatever call it was made. Any thread; costs two loads.
    bool in_child() const noexcept { return number_here() != number_; }

private:
    static unsigned number_here() noexcept;

    unsigned number_;
};

}  // namespace dynalease::runtime
