// The payment system to be watched: it runs until it is interrupted, and customers keep coming.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "payments/repositories/intent_repository.hpp"

#include <chrono>

namespace payments::demo {

/// Says where the page is, and ends by itself after that time.
int run_watched(control how, std::chrono::seconds limit);

}  // namespace payments::demo
