// What every request has in common.
// SPDX-License-Identifier: BSL-1.0
#include <dynalease/dynamodb/operations.hpp>

#include <type_traits>

namespace dynalease {

namespace {

template <class Map>
std::string_view first_key(const Map& tables) noexcept {
    return tables.empty() ? std::string_view{} : std::string_view(tables.begin()->first);
}

std::string_view table_in(const batch_get_item_request& request) noexcept {
    return first_key(request.tables);
}
std::string_view table_in(const batch_write_item_request& request) noexcept {
    return first_key(request.tables);
}
std::string_view table_in(const transact_write_items_request& request) noexcept {
    if (request.actions.empty()) return {};
    return std::visit([](const auto& action) { return std::string_view(action.table_name); }, request.actions.front());
}
std::string_view table_in(const transact_get_items_request& request) noexcept {
    return request.gets.empty() ? std::string_view{} : std::string_view(request.gets.front().table_name);
}
template <class Request>
std::string_view table_in(const Request& request) noexcept {
    if constexpr (requires { request.table_name; }) {
        return request.table_name;
    } else if constexpr (requires { request.resource_arn; }) {
        return request.resource_arn;
    } else {
        return {};
    }
}

template <class Request, class... Others>
constexpr bool one_of = (std::is_same_v<Request, Others> || ...);

}  // namespace

std::string_view operation_name(const any_request& request) noexcept {
    return std::visit([](const auto& held) { return std::remove_cvref_t<decltype(held)>::name; }, request);
}

std::string_view table_of(const any_request& request) noexcept {
    return std::visit([](const auto& held) { return table_in(held); }, request);
}

bool is_write(const any_request& request) noexcept {
    return std::visit(
        []<class Request>(const Request&) {
            return !one_of<Request, get_item_request, query_request, scan_request, batch_get_item_request,
                           transact_get_items_request, describe_table_request, list_tables_request,
                           describe_time_to_live_request, list_tags_of_resource_request, describe_limits_request,
                           describe_endpoints_request>;
        },
        request);
}

}  // namespace dynalease
