// What the client costs with 1, 64 and 1000 signed requests in flight: CPU beside a bare Beast loop that sends the same
// bytes to the same server in the same run, memory asked for per request, and memory held by a connection at rest.
// SPDX-License-Identifier: BSL-1.0
#include "bare_loop.hpp"
#include "client_pipeline_heap.hpp"
#include "goals.hpp"
#include "signed_load.hpp"
#include "stub_server.hpp"

#include <dynalease/client.hpp>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>

#include <sys/resource.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>

namespace {

namespace asio = boost::asio;

constexpr double required_ratio = 0.65;      // with 64 in flight
constexpr double idle_budget = 16 * 1024.0;  // bytes
constexpr std::size_t at_rest = 256;

void print(const std::string& name, double value, const char* unit, const std::string& reference, double other) {
    std::printf(
        "{\"bench\":\"%s\",\"value\":%.1f,\"unit\":\"%s\",\"reference\":\"%s\",\"reference_value\":%.1f,"
        "\"ratio\":%.2f}\n",
        name.c_str(), value, unit, reference.c_str(), other, value / other);
    std::fflush(stdout);
}

/// One connection for each request in flight, on both sides.
double pipeline(const bench::stub_server& server, std::size_t in_flight, std::size_t count) {
    auto options = bench::client_of(server.port());
    options.connections = in_flight;
    options.timeout = options.attempt_timeout = options.connect_timeout = std::chrono::seconds(30);
    const auto found = bench::beside_bare_loop(server.port(), options, in_flight, count);
    const auto width = std::to_string(in_flight);
    print("client_pipeline_" + width, found.ours, "requests/CPU second",
          "bare Beast loop, same bytes, " + width + " in flight", found.bare);
    return found.ratio();
}

/// Of requests one by one, without the first ones.
template <class Body>
double allocations(std::size_t count, Body body) {
    const auto run = [&](std::size_t requests) {
        const auto before = bench::heap().allocations;
        body(requests);
        return static_cast<double>(bench::heap().allocations - before);
    };
    return (run(2 * count) - run(count)) / static_cast<double>(count);
}

void allocations_per_request(const bench::stub_server& server, std::size_t count) {
    const auto options = bench::client_of(server.port());
    const auto bytes = bench::signed_bytes(server.port());
    const auto ours = allocations(count, [&](std::size_t n) { bench::client_loop(options, 1, n); });
    const auto bare = allocations(count, [&](std::size_t n) { bench::bare_loop(server.port(), bytes, 1, n); });
    print("client_allocations", ours, "allocations/request", "bare Beast loop", bare);
}

asio::awaitable<void> look(dynalease::database database) {
    dynalease::get_item_request request;
    request.table_name = "coordination";
    request.key.emplace("pk", "row");
    const auto answer = co_await database.call(std::move(request));
    if (!answer) throw dynalease::error(answer.error().code, answer.error().details);
}

/// What the client holds with so many connections at rest.
double held(const dynalease::client_options& options, std::size_t connections) {
    const auto before = bench::heap().bytes;
    asio::io_context io{1};
    dynalease::client client(io.get_executor(), options);
    for (std::size_t i = 0; i < connections; ++i) {
        asio::co_spawn(client.get_executor(), look(client), [](std::exception_ptr failure) {
            if (failure) std::rethrow_exception(failure);
        });
    }
    io.run();
    if (client.counters().connections_open != connections) throw std::runtime_error("they were not open at once");
    return static_cast<double>(bench::heap().bytes - before);
}

double idle_connection(const bench::stub_server& server) {
    auto options = bench::client_of(server.port());
    options.connections = at_rest;
    const auto bytes = (held(options, at_rest) - held(options, 1)) / static_cast<double>(at_rest - 1);
    print("client_idle_connection", bytes, "bytes", "budget", idle_budget);
    return bytes;
}

void allow_many_connections() {
    rlimit limit{};
    ::getrlimit(RLIMIT_NOFILE, &limit);
    limit.rlim_cur = std::min<rlim_t>(limit.rlim_max, 4096);
    ::setrlimit(RLIMIT_NOFILE, &limit);
}

}  // namespace

int main(int argc, char** argv) {
    const std::size_t count = argc > 1 ? std::strtoul(argv[1], nullptr, 10) : 60'000;
    allow_many_connections();
    const bench::stub_server server(bench::update_answer());
    pipeline(server, 1, count / 2);
    const auto ratio = pipeline(server, 64, count);
    pipeline(server, 1000, count);
    allocations_per_request(server, 1000);
    bench::goals reached;
    reached.at_least("client_pipeline_64", ratio, required_ratio);
    reached.at_most("client_idle_connection", idle_connection(server), idle_budget);
    return reached.status();
}
