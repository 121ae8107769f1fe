// How a verb is started, and how each of its failures is told to its caller.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "runtime/serial_executor.hpp"
#include "runtime/spawn.hpp"

#include <dynalease/detail/initiate.hpp>
#include <dynalease/dynamodb/failure.hpp>

#include <boost/asio/any_completion_executor.hpp>
#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/associated_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/dispatch.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/post.hpp>

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

namespace dynalease::detail {

/// The request that failed within a verb, of which a verb that was called there told. Empty: it was none.
inline std::string_view innermost_request(std::string_view operation) {
    if (const auto open = operation.rfind('('); open != operation.npos) {
        operation.remove_prefix(open + 1);
        operation = operation.substr(0, operation.find(')'));
    }
    const bool is_request = !operation.empty() && operation.front() >= 'A' && operation.front() <= 'Z';
    return is_request ? operation : std::string_view();
}

/// A verb as its caller called it. However it fails, its own code need not say what it is: this adds it.
struct called_verb {
    diagnostics* details;  ///< the caller's; null where none were asked for
    std::string_view verb;
    std::string key{};                ///< what it was called on; empty where only a failure knows which of several
    std::string table{};              ///< where a failure names none
    errc given_up = errc::cancelled;  ///< told to a caller that cancelled it without an answer of its own

    /// Completes the diagnostics of an end with that code. @returns the code to complete with.
    error_code operator()(error_code code) const {
        if (code == boost::asio::error::operation_aborted) code = given_up;
        if (!code || !details) return code;
        auto& operation = details->operation;
        // Both are of use: what the caller did, and which request of it failed.
        const std::string request(operation == verb ? std::string_view() : innermost_request(operation));
        operation = verb;
        if (!request.empty()) operation += " (" + request + ")";
        const bool names_row = !details->key.empty() && !details->table.empty();
        const bool of_another = names_row && !table.empty() && details->table != table;
        if (!key.empty() && !of_another) details->key = key;
        if (details->table.empty()) details->table = table;
        return code;
    }
    template <class T>
    void operator()(runtime::completion<T>& end) const {
        end.code = (*this)(end.code);
    }
};

/// Runs the body of a verb, which reports what it knows of a failure. Every verb starts here, but for those that ask
/// for grants (`session/asking.hpp`), and those that have nowhere to run (`answer_at_once`).
template <class T>
void start_verb(const boost::asio::any_io_executor& executor, called_verb called,
                boost::asio::awaitable<runtime::completion<T>> body, std::type_identity_t<handler_for<T>> handler) {
    if (called.details) *called.details = {};
    runtime::spawn<T>(executor, std::move(body), std::move(handler), std::move(called));
}

/// What is known of a failure, for a caller that asked. @returns the code to complete with.
inline error_code report(const failure& why, diagnostics* details) {
    if (details) *details = why.details;
    return why.code;
}

/// The end of a verb that was called on nothing, so that it has no executor of its own: the answer comes on the
/// handler's, and not within the call. But a handler without one is called at once: the system's executor, which stands
/// in for it then, would start a thread. So is one whose executor is of a type that cannot be posted to any more.
template <class T>
void answer_at_once(const called_verb& called, const failure& why, std::type_identity_t<handler_for<T>> handler) {
    namespace asio = boost::asio;
    const auto code = called(report(why, called.details));
    const asio::any_completion_executor executor = asio::get_associated_executor(handler);
    auto answer = [handler = std::move(handler), code]() mutable {
        if constexpr (std::is_void_v<T>) {
            std::move(handler)(code);
        } else {
            std::move(handler)(code, T{});
        }
    };
    if (const auto known = runtime::postable(executor)) {
        asio::post(known, std::move(answer));
    } else {
        asio::dispatch(executor, std::move(answer));
    }
}

}  // namespace dynalease::detail
