// The port to DynamoDB: everything above it sends requests here, everything below answers them.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <dynalease/detail/initiate.hpp>
#include <dynalease/dynamodb/failure.hpp>
#include <dynalease/dynamodb/operations.hpp>
#include <dynalease/runtime/environment.hpp>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/this_coro.hpp>

#include <chrono>
#include <concepts>
#include <memory>
#include <utility>
#include <variant>
#include <vector>

#pragma GCC visibility push(default)
namespace dynalease {

namespace detail {
/// Hands the one alternative that a request can have to the handler that asked for it.
template <class Response>
struct narrowing_handler {
    handler_for<Response> handler;

    void operator()(error_code code, any_response answer) && {
        std::move(handler)(code, code ? Response{} : std::get<Response>(std::move(answer)));
    }
};
}  // namespace detail

/// Heartbeats travel on a lane of their own that no other request can fill.
enum class lane { ordinary, heartbeat };

/// Sees a call between its attempts: whoever waits for it knows then what has become of them, and may end it there.
/// Told on the database's executor; must outlive the call.
class attempt_watch {
public:
    attempt_watch() = default;
    attempt_watch(const attempt_watch&) = delete;
    attempt_watch& operator=(const attempt_watch&) = delete;

    /// The last attempt has failed, and after a pause there would be another. @param why as the call would fail now
    virtual void failed(const failure& why) = 0;
    /// The pause is over. @returns whether the next attempt leaves; else the call ends as `failed` was told
    virtual bool goes_on() = 0;

protected:
    ~attempt_watch() = default;
};

struct call_options {
    std::chrono::nanoseconds timeout{};          ///< for the whole call with its retries; 0: the database's default
    std::chrono::nanoseconds attempt_timeout{};  ///< for one attempt; 0: the database's default
    unsigned attempts = 0;  ///< at most so many: 1 for a write that must not be sent twice; 0: the database's default
    dynalease::lane lane = lane::ordinary;
    attempt_watch* watch = nullptr;  ///< null: nobody asks between the attempts
};

/// Something that a part of the library keeps once for each database, whichever handles ask for it.
class database_companion {
public:
    database_companion() = default;
    database_companion(const database_companion&) = delete;
    database_companion& operator=(const database_companion&) = delete;
    virtual ~database_companion() = default;
};

/// What an implementation provides: the HTTP client, the embedded engine, a test's faults in front of either.
class database_backend {
public:
    database_backend() = default;
    database_backend(const database_backend&) = delete;
    database_backend& operator=(const database_backend&) = delete;
    virtual ~database_backend() = default;

    virtual const dynalease::environment& environment() const noexcept = 0;
    /// The wall clock as the service's answers have corrected it, where they have. On the environment's executor.
    virtual wall_time wall() const noexcept { return environment().clock->wall(); }

    /// Answers with the response that belongs to the request, or a failure. Called on the environment's
    /// executor. When cancelled (any type) it completes soon, with `errc::in_doubt` if a write may have left.
    virtual boost::asio::awaitable<result<any_response>> perform(any_request request, call_options options) = 0;

    /// The one of that type; made, from the environment, where it is asked for first. On the environment's executor.
    template <std::derived_from<database_companion> Companion>
    Companion& companion() {
        for (const auto& each : companions_) {
            if (auto* found = dynamic_cast<Companion*>(each.get())) return *found;
        }
        auto made = std::make_unique<Companion>(environment());
        auto& kept = *made;
        companions_.push_back(std::move(made));
        return kept;
    }

private:
    std::vector<std::unique_ptr<database_companion>> companions_;
};

/// A handle to a backend: cheap to copy, and keeps it alive. The base of `client` and `local::database`.
class database {
public:
    explicit database(std::shared_ptr<database_backend> backend) : backend_(std::move(backend)) {}

    const dynalease::environment& environment() const noexcept { return backend_->environment(); }
    /// What time it is for rows that other machines read: tokens, expiries. Like the wall clock itself it says nothing
    /// of who holds a lease. On the environment's executor.
    wall_time wall() const noexcept { return backend_->wall(); }
    /// For what stands in front of it, such as a test's faults.
    const std::shared_ptr<database_backend>& implementation() const noexcept { return backend_; }
    using executor_type = boost::asio::any_io_executor;
    executor_type get_executor() const noexcept { return environment().executor; }

