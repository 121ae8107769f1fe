// Locks by name: `lock`, its guard, work under one, and the list of those that stand in a table.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <dynalease/lock/list_locks.hpp>
#include <dynalease/lock/lock.hpp>
#include <dynalease/lock/lock_guard.hpp>
#include <dynalease/lock/with_lock.hpp>
