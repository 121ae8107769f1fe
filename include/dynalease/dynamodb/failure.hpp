// How a request failed: the error, what is known to have happened, and what the refusal brought with it.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <dynalease/dynamodb/item.hpp>
#include <dynalease/error.hpp>
#include <dynalease/named.hpp>

#include <boost/assert/source_location.hpp>
#include <boost/system/result.hpp>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#pragma GCC visibility push(default)
namespace dynalease {

/// What one request, or all attempts of a call together, did to the table.
enum class outcome {
    applied,      ///< acknowledged
    not_applied,  ///< surely nothing happened: refused, throttled, or never written to the socket
    unknown,      ///< sent, and no usable answer: it may have happened, or may happen yet
};
constexpr std::string_view to_string(outcome value) noexcept {
    using enum outcome;
    switch (value) {
        case applied:
            return "applied";
        case not_applied:
            return "not_applied";
        case unknown:
            return "unknown";
    }
    return "unknown";
}

/// Why one action of a transaction made it fail; `code` is "None" for those that did not.
struct cancellation_reason {
    std::string code;
    std::string message;
    std::optional<item> current;
};

struct failure {
    error_code code;
    /// Over all attempts of the call: `unknown` as soon as one attempt is. A refused condition after an
    /// unanswered attempt is therefore `condition_failed` with `unknown`: our own first copy may be the reason. (Where
    /// a code alone is told, by `execute`, it is `in_doubt`.)
    dynalease::outcome outcome = dynalease::outcome::not_applied;
    std::optional<item> current{};               ///< condition_failed with `current_on_refusal`: what is there
    std::vector<cancellation_reason> reasons{};  ///< transaction_canceled: one per action
    dynalease::diagnostics details{};

    failure() = default;
    failure(error_code c, dynalease::outcome o = dynalease::outcome::not_applied) : code(c), outcome(o) {}
    failure(errc c, dynalease::outcome o = dynalease::outcome::not_applied) : code(make_error_code(c)), outcome(o) {}
};

/// Found by Boost.System when `value()` is asked of a result that holds a failure.
[[noreturn]] void throw_exception_from_error(const failure& why, const boost::source_location& where);

template <class T>
using result = boost::system::result<T, failure>;

}  // namespace dynalease
#pragma GCC visibility pop
