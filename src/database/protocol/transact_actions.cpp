// Writes as actions of a transaction: what both kinds of request carry, carried over.
// SPDX-License-Identifier: BSL-1.0
#include "database/protocol/transact_actions.hpp"

#include <utility>

namespace dynalease::detail {

transact_put as_action(put_item_request request) {
    return {.table_name = std::move(request.table_name),
            .new_item = std::move(request.new_item),
            .condition_expression = std::move(request.condition_expression),
            .names = std::move(request.names),
            .values = std::move(request.values),
            .current_on_refusal = request.current_on_refusal};
}

transact_update as_action(update_item_request request) {
    return {.table_name = std::move(request.table_name),
            .key = std::move(request.key),
            .update_expression = std::move(request.update_expression),
            .condition_expression = std::move(request.condition_expression),
            .names = std::move(request.names),
            .values = std::move(request.values),
            .current_on_refusal = request.current_on_refusal};
}

transact_delete as_action(delete_item_request request) {
    return {.table_name = std::move(request.table_name),
            .key = std::move(request.key),
            .condition_expression = std::move(request.condition_expression),
            .names = std::move(request.names),
            .values = std::move(request.values),
            .current_on_refusal = request.current_on_refusal};
}

}  // namespace dynalease::detail
