// Room client: a provider that many clients may share, whatever they run on.
// SPDX-License-Identifier: BSL-1.0
#include "client/credentials/configured_provider.hpp"
#include "client/credentials/credentials_cache.hpp"
#include "runtime/spawn.hpp"

#include <dynalease/aws/providers.hpp>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/async_result.hpp>
#include <boost/asio/deferred.hpp>
#include <boost/asio/dispatch.hpp>

#include <utility>

namespace dynalease {

namespace asio = boost::asio;

namespace {

using aws::shared_credentials;

constexpr auto in_full = asio::as_tuple(asio::deferred);
constexpr auto longest_wait = std::chrono::minutes(2);

/// A result, as a completion can carry it.
struct keys_or_failure {
    result<shared_credentials> keys{shared_credentials{}};
};

asio::awaitable<runtime::completion<keys_or_failure>> ask(std::shared_ptr<detail::credentials_cache> whom,
                                                          environment world) {
    runtime::completion<keys_or_failure> done;
    auto found = co_await whom->get(world.clock->now() + longest_wait);
    done.value.keys = std::move(found);
    co_return done;
}

/// Its cache lives on a strand of its own; who asks from elsewhere goes there and comes back.
class shared_provider final : public credentials_provider {
public:
    shared_provider(environment world, detail::configured_provider own)
        : world_(std::move(world)),
          context_(std::move(own.context)),
          cache_(std::make_shared<detail::credentials_cache>(world_, std::move(own.provider))) {}

    ~shared_provider() override {
        asio::dispatch(world_.executor, [context = context_, cache = cache_] {
            cache->close();
            context->close();
        });
    }

    asio::awaitable<result<shared_credentials>> get() override {
        auto initiation = [](auto handler, environment world, std::shared_ptr<detail::credentials_cache> whom) {
            const auto executor = world.executor;
            runtime::spawn<keys_or_failure>(executor, ask(std::move(whom), std::move(world)),
                                            runtime::completion_handler<keys_or_failure>(std::move(handler)));
        };
        auto initiated = asio::async_initiate<decltype(in_full), void(error_code, keys_or_failure)>(
            std::move(initiation), in_full, world_, cache_);
        auto [error, found] = co_await std::move(initiated);
        if (error) co_return failure(errc::cancelled);
        co_return std::move(found.keys);
    }

    void invalidate() noexcept override {
        asio::dispatch(world_.executor, [cache = cache_] { cache->refuse_present(); });
    }

private:
    environment world_;
    detail::shared_source_context context_;
    std::shared_ptr<detail::credentials_cache> cache_;
};

}  // namespace

std::shared_ptr<credentials_provider> default_credentials(const asio::any_io_executor& executor,
                                                          default_credentials_options options) {
    auto world = environment::system(executor);
    auto own = detail::make_configured_provider(world, std::move(options));
    return std::make_shared<shared_provider>(std::move(world), std::move(own));
}

}  // namespace dynalease
