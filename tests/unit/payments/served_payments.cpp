// The server, and a peer.
// SPDX-License-Identifier: BSL-1.0
#include "served_payments.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/deferred.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>

#include <array>
#include <exception>
#include <stdexcept>

namespace payments::tests {

namespace {

constexpr auto no_throw = asio::as_tuple(asio::use_awaitable);

dynalease::client_options options_for(const dynalease::local::server& store) {
    dynalease::client_options options;
    options.region = "us-east-1";
    options.endpoint = store.endpoint();
    options.credentials = dynalease::credentials{"local", "local"};
    return options;
}
dynalease::session_options session_here() {
    dynalease::session_options options;
    options.table = coordination_table;
    return options;
}

}  // namespace

asio::awaitable<std::optional<charge_answer>> quick_bank::charge(charge_order order) {
    if (silent) {
        asio::steady_timer never(executor, 1h);
        co_await never.async_wait(asio::use_awaitable);
    }
    co_return *book.charge(order, order.key(), false);
}

served_payments::served_payments(control how, web::server_limits limits)
    : client(io.get_executor(), options_for(store)),
      session(client, session_here()),
      rows(client),
      bank(io.get_executor()),
      intents(make_repository(how, rows, session, {})),
      requests(rows, 6s),
      front({*intents, requests, bank, [this] { return "pi_" + client.environment().new_id(); }, signature,
             client.environment().clock}),
      operations({client, session, rows, front}) {
    run(create_tables(client));
    server.emplace(
        io.get_executor(), 0,
        [this](const web::request& asked) {
            return operations.knows(asked) ? operations.handle(asked) : front.handle(asked);
        },
        limits);
    operations.serve_with(*server);
    asio::co_spawn(io, server->run(), [](std::exception_ptr) {});
}

served_payments::~served_payments() {
    asio::co_spawn(io, server->drain(2s), [](std::exception_ptr) {});
    run_for(20ms);
    client.close();
    io.stop();
}

void served_payments::run(asio::awaitable<void> work) {
    std::optional<std::exception_ptr> ended;
    asio::co_spawn(io, std::move(work), [&](std::exception_ptr failure) { ended = failure; });
    io.restart();
    while (!ended) io.run_one();
    if (*ended) std::rethrow_exception(*ended);
}

void served_payments::run_for(std::chrono::milliseconds time) {
    io.restart();
    io.run_for(time);
}

asio::awaitable<void> converse(std::uint16_t port, std::string bytes, bool half_closes, std::shared_ptr<heard> into) {
    asio::ip::tcp::socket socket(co_await asio::this_coro::executor);
    const asio::ip::tcp::endpoint where(asio::ip::address_v4::loopback(), port);
    auto [unreachable] = co_await socket.async_connect(where, no_throw);
    if (unreachable) co_return;
    co_await asio::async_write(socket, asio::buffer(bytes), no_throw);
    boost::system::error_code ignored;
    if (half_closes) socket.shutdown(asio::ip::tcp::socket::shutdown_send, ignored);
    std::array<char, 4096> piece;
    for (;;) {
        auto [end, more] = co_await socket.async_read_some(asio::buffer(piece), no_throw);
        if (end) break;
        into->text.append(piece.data(), more);
    }
    into->closed = true;
}

heard served_payments::exchange(std::string bytes, bool half_closes, std::chrono::milliseconds limit) {
    auto into = std::make_shared<heard>();
    asio::co_spawn(io, converse(server->port(), std::move(bytes), half_closes, into), [](std::exception_ptr) {});
    const auto deadline = std::chrono::steady_clock::now() + limit;
    io.restart();
    while (!into->closed && std::chrono::steady_clock::now() < deadline) io.run_one_until(deadline);
    return *into;
}

heard served_payments::ask(const std::string& method, const std::string& target, const std::string& body,
                           const std::string& fields) {
    auto text = method + " " + target + " HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n" + fields;
    if (!body.empty()) text += "Content-Type: application/json\r\n";
    if (!body.empty() || method == "POST") text += "Content-Length: " + std::to_string(body.size()) + "\r\n";
    return exchange(text + "\r\n" + body);
}

heard served_payments::deliver(const std::string& answer, std::chrono::seconds ago) {
    const auto now = std::chrono::floor<std::chrono::seconds>(client.environment().clock->wall());
    const auto signed_so = signature.sign(answer, now - ago);
    return ask("POST", "/gateway/answers", answer, std::string(answer_signature::field) + ": " + signed_so + "\r\n");
}

std::string served_payments::make_intent() {
    const auto made = ask("POST", "/payment_intents", R"({"customer":"c","amount":100,"currency":"USD"})");
    if (made.status() != 201) throw std::runtime_error(made.text);
    const auto begin = made.text.find("pi_");
    return made.text.substr(begin, made.text.find_first_of("\"\r", begin) - begin);
}

}  // namespace payments::tests
