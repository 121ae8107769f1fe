// From a program with a finding to a small one with the same.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "conformance/trial.hpp"

#include <boost/asio/awaitable.hpp>

namespace dynalease::conformance {

struct shrunk {
    program smallest;
    finding found;
};

boost::asio::awaitable<shrunk> shrink(stage& on, program what, finding found);

}  // namespace dynalease::conformance
