// Room client: the failure of a call.
// SPDX-License-Identifier: BSL-1.0
#include "client/call_failure.hpp"

#include "dynamodb/failed_request.hpp"

#include <utility>

namespace dynalease::detail {

namespace {

std::string advice_for(const error_code& code, const failure& why, const std::string& where) {
    if (code.category() != error_category()) return {};
    switch (static_cast<errc>(code.value())) {
        case errc::in_doubt:
            return why.details.key.empty() ? "see whether it was done before deciding"
                                           : "read the item before deciding";
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

failure call_failure(attempt last, const any_request& request, bool doubt, unsigned tried, const std::string& where) {
    auto result = std::move(last.why);
    const bool ours = result.code.category() == error_category();
    if (!ours && result.code == boost::system::errc::operation_canceled) result.code = make_error_code(errc::cancelled);
    const bool unreadable = result.code == errc::bad_response;
    if (doubt) {
        result.outcome = outcome::unknown;
        if (!last.refused_by_service) {
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
    name_request(result, request);
    details.attempts = tried;
    // The source of credentials knows best what it lacks; of everything else, where we called is part of the advice.
    auto advice = advice_for(result.code, result, where);
    if (unreadable && result.code == errc::in_doubt) advice += "; " + advice_for(errc::bad_response, result, where);
    if (details.advice.empty() || (result.code != errc::no_credentials && !advice.empty())) {
        details.advice = std::move(advice);
    }
    return result;
}

}  // namespace dynalease::detail
