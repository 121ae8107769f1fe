// Locks on the application's own items: `item_lock`, its guard, several at once, and their end in one transaction.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <dynalease/item_lock/acquire_all.hpp>
#include <dynalease/item_lock/commit_all.hpp>
#include <dynalease/item_lock/item_guard.hpp>
#include <dynalease/item_lock/item_lock.hpp>
