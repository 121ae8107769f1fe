// Bench support: the signed load.
// SPDX-License-Identifier: BSL-1.0
#include "signed_load.hpp"

#include "bare_loop.hpp"
#include "median.hpp"

#include "client/request_writer.hpp"
#include "client/user_agent.hpp"
#include "dynamodb/codec.hpp"

#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>

#include <sys/resource.h>

#include <chrono>
#include <utility>
#include <vector>

namespace bench {

namespace {

namespace asio = boost::asio;

dynalease::update_item_request beat() {
    dynalease::update_item_request request;
    request.table_name = "coordination";
    request.key.emplace("pk", "session#0123456789012345678901");
    request.key.emplace("sk", "-");
    request.update_expression = "SET #beat = :beat";
    request.condition_expression = "#owner = :owner";
    request.names = {{"#beat", "beat"}, {"#owner", "owner"}};
    request.values.emplace(":beat", 123'456);
    request.values.emplace(":owner", "billing-7");
    request.current_on_refusal = true;
    return request;
}

asio::awaitable<void> send(dynalease::database database, const dynalease::update_item_request& request,
                           std::size_t& left) {
    while (left != 0) {
        --left;
        auto copy = request;
        const auto answer = co_await database.call(std::move(copy));
        if (!answer) throw dynalease::error(answer.error().code, answer.error().details);
    }
}

double cpu_seconds() {
    rusage used{};
    ::getrusage(RUSAGE_SELF, &used);
    const auto seconds = [](const timeval& time) {
        return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * 1e-6;
    };
    return seconds(used.ru_utime) + seconds(used.ru_stime);
}

/// How many of `count` things a second of CPU time does.
template <class Body>
double rate(std::size_t count, Body body) {
    const auto before = cpu_seconds();
    body();
    return static_cast<double>(count) / (cpu_seconds() - before);
}

}  // namespace

std::string_view update_answer() noexcept {
    return "HTTP/1.1 200 OK\r\nServer: Server\r\nDate: Sat, 21 Nov 2026 12:00:00 GMT\r\n"
           "Content-Type: application/x-amz-json-1.0\r\nContent-Length: 2\r\nConnection: keep-alive\r\n"
           "x-amzn-RequestId: 0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789ABCDEF\r\nx-amz-crc32: "
           "2745614147\r\n\r\n{}";
}

dynalease::client_options client_of(std::uint16_t port) {
    dynalease::client_options options;
    options.region = "eu-central-1";
    options.endpoint = "http://127.0.0.1:" + std::to_string(port);
    options.credentials = dynalease::credentials{"AKIDEXAMPLE", "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY"};
    return options;
}

void client_loop(const dynalease::client_options& options, std::size_t in_flight, std::size_t count) {
    asio::io_context io{1};
    dynalease::client client(io.get_executor(), options);
    const auto request = beat();
    for (std::size_t i = 0; i < in_flight; ++i) {
        asio::co_spawn(client.get_executor(), send(client, request, count), [](std::exception_ptr failure) {
            if (failure) std::rethrow_exception(failure);
        });
    }
    io.run();
}

std::string signed_bytes(std::uint16_t port) {
    dynalease::aws::endpoint where;
    where.host_header = "127.0.0.1:" + std::to_string(port);
    where.signing_region = "eu-central-1";
    const auto now = std::chrono::floor<std::chrono::milliseconds>(std::chrono::system_clock::now());
    const auto keys = *client_of(port).credentials;
    std::string text;
    dynalease::detail::request_writer(where, dynalease::detail::user_agent({}))
        .write(text, "UpdateItem", dynalease::codec::encode_request(beat()), keys, now);
    return text;
}

rates beside_bare_loop(std::uint16_t port, const dynalease::client_options& options, std::size_t in_flight,
                       std::size_t count) {
    const auto bytes = signed_bytes(port);
    std::vector<double> ours;
    std::vector<double> bare;
    for (int round = 0; round < 5; ++round) {
        bare.push_back(rate(count, [&]() { bare_loop(port, bytes, in_flight, count); }));
        ours.push_back(rate(count, [&]() { client_loop(options, in_flight, count); }));
    }
    return {.ours = median(std::move(ours)), .bare = median(std::move(bare))};
}

}  // namespace bench
