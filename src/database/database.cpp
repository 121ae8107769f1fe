// The public verb of a database handle.
// SPDX-License-Identifier: BSL-1.0
#include <dynalease/dynamodb/database.hpp>

#include "database/called_verb.hpp"
#include "runtime/cancellation.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/deferred.hpp>

#include <exception>
#include <memory>
#include <optional>
#include <tuple>
#include <utility>

namespace dynalease {

namespace {

/// For those who are told a code, and no outcome: what was refused after a copy without an answer, that copy may have
/// done.
failure told_by_code(failure why) {
    if (why.code != errc::condition_failed || why.outcome != outcome::unknown) return why;
    why.code = errc::in_doubt;
    why.details.message = "an attempt before was not answered; at last: the condition was not met";
    why.details.advice = "read the item before deciding: what stands there may be what that attempt wrote";
    return why;
}

boost::asio::awaitable<runtime::completion<any_response>> run_execute(std::shared_ptr<database_backend> backend,
                                                                      any_request request, call_options options,
                                                                      diagnostics* details) {
    runtime::completion<any_response> done;
    auto answer = co_await backend->perform(std::move(request), options);
    if (answer) {
        done.value = *std::move(answer);
    } else {
        done.code = detail::report(told_by_code(std::move(answer).error()), details);
    }
    co_return done;
}

/// One request, made on the backend's executor, and its end as it is there.
struct request_there {
    struct ending {
        std::optional<result<any_response>> answer;
        std::exception_ptr thrown;
    };
    std::shared_ptr<database_backend> backend;
    any_request request;
    call_options options;
    std::shared_ptr<ending> end = std::make_shared<ending>();

    void operator()(diagnostics* details, detail::handler_for<void> handler) && {
        const auto executor = backend->environment().executor;
        const detail::called_verb called{details, operation_name(request)};
        detail::start_verb<void>(executor, called, run(std::move(*this)), std::move(handler));
    }
    static boost::asio::awaitable<runtime::completion<void>> run(request_there what) {
        try {
            what.end->answer = co_await what.backend->perform(std::move(what.request), what.options);
        } catch (...) {
            what.end->thrown = std::current_exception();
        }
        co_return runtime::completion<void>();
    }
};

}  // namespace

boost::asio::awaitable<result<any_response>> database::perform_from_elsewhere(std::shared_ptr<database_backend> backend,
                                                                              any_request request,
                                                                              call_options options) {
    const bool cancelled = co_await runtime::cancellation_requested();
    if (cancelled) co_return failure(errc::cancelled);
    const auto executor = backend->environment().executor;
    request_there asked{std::move(backend), std::move(request), options};
    const auto end = asked.end;
    failure unsent;
    auto done = co_await detail::initiate<void>(executor, std::move(asked), unsent.details,
                                                boost::asio::as_tuple(boost::asio::deferred));
    if (end->thrown) std::rethrow_exception(end->thrown);
    if (end->answer) co_return *std::move(end->answer);
    unsent.code = std::get<0>(done);  // cancelled before it was
    co_return unsent;
}

void database::start(std::shared_ptr<database_backend> backend, any_request request, call_options options,
                     diagnostics* details, detail::handler_for<any_response> handler) {
    const auto executor = backend->environment().executor;
    detail::called_verb called{details, operation_name(request)};
    detail::start_verb<any_response>(executor, std::move(called),
                                     run_execute(std::move(backend), std::move(request), options, details),
                                     std::move(handler));
}

}  // namespace dynalease
