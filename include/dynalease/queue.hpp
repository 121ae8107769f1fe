// Queues in strict order: `queue`, a turn in one, several at once, and work in a turn.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <dynalease/queue/enter_all.hpp>
#include <dynalease/queue/queue.hpp>
#include <dynalease/queue/queue_turn.hpp>
#include <dynalease/queue/with_turn.hpp>
