// A server of the payment system in this process, on real sockets, and peers that send it whatever they like.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "payments/gateway/charge_book.hpp"
#include "payments/gateway/gateway.hpp"
#include "payments/http/front.hpp"
#include "payments/http/operations.hpp"
#include "payments/http/server.hpp"
#include "payments/repositories/make_repository.hpp"
#include "payments/repositories/request_store.hpp"

#include <dynalease/client.hpp>
#include <dynalease/local/server.hpp>
#include <dynalease/session.hpp>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <utility>

namespace payments::tests {

namespace asio = boost::asio;
using namespace std::chrono_literals;

/// A gateway that answers at once; or not at all, for as long as anybody waits.
struct quick_bank final : gateway {
    explicit quick_bank(asio::any_io_executor where) : executor(std::move(where)) {}
    asio::awaitable<std::optional<charge_answer>> charge(charge_order order) override;
    asio::awaitable<bool> submit(charge_order) override { co_return true; }
    asio::awaitable<enquiry> ask(std::string) override { co_return enquiry{}; }

    asio::any_io_executor executor;
    charge_book book;
    bool silent = false;
};

/// What came back, to the end of the connection.
struct heard {
    std::string text;
    bool closed = false;  ///< by the server

    int status() const { return text.size() > 12 ? std::stoi(text.substr(9, 3)) : 0; }
    bool has(const std::string& part) const { return text.find(part) != std::string::npos; }
};

class served_payments {
public:
    explicit served_payments(control how = control::pessimistic, web::server_limits limits = {});
    ~served_payments();

    /// Sends the bytes and reads until the server closes. @param half_closes: says first that nothing more will come
    heard exchange(std::string bytes, bool half_closes = false, std::chrono::milliseconds limit = 10s);
    /// A request with a body, or without.
    heard ask(const std::string& method, const std::string& target, const std::string& body = {},
              const std::string& fields = {});
    /// An answer of the gateway, with its signature, made so long ago.
    heard deliver(const std::string& answer, std::chrono::seconds ago = 0s);
    /// An intent that was just made.
    std::string make_intent();
    /// Runs until the work is done; throws what it throws.
    void run(asio::awaitable<void> work);
    void run_for(std::chrono::milliseconds time);

    asio::io_context io{1};
    dynalease::local::server store{io.get_executor()};
    dynalease::client client;
    dynalease::session session;
    tables rows;
    quick_bank bank;
    std::unique_ptr<intent_repository> intents;
    request_store requests;
    answer_signature signature{"a secret of the gateway and of us"};
    web::front front;
    web::operations operations;
    std::optional<web::server> server;
};

asio::awaitable<void> converse(std::uint16_t port, std::string bytes, bool half_closes, std::shared_ptr<heard> into);

}  // namespace payments::tests
