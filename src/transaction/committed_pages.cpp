// What a query or a scan finds, without what is not committed.
// SPDX-License-Identifier: BSL-1.0
#include <dynalease/transaction/committed_pages.hpp>

#include "item/protocol/item_mark.hpp"
#include "transaction/protocol/planned_writes.hpp"

#include <utility>

namespace dynalease::detail {

namespace {

template <class Request>
void check_request(const Request& request) {
    const bool whole = request.projection_expression.empty() &&
                       (request.select == selection::unspecified || request.select == selection::all_attributes);
    if (whole) return;
    diagnostics details;
    details.operation = "committed_pages";
    details.table = request.table_name;
    details.message = "a projection, or a count, leaves out what an item was before a transaction changed it";
    throw error(errc::invalid_option, std::move(details));
}

}  // namespace

void check_committed(const query_request& request) {
    check_request(request);
}
void check_committed(const scan_request& request) {
    check_request(request);
}

std::vector<item> committed_items(std::vector<item> shown, const std::string& table) {
    std::vector<item> committed;
    committed.reserve(shown.size());
    for (auto& each : shown) {
        if (!each.contains(protocol::mark_attribute::owner)) {
            committed.push_back(std::move(each));
            continue;
        }
        const std::optional<item> lies(std::move(each));
        auto view = protocol::committed_view(lies);
        if (!view) {
            auto why = protocol::about(std::move(view).error(), {table, {}});
            why.details.operation = "committed_pages";
            throw error(why.code, std::move(why.details));
        }
        if (*view) committed.push_back(**std::move(view));
    }
    return committed;
}

}  // namespace dynalease::detail
