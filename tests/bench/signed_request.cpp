// How many signed UpdateItems one second of the client's CPU sends, beside a bare Beast loop that sends the same bytes
// to the same server in the same run, by turns.
#include "bare_loop.hpp"
#include "client/request_writer.hpp"
#include "dynamodb/codec.hpp"
#include "stub_server.hpp"

#include <dynalease/client.hpp>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>

#include <sys/resource.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

namespace {

namespace asio = boost::asio;

constexpr std::size_t in_flight = 64;
constexpr double required_ratio = 0.6;
constexpr auto stub_answer =
    "HTTP/1.1 200 OK\r\nServer: Server\r\nDate: Sat, 21 Nov 2026 12:00:00 GMT\r\n"
    "Content-Type: application/x-amz-json-1.0\r\nContent-Length: 2\r\nConnection: keep-alive\r\n"
    "x-amzn-RequestId: 0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789ABCDEF\r\nx-amz-crc32: 2745614147\r\n\r\n{}";

/// The shape of a heartbeat.
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

void client_loop(const dynalease::client_options& options, std::size_t count) {
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

/// The bytes that the client would send.
std::string signed_bytes(std::uint16_t port, const dynalease::credentials& keys) {
    dynalease::aws::endpoint where;
    where.host_header = "127.0.0.1:" + std::to_string(port);
    where.signing_region = "eu-central-1";
    const auto now = std::chrono::floor<std::chrono::milliseconds>(std::chrono::system_clock::now());
    std::string text;
    dynalease::request_writer(where).write(text, "UpdateItem", dynalease::codec::encode_request(beat()), keys, now);
    return text;
}

double cpu_seconds() {
    rusage used{};
    ::getrusage(RUSAGE_SELF, &used);
    const auto seconds = [](const timeval& time) {
        return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * 1e-6;
    };
    return seconds(used.ru_utime) + seconds(used.ru_stime);
}

template <class Body>
double rate(std::size_t count, Body body) {
    const auto before = cpu_seconds();
    body();
    return static_cast<double>(count) / (cpu_seconds() - before);
}

double median(std::vector<double> values) {
    std::sort(values.begin(), values.end());
    return values[values.size() / 2];
}

}  // namespace

int main(int argc, char** argv) {
    const std::size_t count = argc > 1 ? std::strtoul(argv[1], nullptr, 10) : 60'000;
    const bench::stub_server server(stub_answer);
    dynalease::client_options options;
    options.region = "eu-central-1";
    options.endpoint = "http://127.0.0.1:" + std::to_string(server.port());
    options.credentials = dynalease::credentials{"AKIDEXAMPLE", "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY"};
    const auto bytes = signed_bytes(server.port(), *options.credentials);

    std::vector<double> bare;
    std::vector<double> ours;
    for (int round = 0; round < 5; ++round) {
        bare.push_back(rate(count, [&]() { bench::bare_loop(server.port(), bytes, in_flight, count); }));
        ours.push_back(rate(count, [&]() { client_loop(options, count); }));
    }
    const auto ratio = median(ours) / median(bare);
    std::printf(
        "{\"bench\":\"signed_request\",\"value\":%.0f,\"unit\":\"requests/CPU second\","
        "\"reference\":\"bare Beast loop, same bytes, 64 in flight\",\"reference_value\":%.0f,\"ratio\":%.2f}\n",
        median(ours), median(bare), ratio);
    return ratio >= required_ratio ? 0 : 1;
}
