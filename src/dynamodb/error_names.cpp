// The table of the service's errors.
// SPDX-License-Identifier: BSL-1.0
#include "dynamodb/error_names.hpp"

#include <algorithm>
#include <iterator>

namespace dynalease {

namespace {

using enum retry_class;
constexpr auto applied_never = outcome::not_applied;
constexpr auto maybe_applied = outcome::unknown;

// Of several names for one code the first is the one that the embedded server uses.
constexpr service_error table[] = {
    {"ConditionalCheckFailedException", errc::condition_failed, 400, applied_never, none},
    {"DuplicateItemException", errc::condition_failed, 400, applied_never, none},
    {"TransactionCanceledException", errc::transaction_canceled, 400, applied_never, none},
    {"TransactionConflictException", errc::transaction_conflict, 400, applied_never, transient},
    {"ReplicatedWriteConflictException", errc::transaction_conflict, 409, applied_never, transient},
    // The first copy of the same transaction is still at work: only its repeat tells how it ended.
    {"TransactionInProgressException", errc::transaction_conflict, 400, maybe_applied, throttling},
    {"IdempotentParameterMismatchException", errc::idempotency_mismatch, 400, applied_never, none},
    {"IdempotentParameterMismatch", errc::idempotency_mismatch, 400, applied_never, none},

    {"ProvisionedThroughputExceededException", errc::throttled, 400, applied_never, throttling},
    {"ThrottlingException", errc::throttled, 400, applied_never, throttling},
    {"Throttling", errc::throttled, 400, applied_never, throttling},
    {"ThrottledException", errc::throttled, 400, applied_never, throttling},
    {"RequestThrottledException", errc::throttled, 400, applied_never, throttling},
    {"RequestThrottled", errc::throttled, 400, applied_never, throttling},
    {"RequestLimitExceeded", errc::throttled, 400, applied_never, throttling},
    {"TooManyRequestsException", errc::throttled, 429, applied_never, throttling},
    {"SlowDown", errc::throttled, 400, applied_never, throttling},
    {"BandwidthLimitExceeded", errc::throttled, 400, applied_never, throttling},
    {"PriorRequestNotComplete", errc::throttled, 400, applied_never, throttling},
    {"EC2ThrottledException", errc::throttled, 400, applied_never, throttling},
    {"LimitExceededException", errc::limit_exceeded, 400, applied_never, throttling},

    {"AccessDeniedException", errc::access_denied, 400, applied_never, auth},
    {"AccessDenied", errc::access_denied, 403, applied_never, auth},
    {"InvalidSignatureException", errc::invalid_signature, 400, applied_never, auth},
    {"IncompleteSignatureException", errc::invalid_signature, 400, applied_never, auth},
    {"SignatureDoesNotMatch", errc::invalid_signature, 403, applied_never, auth},
    {"AuthFailure", errc::invalid_signature, 403, applied_never, auth},
    {"RequestTimeTooSkewed", errc::invalid_signature, 403, applied_never, auth},
    {"UnrecognizedClientException", errc::unknown_access_key, 400, applied_never, auth},
    {"InvalidClientTokenId", errc::unknown_access_key, 403, applied_never, auth},
    {"ExpiredTokenException", errc::expired_credentials, 400, applied_never, auth},
    {"ExpiredToken", errc::expired_credentials, 400, applied_never, auth},
    {"MissingAuthenticationTokenException", errc::no_credentials, 400, applied_never, auth},
    {"MissingAuthenticationToken", errc::no_credentials, 403, applied_never, auth},

    {"ValidationException", errc::validation, 400, applied_never, none},
    {"SerializationException", errc::validation, 400, applied_never, none},
    {"ResourceNotFoundException", errc::table_not_found, 400, applied_never, none},
    {"TableNotFoundException", errc::table_not_found, 400, applied_never, none},
    {"ResourceInUseException", errc::table_in_use, 400, applied_never, none},
    {"TableInUseException", errc::table_in_use, 400, applied_never, none},
    {"TableAlreadyExistsException", errc::table_in_use, 400, applied_never, none},
    {"ItemCollectionSizeLimitExceededException", errc::item_too_large, 400, applied_never, none},
    {"UnknownOperationException", errc::not_supported, 400, applied_never, none},

    {"InternalServerError", errc::server_error, 500, maybe_applied, transient},
    {"InternalFailure", errc::server_error, 500, maybe_applied, transient},
    {"ServiceUnavailable", errc::server_error, 503, maybe_applied, transient},
    {"ServiceUnavailableException", errc::server_error, 503, maybe_applied, transient},
    {"RequestTimeout", errc::server_error, 400, maybe_applied, transient},
    {"RequestTimeoutException", errc::server_error, 400, maybe_applied, transient},
};

}  // namespace

std::string_view exception_name(std::string_view type) noexcept {
    type = type.substr(0, type.find(':'));
    const auto hash = type.rfind('#');
    return hash == std::string_view::npos ? type : type.substr(hash + 1);
}

const service_error* find_service_error(std::string_view name) noexcept {
    const auto* found = std::ranges::find(table, name, &service_error::name);
    return found == std::end(table) ? nullptr : found;
}

const service_error& service_error_of(errc code, outcome what) noexcept {
    // The server's own decoder reports JSON that it could not read at all as a bad answer.
    if (code == errc::bad_response) return *find_service_error("SerializationException");
    const auto same_outcome = [&](const service_error& each) { return each.code == code && each.outcome == what; };
    if (const auto* exact = std::ranges::find_if(table, same_outcome); exact != std::end(table)) return *exact;
    const auto* found = std::ranges::find(table, code, &service_error::code);
    return found == std::end(table) ? *find_service_error("InternalServerError") : *found;
}

service_error service_error_of_status(unsigned status, bool named) noexcept {
    if (status >= 500 || status == 408) return {{}, errc::server_error, status, maybe_applied, transient};
    if (status == 413) return {{}, errc::item_too_large, status, applied_never, none};
    if (status == 429) return {{}, errc::throttled, status, applied_never, throttling};
    if (named && status >= 400) return {{}, errc::validation, status, applied_never, none};
    if (status == 401 || status == 403) return {{}, errc::access_denied, status, applied_never, auth};
    // Below 400 something answered that may stand behind the service or in front of it.
    return {{}, errc::bad_response, status, status >= 400 ? applied_never : maybe_applied, none};
}

}  // namespace dynalease