    /// One request and its answer, for use inside coroutines. It never throws for what the service answers. Cost: the
    /// request, and retries as the options allow; for a coroutine on another executor a change to ours, and back.
    ///
    /// Cancellation: as `execute`; but as for any operation, a coroutine that was cancelled before, and throws then,
    /// does so.
    template <operation Request>
    boost::asio::awaitable<result<typename Request::response>> call(Request request, call_options options = {}) const {
        return call_on<Request>(backend_, std::move(request), options);
    }

    template <operation Request>
    boost::asio::awaitable<result<typename Request::response>> call() const {
        return call(Request{});
    }

    /// One request from anywhere. Awaited without a token it throws `dynalease::error`; with any Asio completion
    /// token its signature is `void(error_code, Response)`, and `diagnostics` may be passed before the token. A condition
    /// that was refused after an attempt without an answer is told as `errc::in_doubt`: that attempt may have made it so.
    ///
    /// Cancellation: all three types; `errc::in_doubt` if a write may have left, else `errc::cancelled`.
    template <operation Request>
    boost::asio::awaitable<typename Request::response> execute(Request request, call_options options = {}) const {
        return detail::await_verb<typename Request::response>(get_executor(),
                                                              verb<Request>{backend_, std::move(request), options});
    }
    template <operation Request>
    boost::asio::awaitable<typename Request::response> execute() const {
        return execute(Request{});
    }
    template <operation Request, class... Tail>
        requires verb_tail<typename Request::response, Tail...>
    auto execute(Request request, call_options options, Tail&&... tail) const {
        return detail::initiate<typename Request::response>(
            get_executor(), verb<Request>{backend_, std::move(request), options}, std::forward<Tail>(tail)...);
    }
    template <operation Request, class... Tail>
        requires verb_tail<typename Request::response, Tail...>
    auto execute(Request request, Tail&&... tail) const {
        return execute(std::move(request), call_options{}, std::forward<Tail>(tail)...);
    }

private:
    template <operation Request>
    static boost::asio::awaitable<result<typename Request::response>> call_on(std::shared_ptr<database_backend> backend,
                                                                              Request request, call_options options) {
        const auto here = co_await boost::asio::this_coro::executor;
        const bool at_home = here == backend->environment().executor;
        any_request sent(std::move(request));
        auto asked = at_home ? backend->perform(std::move(sent), options)
                             : perform_from_elsewhere(backend, std::move(sent), options);
        auto answer = co_await std::move(asked);
        if (!answer) co_return std::move(answer).error();
        co_return std::get<typename Request::response>(*std::move(answer));
    }
    static boost::asio::awaitable<result<any_response>> perform_from_elsewhere(
        std::shared_ptr<database_backend> backend, any_request request, call_options options);

    static void start(std::shared_ptr<database_backend> backend, any_request request, call_options options,
                      diagnostics* details, detail::handler_for<any_response> handler);

    template <operation Request>
    struct verb {
        std::shared_ptr<database_backend> backend;
        Request request;
        call_options options;

        void operator()(diagnostics* details, detail::handler_for<typename Request::response> handler) && {
            using narrowing = detail::narrowing_handler<typename Request::response>;
            start(std::move(backend), any_request(std::move(request)), options, details,
                  detail::handler_for<any_response>(narrowing{std::move(handler)}));
        }
    };

    std::shared_ptr<database_backend> backend_;
};

}  // namespace dynalease
#pragma GCC visibility pop

/// The wrapped handler's executor, cancellation slot and allocator are the wrapper's own.
template <template <class, class> class Associator, class Response, class Default>
struct boost::asio::associator<Associator, dynalease::detail::narrowing_handler<Response>, Default>
    : Associator<dynalease::detail::handler_for<Response>, Default> {
    static auto get(const dynalease::detail::narrowing_handler<Response>& self,
                    const Default& otherwise = Default()) noexcept {
        return Associator<dynalease::detail::handler_for<Response>, Default>::get(self.handler, otherwise);
    }
};
