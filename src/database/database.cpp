// The public verb of a database handle.
// SPDX-License-Identifier: BSL-1.0
#include <dynalease/dynamodb/database.hpp>

#include "database/called_verb.hpp"

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

}  // namespace

void database::start(std::shared_ptr<database_backend> backend, any_request request, call_options options,
                     diagnostics* details, detail::handler_for<any_response> handler) {
    const auto executor = backend->environment().executor;
    detail::called_verb called{details, operation_name(request)};
    detail::start_verb<any_response>(executor, std::move(called),
                                     run_execute(std::move(backend), std::move(request), options, details),
                                     std::move(handler));
}

}  // namespace dynalease
