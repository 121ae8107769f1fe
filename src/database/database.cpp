// The public verb of a database handle.
// SPDX-License-Identifier: BSL-1.0
#include <dynalease/dynamodb/database.hpp>

#include "database/called_verb.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/deferred.hpp>

#include <memory>
#include <optional>
#include <tuple>
#include <utility>

namespace dynalease {

namespace {

boost::asio::awaitable<runtime::completion<any_response>> run_execute(std::shared_ptr<database_backend> backend,
                                                                      any_request request, call_options options,
                                                                      diagnostics* details) {
    runtime::completion<any_response> done;
    auto answer = co_await backend->perform(std::move(request), options);
    if (answer) {
        done.value = *std::move(answer);
    } else {
        done.code = detail::report(answer.error(), details);
    }
    co_return done;
}

/// One request, made on the backend's executor, and its answer as it is: a failure with all that is known of it.
struct request_there {
    std::shared_ptr<database_backend> backend;
    any_request request;
    call_options options;
    std::shared_ptr<std::optional<result<any_response>>> answer =
        std::make_shared<std::optional<result<any_response>>>();

    void operator()(diagnostics* details, detail::handler_for<void> handler) && {
        const auto executor = backend->environment().executor;
        const detail::called_verb called{details, operation_name(request)};
        detail::start_verb<void>(executor, called, run(std::move(*this)), std::move(handler));
    }
    static boost::asio::awaitable<runtime::completion<void>> run(request_there what) {
        *what.answer = co_await what.backend->perform(std::move(what.request), what.options);
        co_return runtime::completion<void>();
    }
};

}  // namespace

boost::asio::awaitable<result<any_response>> database::perform_from_elsewhere(std::shared_ptr<database_backend> backend,
                                                                              any_request request,
                                                                              call_options options) {
    const auto executor = backend->environment().executor;
    request_there asked{std::move(backend), std::move(request), options};
    const auto answer = asked.answer;
    failure none;
    auto done = co_await detail::initiate<void>(executor, std::move(asked), none.details,
                                                boost::asio::as_tuple(boost::asio::deferred));
    if (*answer) co_return **std::move(answer);
    none.code = std::get<0>(done);  // cancelled before it was sent
    co_return none;
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
