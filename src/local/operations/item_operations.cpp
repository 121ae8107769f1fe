// PutItem, GetItem, UpdateItem, DeleteItem.
// SPDX-License-Identifier: BSL-1.0
#include "local/expression/projection.hpp"
#include "local/operations/cancellation.hpp"
#include "local/operations/key_paths.hpp"
#include "local/operations/operations.hpp"
#include "local/operations/write.hpp"
#include "local/storage/capacity.hpp"
#include "local/values/item_check.hpp"
#include "local/values/refusal.hpp"

#include <algorithm>
#include <utility>

namespace dynalease::local {

namespace {

void refuse_updated_values(return_values returned) {
    if (returned != return_values::none && returned != return_values::all_old) {
        refuse("ReturnValues can only be ALL_OLD or NONE");
    }
}

failure refused_condition(const prepared_write& write) {
    failure why(errc::condition_failed);
    why.details.message = "The conditional request failed";
    const item* present = write.present();
    if (write.what().current_on_refusal && present) why.current = *present;
    return why;
}

item returned_attributes(const prepared_write& write, return_values returned, const item* before, const item* after) {
    switch (returned) {
        case return_values::none:
            break;
        case return_values::all_old:
            return before ? *before : item{};
        case return_values::all_new:
            return after ? *after : item{};
        case return_values::updated_old:
            return before ? write.touched_part(*before) : item{};
        case return_values::updated_new:
            return after ? write.touched_part(*after) : item{};
    }
    return {};
}

template <class Response, class Request>
result<any_response> execute_write(const context& in, const Request& request) {
    prepared_write write(in.state, write_of(request));
    write.locate(in.state, in.seconds());
    if (in.state.work.holds(write.place(), work_in_progress::kind::transaction, in.now)) {
        throw refusal(errc::transaction_conflict, transaction_is_ongoing);
    }
    auto decision = write.decide();
    if (decision.refused) return refused_condition(write);
    const item* after = decision.after ? &*decision.after : nullptr;
    Response answer;
    answer.attributes = returned_attributes(write, request.returned, write.present(), after);
    if (request.report_capacity) {
        answer.consumed = consumed_if(request, write.where().name(), write.units(decision));
    }
    auto change = write.prepare(std::move(decision));
    in.state.work.begin(write.place(), work_in_progress::kind::write, in.now);
    if (change) change->commit();
    if (request.report_collection) answer.collection = write.collection();
    return any_response(std::move(answer));
}

}  // namespace

result<any_response> execute(const context& in, const put_item_request& request) {
    refuse_updated_values(request.returned);
    return execute_write<put_item_response>(in, request);
}

result<any_response> execute(const context& in, const update_item_request& request) {
    return execute_write<update_item_response>(in, request);
}

result<any_response> execute(const context& in, const delete_item_request& request) {
    refuse_updated_values(request.returned);
    return execute_write<delete_item_response>(in, request);
}

result<any_response> execute(const context& in, const get_item_request& request) {
    check_depth(request.key);
    const attribute_values none;
    expression::compiler expressions(in.state.expressions, in.state.allowed, request.names, none);
    const auto projection = expressions.projection(request.projection_expression);
    expressions.finish();
    table& from = in.table_named(request.table_name);
    check_key(from.key(), request.key);
    if (projection) refuse_nested_keys(projection->tree, expressions.bound(), from);
    const row* found = from.find(encode_key(from.key(), request.key));
    get_item_response answer;
    if (found) {
        answer.found = projection ? expression::projector(projection->tree, expressions.bound())(found->attributes)
                                  : found->attributes;
    }
    const auto kind = request.consistent_read ? read_kind::consistent : read_kind::eventual;
    answer.consumed = consumed_if(request, from.name(), {read_units(found ? found->size : 0, kind)});
    return any_response(std::move(answer));
}

}  // namespace dynalease::local
