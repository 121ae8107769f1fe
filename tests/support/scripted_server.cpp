// Test support: the scripted peer.
// SPDX-License-Identifier: BSL-1.0
#include "support/scripted_server.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/buffer.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/read.hpp>
#include <boost/asio/read_until.hpp>
#include <boost/asio/ssl/stream.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>

#include <map>
#include <set>

namespace support {

namespace asio = boost::asio;
using asio::ip::tcp;

namespace {
constexpr auto quietly = asio::as_tuple(asio::use_awaitable);

std::size_t content_length(std::string_view head) {
    constexpr std::string_view name = "Content-Length: ";
    const auto at = head.find(name);
    return at == std::string_view::npos ? 0 : std::stoul(std::string(head.substr(at + name.size(), 10)));
}
}  // namespace

std::string answer(unsigned status, std::string_view body, std::string_view more_headers) {
    return "HTTP/1.1 " + std::to_string(status) + " Said\r\n" + std::string(more_headers) +
           "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" + std::string(body);
}

struct scripted_server::state {
    state(const asio::any_io_executor& executor, script what, std::shared_ptr<asio::ssl::context> context)
        : acceptor(executor, {asio::ip::address_v4::loopback(), 0}),
          behaviour(std::move(what)),
          tls(std::move(context)) {}

    tcp::acceptor acceptor;
    script behaviour;
    std::shared_ptr<asio::ssl::context> tls;
    std::vector<std::string> requests;
    std::set<tcp::socket*> open;
    std::map<tcp::socket*, std::function<void(std::string_view)>> voices;
    std::size_t connections = 0;
};

namespace {

template <class State, class Stream>
asio::awaitable<void> converse(std::shared_ptr<State> self, Stream& stream) {
    std::string input;
    for (;;) {
        const auto [failed, head] =
            co_await asio::async_read_until(stream, asio::dynamic_buffer(input), "\r\n\r\n", quietly);
        if (failed) co_return;
        const auto whole = head + content_length(std::string_view(input).substr(0, head));
        if (input.size() < whole) {
            const auto [cut, more] = co_await asio::async_read(stream, asio::dynamic_buffer(input),
                                                               asio::transfer_exactly(whole - input.size()), quietly);
            if (cut) co_return;
        }
        self->requests.push_back(input.substr(0, whole));
        input.erase(0, whole);
        const auto what = self->behaviour(self->requests.size() - 1, self->requests.back());
        if (what.before) what.before();
        if (!what.bytes.empty()) co_await asio::async_write(stream, asio::buffer(what.bytes), quietly);
        if (what.close) co_return;
    }
}

template <class State, class Stream>
void lend_voice(State& self, tcp::socket& of, Stream& stream) {
    self.voices[&of] = [&stream](std::string_view bytes) {
        boost::system::error_code ignored;
        asio::write(stream, asio::buffer(bytes), ignored);
    };
}

template <class State>
asio::awaitable<void> serve(std::shared_ptr<State> self, tcp::socket socket) {
    self->open.insert(&socket);
    if (self->tls) {
        asio::ssl::stream<tcp::socket&> stream(socket, *self->tls);
        const auto [failed] = co_await stream.async_handshake(asio::ssl::stream_base::server, quietly);
        if (!failed) {
            lend_voice(*self, socket, stream);
            co_await converse(self, stream);
        }
    } else {
        lend_voice(*self, socket, socket);
        co_await converse(self, socket);
    }
    self->voices.erase(&socket);
    self->open.erase(&socket);
}

template <class State>
asio::awaitable<void> accept(std::shared_ptr<State> self) {
    for (;;) {
        auto [failed, socket] = co_await self->acceptor.async_accept(quietly);
        if (failed) co_return;
        ++self->connections;
        asio::co_spawn(socket.get_executor(), serve(self, std::move(socket)), asio::detached);
    }
}

}  // namespace

scripted_server::scripted_server(const asio::any_io_executor& executor, script behaviour,
                                 std::shared_ptr<asio::ssl::context> tls)
    : state_(std::make_shared<state>(executor, std::move(behaviour), std::move(tls))) {
    asio::co_spawn(executor, accept(state_), asio::detached);
}

scripted_server::~scripted_server() {
    stop();
}

std::uint16_t scripted_server::port() const {
    return state_->acceptor.local_endpoint().port();
}
std::size_t scripted_server::connections() const {
    return state_->connections;
}
const std::vector<std::string>& scripted_server::requests() const {
    return state_->requests;
}

void scripted_server::say(std::string_view bytes) {
    for (const auto& [socket, voice] : state_->voices) voice(bytes);
}

void scripted_server::hang_up() {
    for (auto* socket : state_->open) {
        boost::system::error_code ignored;
        socket->close(ignored);
    }
}

void scripted_server::stop() {
    boost::system::error_code ignored;
    state_->acceptor.close(ignored);
    hang_up();
}

}  // namespace support
