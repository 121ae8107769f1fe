// Room client: the failure of a call.
// SPDX-License-Identifier: BSL-1.0
#include "client/call_failure.hpp"

#include "dynamodb/tables_named.hpp"

#include <algorithm>
#include <cstddef>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace dynalease::detail {

namespace {

void add_key_part(std::string& text, const attribute_value& value) {
    std::string_view part;
    if (const auto* string = value.get_if<std::string>()) part = *string;
    if (const auto* digits = value.get_if<number>()) part = digits->text();
    if (part.empty()) return;
    if (!text.empty()) text += " / ";
    text += part;
}

/// Only what is known to be a key: the values of other attributes must not get into a log.
template <class Request>
std::string key_in(const Request& what) {
    std::string text;
    if constexpr (requires { what.key.begin(); }) {
        for (const auto& [name, value] : what.key) add_key_part(text, value);
    } else if constexpr (requires { what.new_item; }) {
        for (const auto* name : {"pk", "sk"}) {
            if (const auto* value = find(what.new_item, name)) add_key_part(text, *value);
        }
    }
    return text;
}

std::string key_text(const any_request& request) {
    return std::visit([](const auto& what) { return key_in(what); }, request);
}

constexpr std::string_view name_of(const transact_put&) {
    return "a put";
}
constexpr std::string_view name_of(const transact_update&) {
    return "an update";
}
constexpr std::string_view name_of(const transact_delete&) {
    return "a deletion";
}
constexpr std::string_view name_of(const condition_check&) {
    return "a condition check";
}
constexpr std::string_view name_of(const transact_get&) {
    return "a read";
}

void name_action(diagnostics& details, const auto& action, std::string_view which, const cancellation_reason& reason) {
    details.table = action.table_name;
    details.key = key_in(action);
    auto& words = details.message;
    if (!words.empty()) words += "; ";
    words.append(which).append(", ").append(name_of(action)).append(": ").append(reason.code);
    if (!reason.message.empty()) words.append(", ").append(reason.message);
}

/// Of several actions, the first one that was refused.
void name_refused(diagnostics& details, const any_request& request, const std::vector<cancellation_reason>& reasons) {
    const auto refused = [](const cancellation_reason& each) { return !each.code.empty() && each.code != "None"; };
    const auto at = static_cast<std::size_t>(std::ranges::find_if(reasons, refused) - reasons.begin());
    if (at == reasons.size()) return;
    const auto which = "action " + std::to_string(at + 1) + " of " + std::to_string(reasons.size());
    if (const auto* writes = std::get_if<transact_write_items_request>(&request)) {
        if (writes->actions.size() != reasons.size()) return;
        std::visit([&](const auto& action) { name_action(details, action, which, reasons[at]); }, writes->actions[at]);
    }
    if (const auto* reads = std::get_if<transact_get_items_request>(&request)) {
        if (reads->gets.size() == reasons.size()) name_action(details, reads->gets[at], which, reasons[at]);
    }
}

std::string advice_for(const error_code& code, const failure& why, const std::string& where) {
    if (code.category() != error_category()) return {};
    switch (static_cast<errc>(code.value())) {
        case errc::in_doubt:
            return "read the item before deciding";
        case errc::unreachable:
            return "check the endpoint " + where + " and the network";
        case errc::tls_failed:
            return "check that " + where + " is the server meant, and which authorities are trusted (AWS_CA_BUNDLE)";
        case errc::bad_response:
            return "check that " + where + " is a DynamoDB endpoint, not a proxy or another server";
        case errc::timeout:
            return "check the load and the network, or allow more time in client_options::timeout";
        case errc::throttled:
            return why.details.request_id.empty() ? "send fewer requests at once"
                                                  : "slow down, or raise the table's or account's limits";
        case errc::table_not_found:
            return "there is none of that name at " + where +
                   "; check name and region, or create it (create_table makes coordination tables)";
        case errc::invalid_signature:
            return "check AWS_SECRET_ACCESS_KEY, the region, and this machine's clock";
        case errc::unknown_access_key:
            return "check AWS_ACCESS_KEY_ID, and AWS_SESSION_TOKEN if the keys are temporary";
        case errc::expired_credentials:
            return "renew the temporary credentials";
        case errc::access_denied:
            return "grant these credentials the permission that the message names";
        case errc::no_credentials:
            return "set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or a profile, or client_options::credentials";
        default:
            return {};
    }
}

/// The words of a code without what they advise.
std::string what_happened(const error_code& code) {
    auto words = code.message();
    return words.substr(0, words.find(';'));
}

}  // namespace

failure call_failure(attempt last, const any_request& request, bool doubt, unsigned sent, const std::string& where) {
    auto result = std::move(last.why);
    const bool ours = result.code.category() == error_category();
    if (!ours && result.code == boost::system::errc::operation_canceled) result.code = make_error_code(errc::cancelled);
    if (doubt) {
        result.outcome = outcome::unknown;
        if (!last.refused_by_service && result.code != errc::bad_response) {
            // That nothing was written, as `timeout` says of itself, is true of the last attempt at most.
            std::string reason = result.code == errc::timeout ? "" : what_happened(result.code);
            auto& words = result.details.message;
            if (!reason.empty() && !words.empty()) reason += ": ";
            words.insert(0, reason);
            if (!words.empty()) words.insert(0, "at last: ");
            result.code = make_error_code(errc::in_doubt);
        }
    }
    auto& details = result.details;
    details.operation = operation_name(request);
    details.table = tables_named(request, details.message);
    details.key = key_text(request);
    name_refused(details, request, result.reasons);
    details.attempts = sent;
    // The source of credentials knows best what it lacks; of everything else, where we called is part of the advice.
    auto advice = advice_for(result.code, result, where);
    if (details.advice.empty() || (result.code != errc::no_credentials && !advice.empty())) {
        details.advice = std::move(advice);
    }
    return result;
}

}  // namespace dynalease::detail
