// The service's errors: exception name, our code, HTTP status, what the error says about the write, and whether to
// try again. One table for the client, which reads such errors, and for the embedded server, which writes them.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <dynalease/dynamodb/failure.hpp>
#include <dynalease/error.hpp>

#include <string_view>

#pragma GCC visibility push(default)  // dynalease::local or dynalease::testing uses it, too
namespace dynalease {

/// What an error means for another attempt.
enum class retry_class {
    none,        ///< the same request would be refused again
    transient,   ///< try again soon
    throttling,  ///< try again after the long delay
    auth,        ///< only after new credentials or a corrected clock
};

struct service_error {
    std::string_view name;  ///< "ConditionalCheckFailedException"; empty for an answer that named no exception
    errc code;
    unsigned status;  ///< HTTP
    dynalease::outcome outcome;
    retry_class retry;
};

/// The exception's own name: "com.amazonaws.dynamodb.v20120810#Name:http://…" gives "Name".
std::string_view exception_name(std::string_view type) noexcept;

/// The row of an exception name; a null pointer if it is not known.
const service_error* find_service_error(std::string_view name) noexcept;

/// The row by which the embedded server reports a code: the one with this outcome, if there is one;
/// InternalServerError for a code that no exception has.
const service_error& service_error_of(errc code, outcome what) noexcept;

/// What an HTTP status alone says, for an answer without a known exception name.
/// @param named whether the body was a DynamoDB error at all, only with a name that is not known.
service_error service_error_of_status(unsigned status, bool named) noexcept;

}  // namespace dynalease
#pragma GCC visibility pop
