// A write as one of the actions of a transaction.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <dynalease/dynamodb/operations.hpp>

namespace dynalease::detail {

transact_put as_action(put_item_request request);
transact_update as_action(update_item_request request);
transact_delete as_action(delete_item_request request);

}  // namespace dynalease::detail
