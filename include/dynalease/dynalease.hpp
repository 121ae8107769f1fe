// Everything. Include the single headers where compile time matters.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <dynalease/client.hpp>
#include <dynalease/coordination_table.hpp>
#include <dynalease/dynamodb/batches.hpp>
#include <dynalease/dynamodb/expression.hpp>
#include <dynalease/dynamodb/pages.hpp>
#include <dynalease/dynamodb/sleep.hpp>
#include <dynalease/grant_report.hpp>
#include <dynalease/histogram.hpp>
#include <dynalease/item_lock.hpp>
#include <dynalease/lock.hpp>
#include <dynalease/metrics.hpp>
#include <dynalease/observed.hpp>
#include <dynalease/queue.hpp>
#include <dynalease/session.hpp>
#include <dynalease/transaction.hpp>
#include <dynalease/versioned.hpp>
#include <dynalease/wall_clock_lock.hpp>
