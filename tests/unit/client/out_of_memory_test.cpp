// A client that finds no memory at any one step: the calls of that moment may be lost, or the process may end, as it
// says; but a process that goes on is served again.
// SPDX-License-Identifier: BSL-1.0
#include "unit/client/fixture.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <new>
#include <thread>

namespace {

constexpr std::size_t never = SIZE_MAX;
/// So many more are served, then one is not.
std::size_t allocations_left = never;

void* take(std::size_t size) {
    if (allocations_left != never && allocations_left-- == 0) {
        allocations_left = never;
        throw std::bad_alloc();
    }
    if (void* memory = std::malloc(size)) return memory;
    throw std::bad_alloc();
}

}  // namespace

void* operator new(std::size_t size) {
    return take(size);
}
void* operator new[](std::size_t size) {
    return take(size);
}
void operator delete(void* memory) noexcept {
    std::free(memory);
}
void operator delete[](void* memory) noexcept {
    std::free(memory);
}
void operator delete(void* memory, std::size_t) noexcept {
    std::free(memory);
}
void operator delete[](void* memory, std::size_t) noexcept {
    std::free(memory);
}

using namespace client_test;

namespace {

enum class end { served, not_served, all_had_memory, ended };

asio::awaitable<void> ask(client& database, bool& served, call_options how) {
    const auto got = co_await read_on(database, how);
    served = got.has_value();
}

/// What a process comes to in which one allocation fails, behind so many that do not.
end live(const client_options& options, std::size_t allocations) {
    std::set_terminate([] { ::_exit(static_cast<int>(end::ended)); });
    asio::io_context io{1};
    client database(io.get_executor(), options);
    std::array<bool, 4> served{};
    const auto begin_to_ask = [&](bool& into, call_options how) {
        asio::co_spawn(database.get_executor(), ask(database, into, how), asio::detached);
    };
    const auto run_on = [&](const auto& work) {
        try {
            work();
        } catch (const std::bad_alloc&) {
        }
    };
    allocations_left = allocations;
    for (std::size_t i = 0; i < 3; ++i) run_on([&] { begin_to_ask(served[i], {}); });
    for (int tries = 0; tries < 2 && !io.stopped(); ++tries) run_on([&] { io.run_for(150ms); });
    const bool failed = std::exchange(allocations_left, never) == never;
    io.restart();
    begin_to_ask(served[3], {.timeout = 5s, .attempt_timeout = 1s});
    const auto latest = std::chrono::steady_clock::now() + 5s;
    while (!served[3] && io.run_one_until(latest) != 0) {
    }
    if (!served[3]) return end::not_served;
    return failed ? end::served : end::all_had_memory;
}

}  // namespace

TEST_CASE("a process that goes on without memory for one step is served again") {
    asio::io_context serving{1};
    scripted_server server(serving.get_executor(),
                           [](std::size_t, const std::string&) { return reaction{answer(200, "{}")}; });
    client_options options;
    options.region = "eu-central-1";
    options.endpoint = "http://127.0.0.1:" + std::to_string(server.port());
    options.credentials = credentials{"key", "secret"};
    options.connections = 2;  // so that one waits in line
    options.timeout = 100ms;  // what is lost is not waited for
    options.attempt_timeout = 50ms;
    options.connect_timeout = 50ms;

    std::thread serves([&serving] { serving.run(); });
    std::size_t allocations = 0;
    std::size_t ended = 0;
    for (auto how = end::served; how != end::all_had_memory; ++allocations) {
        INFO("allocation " << allocations);
        const auto id = ::fork();
        if (id == 0) ::_exit(static_cast<int>(live(options, allocations)));
        int status = 0;
        CHECK(::waitpid(id, &status, 0) == id);
        CHECK(WIFEXITED(status));
        if (!WIFEXITED(status)) break;
        how = static_cast<end>(WEXITSTATUS(status));
        CHECK(how != end::not_served);
        if (how == end::ended) ++ended;
    }
    asio::post(serving, [&server] { server.stop(); });
    serves.join();
    CHECK(allocations > 60);
    CHECK(ended < allocations / 4);
}
