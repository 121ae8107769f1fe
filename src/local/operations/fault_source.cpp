// Which fault, and how the service tells it.
// SPDX-License-Identifier: BSL-1.0
#include "local/operations/fault_source.hpp"

#include "local/operations/cancellation.hpp"

#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

namespace dynalease::local {

namespace {

template <class Request, class... Others>
constexpr bool any_of = (std::is_same_v<Request, Others> || ...);

bool is_about_items(const any_request& request) {
    return std::visit(
        []<class Request>(const Request&) {
            return any_of<Request, put_item_request, get_item_request, update_item_request, delete_item_request,
                          query_request, scan_request, batch_get_item_request, batch_write_item_request,
                          transact_write_items_request, transact_get_items_request>;
        },
        request);
}

failure told(errc code, outcome what, std::string message) {
    failure why(code, what);
    why.details.message = std::move(message);
    return why;
}

/// Empty for requests that no transaction disturbs.
std::optional<failure> conflict_of(const any_request& request) {
    std::size_t actions = 0;
    if (const auto* writes = std::get_if<transact_write_items_request>(&request)) actions = writes->actions.size();
    if (const auto* reads = std::get_if<transact_get_items_request>(&request)) actions = reads->gets.size();
    if (actions != 0) {
        std::vector<cancellation_reason> reasons(actions, {"None", {}, std::nullopt});
        reasons.front() = conflict_reason();
        return cancelled_for(std::move(reasons));
    }
    const bool single = std::holds_alternative<put_item_request>(request) ||
                        std::holds_alternative<update_item_request>(request) ||
                        std::holds_alternative<delete_item_request>(request);
    if (!single) return std::nullopt;
    return told(errc::transaction_conflict, outcome::not_applied, transaction_is_ongoing);
}

}  // namespace

fault_source::fate fault_source::next(const any_request& request) {
    if (!is_about_items(request)) return {};
    if (happens(rates_.throttled)) {
        return {told(errc::throttled, outcome::not_applied,
                     "The level of configured provisioned throughput for the table was exceeded. Consider increasing "
                     "your provisioning level with the UpdateTable API.")};
    }
    if (happens(rates_.conflicting)) {
        if (auto conflict = conflict_of(request)) return {std::move(conflict)};
    }
    if (!happens(rates_.failed)) return {};
    constexpr double half = 0.5;
    const bool after = happens(half);
    // The caller of a write cannot know which of the two it was.
    auto why =
        told(errc::server_error, is_write(request) ? outcome::unknown : outcome::not_applied, "Internal server error");
    if (after) return {std::nullopt, std::move(why)};
    return {std::move(why)};
}

}  // namespace dynalease::local
