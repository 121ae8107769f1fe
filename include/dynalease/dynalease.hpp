// Everything. Include the single headers where compile time matters.
#pragma once

#include <dynalease/acquire_all.hpp>
#include <dynalease/client.hpp>
#include <dynalease/commit_all.hpp>
#include <dynalease/dynamodb/batches.hpp>
#include <dynalease/dynamodb/expression.hpp>
#include <dynalease/dynamodb/pages.hpp>
#include <dynalease/enter_all.hpp>
#include <dynalease/item_lock.hpp>
#include <dynalease/lock.hpp>
#include <dynalease/queue.hpp>
#include <dynalease/save_all.hpp>
#include <dynalease/session.hpp>
#include <dynalease/table.hpp>
#include <dynalease/versioned.hpp>
#include <dynalease/wall_clock_lock.hpp>
#include <dynalease/with_lock.hpp>
#include <dynalease/with_turn.hpp>
