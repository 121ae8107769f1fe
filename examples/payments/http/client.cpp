// One exchange at a time on each connection.
// SPDX-License-Identifier: BSL-1.0
#include "payments/http/client.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/beast/http/read.hpp>
#include <boost/beast/http/write.hpp>

#include <utility>

namespace asio = boost::asio;
namespace beast = boost::beast;
using asio::ip::tcp;

namespace payments::web {

namespace {

constexpr auto silent = asio::as_tuple(asio::use_awaitable);

}  // namespace

request client::make(http::verb method, std::string target, std::string body) {
    request made{method, target, 11};
    made.set(http::field::host, "localhost");
    if (!body.empty()) made.set(http::field::content_type, "application/json");
    made.body() = std::move(body);
    made.prepare_payload();
    return made;
}

asio::awaitable<std::optional<response>> client::ask(request wanted) {
    std::list<beast::tcp_stream> mine;
    if (!kept_.empty()) {
        mine.splice(mine.begin(), kept_, kept_.begin());
        auto asking = ask_on(mine.front(), wanted);
        auto answer = co_await std::move(asking);
        if (answer && answer->keep_alive()) kept_.splice(kept_.begin(), mine);
        if (answer) co_return answer;
        mine.clear();
    }
    mine.emplace_back(executor_);
    auto& stream = mine.front();
    stream.expires_after(patience_);
    const tcp::endpoint where(asio::ip::address_v4::loopback(), port_);
    auto [refused] = co_await stream.async_connect(where, silent);
    if (refused) co_return std::nullopt;
    auto asking = ask_on(stream, wanted);
    auto answer = co_await std::move(asking);
    if (answer && answer->keep_alive()) kept_.splice(kept_.begin(), mine);
    co_return answer;
}

asio::awaitable<std::optional<response>> client::ask_on(beast::tcp_stream& stream, const request& wanted) {
    stream.expires_after(patience_);
    auto [unsent, written] = co_await http::async_write(stream, wanted, silent);
    if (unsent) co_return std::nullopt;
    beast::flat_buffer buffer;
    response answer;
    auto [unread, read] = co_await http::async_read(stream, buffer, answer, silent);
    if (unread) co_return std::nullopt;
    co_return answer;
}

}  // namespace payments::web
