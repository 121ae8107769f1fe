// The engine as a database backend.
// SPDX-License-Identifier: BSL-1.0
#include "dynamodb/failed_request.hpp"
#include "runtime/cancellation.hpp"

#include <dynalease/local/database.hpp>

#include <boost/asio/post.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <utility>

namespace dynalease::local {

namespace asio = boost::asio;

namespace {

class backend : public database_backend {
public:
    backend(dynalease::environment where, std::shared_ptr<engine> store)
        : environment_(std::move(where)), store_(std::move(store)) {}

    const dynalease::environment& environment() const noexcept override { return environment_; }

    asio::awaitable<result<any_response>> perform(any_request request, call_options) override {
        return perform_on(environment_, store_, std::move(request));
    }

private:
    static asio::awaitable<result<any_response>> perform_on(dynalease::environment where, std::shared_ptr<engine> store,
                                                            any_request request) {
        co_await asio::post(where.executor, asio::use_awaitable);
        const bool cancelled = co_await runtime::cancellation_requested();
        if (cancelled) co_return failure(errc::cancelled);
        auto answer = store->execute(request, where.clock->wall());
        if (answer) co_return answer;
        failure why = std::move(answer).error();
        detail::name_request(why, request);
        why.details.attempts = 1;
        co_return why;
    }

    dynalease::environment environment_;
    std::shared_ptr<engine> store_;
};

}  // namespace

database::database(dynalease::environment where, std::shared_ptr<local::engine> store)
    : database(backed_by{}, std::move(where), store ? std::move(store) : std::make_shared<local::engine>()) {}

database::database(const asio::any_io_executor& executor) : database(dynalease::environment::system(executor)) {}

database::database(backed_by, dynalease::environment where, std::shared_ptr<local::engine> store)
    : dynalease::database(std::make_shared<backend>(std::move(where), store)), store_(std::move(store)) {}

}  // namespace dynalease::local
