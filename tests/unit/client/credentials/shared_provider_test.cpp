// One provider for many clients, on threads of their own.
// SPDX-License-Identifier: BSL-1.0
#include "support/scripted_server.hpp"

#include <dynalease/aws/providers.hpp>
#include <dynalease/client.hpp>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/use_future.hpp>

#include <catch2/catch.hpp>

#include <atomic>
#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

namespace {

namespace asio = boost::asio;
using namespace dynalease;
using support::answer;
using support::reaction;
using support::scripted_server;

asio::awaitable<bool> ask(std::shared_ptr<credentials_provider> provider) {
    const auto keys = co_await provider->get();
    co_return keys && (*keys)->access_key_id == "A";
}

}  // namespace

TEST_CASE("clients on many threads share one fetch of one provider") {
    for (const auto* name : {"AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_PROFILE", "AWS_REGION"})
        ::unsetenv(name);
    ::setenv("AWS_SHARED_CREDENTIALS_FILE", "/no/such/credentials", 1);
    ::setenv("AWS_CONFIG_FILE", "/no/such/config", 1);
    asio::io_context io;
    scripted_server server(io.get_executor(), [](std::size_t, const std::string&) {
        return reaction{answer(200, R"({"AccessKeyId":"A","SecretAccessKey":"S","Token":"T"})")};
    });
    ::setenv("AWS_CONTAINER_CREDENTIALS_FULL_URI", ("http://127.0.0.1:" + std::to_string(server.port())).c_str(), 1);

    asio::io_context providers;
    auto provider = default_credentials(providers.get_executor());
    auto work = asio::make_work_guard(providers);
    std::vector<std::thread> threads;
    for (int i = 0; i < 2; ++i) threads.emplace_back([&] { providers.run(); });
    std::thread serving([&] { io.run(); });

    std::atomic<int> good{0};
    for (int i = 0; i < 4; ++i) {
        threads.emplace_back([&] {
            asio::io_context own;
            for (int ask_again = 0; ask_again < 25; ++ask_again) {
                asio::co_spawn(own, ask(provider), [&](std::exception_ptr, bool found) { good += found ? 1 : 0; });
            }
            own.run();
        });
    }
    for (std::size_t i = 2; i < threads.size(); ++i) threads[i].join();
    provider.reset();
    work.reset();
    threads[0].join();
    threads[1].join();
    asio::post(io, [&] { server.stop(); });
    serving.join();
    ::unsetenv("AWS_CONTAINER_CREDENTIALS_FULL_URI");
    CHECK(good == 100);
    CHECK(server.requests().size() == 1);
}
