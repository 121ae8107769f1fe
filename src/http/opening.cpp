// Room http: the steps of opening a connection.
// SPDX-License-Identifier: BSL-1.0
#include "http/opening.hpp"

#include "http/tls.hpp"

#include <boost/asio/bind_executor.hpp>
#include <boost/asio/buffer.hpp>
#include <boost/asio/read_until.hpp>
#include <boost/asio/write.hpp>

#include <algorithm>
#include <utility>

namespace dynalease::http {

namespace asio = boost::asio;
using asio::ip::tcp;

namespace {

std::string to_string(const tcp_address& address) {
    const auto host = address.address().to_string();
    const auto text = address.address().is_v6() ? '[' + host + ']' : host;
    return text + ':' + std::to_string(address.port());
}

std::string tunnel_request(const endpoint& server, const proxy& by) {
    const bool is_v6 = server.host.find(':') != std::string::npos;
    const std::string where = (is_v6 ? "[" + server.host + "]" : server.host) + ':' + std::to_string(server.port);
    std::string text = "CONNECT " + where + " HTTP/1.1\r\nHost: " + where + "\r\n";
    if (!by.authorization.empty()) text += "Proxy-Authorization: " + by.authorization + "\r\n";
    return text + "\r\n";
}

/// The status and its words, as long as they are fit for an error.
std::string status_in(const std::string& answer) {
    constexpr std::size_t longest = 100;
    std::string line = answer.substr(0, std::min(answer.find('\r'), longest));
    for (char& c : line) {
        if (c < ' ' || c > '~') c = '?';
    }
    return line.starts_with("HTTP/") ? line.substr(std::min(line.find(' ') + 1, line.size()))
                                     : "an answer that is no HTTP";
}

}  // namespace

connector::opening::opening(std::shared_ptr<connector> owner, handler done)
    : owner_(std::move(owner)), done_(std::move(done)) {}

void connector::opening::find_addresses() {
    if (!done_) return;  // abandoned meanwhile
    const auto now = owner_->timing_->now();
    until_ = now + owner_->options_.timeout;
    // With addresses at hand that were good a while ago, a slow name service must not cost the whole time.
    const bool has_others = !owner_->addresses_.candidates().empty();
    owner_->timing_->add(*this, has_others ? now + owner_->options_.timeout / 4 : until_);
    owner_->find_addresses([self = shared_from_this()](const std::string& problem) {
        if (self->done_ && !self->started_) self->attempt([&] { self->start(problem); });
    });
}

void connector::opening::start(const std::string& problem) {
    started_ = true;
    candidates_ = owner_->addresses_.candidates();
    problem_ = problem;
    try_next();
}

void connector::opening::try_next() {
    if (next_ == candidates_.size()) return fail(code_, problem_);
    // An address that says nothing must leave time for the others, and the first has half of it: enough for a far one.
    const auto now = owner_->timing_->now();
    limit(next_ + 1 == candidates_.size() ? until_ : now + (until_ - now) / 2);
    const auto& options = owner_->options_;
    // A fresh one for each address: a socket that failed once is of no further use.
    connection_ = std::make_shared<http::connection>(owner_->world_.executor, owner_->timing_,
                                                     options.server.secure ? options.tls : nullptr, options.limits,
                                                     options.id_header);
    auto on_end = [self = shared_from_this(), tried = connection_](error_code error) {
        if (self->done_ && tried == self->connection_) self->attempt([&] { self->connected(error); });
    };
    connection_->transport().socket().async_connect(candidates_[next_],
                                                    asio::bind_executor(owner_->world_.executor, std::move(on_end)));
}

void connector::opening::connected(const error_code& error) {
    const auto& address = candidates_[next_];
    if (error) {
        return go_on(errc::unreachable, "cannot connect to " + to_string(address) + ": " + error.message());
    }
    limit(until_);
    owner_->addresses_.connected(address);
    auto& socket = connection_->transport().socket();
    error_code ignored;
    socket.set_option(tcp::no_delay(true), ignored);
    socket.non_blocking(true, ignored);
    if (connection_->transport().tls() == nullptr) return succeed();
    if (owner_->options_.proxy) return ask_for_tunnel();
    shake_hands();
}

void connector::opening::ask_for_tunnel() {
    const auto& options = owner_->options_;
    auto text = std::make_shared<std::string>(tunnel_request(options.server, *options.proxy));
    auto on_end = [self = shared_from_this(), tried = connection_, text](error_code error, std::size_t) {
        if (self->done_ && tried == self->connection_) self->attempt([&] { self->tunnel_asked(error, text); });
    };
    asio::async_write(connection_->transport().socket(), asio::buffer(*text),
                      asio::bind_executor(owner_->world_.executor, std::move(on_end)));
}

void connector::opening::tunnel_asked(const error_code& error, shared_text text) {
    const auto proxy = "the proxy " + to_string(candidates_[next_]);
    if (error) return go_on(errc::unreachable, proxy + ": " + error.message());
    constexpr std::size_t longest_answer = 16 * 1024;
    text->clear();
    auto into = asio::dynamic_buffer(*text, longest_answer);
    auto on_end = [self = shared_from_this(), tried = connection_, text](error_code failed, std::size_t size) {
        if (!self->done_ || tried != self->connection_) return;
        self->attempt([&] { self->tunnel_answered(failed, size, *text); });
    };
    asio::async_read_until(connection_->transport().socket(), into, "\r\n\r\n",
                           asio::bind_executor(owner_->world_.executor, std::move(on_end)));
}

void connector::opening::tunnel_answered(const error_code& error, std::size_t size, const std::string& text) {
    const auto proxy = "the proxy " + to_string(candidates_[next_]);
    if (error) return go_on(errc::unreachable, proxy + " opened no tunnel: " + error.message());
    const std::string status = status_in(text);
    if (!status.starts_with('2')) return go_on(errc::unreachable, proxy + " opened no tunnel: " + status);
    // A server says nothing before it is greeted.
    if (size != text.size()) return go_on(errc::unreachable, proxy + " speaks in the server's place");
    shake_hands();
}

void connector::opening::shake_hands() {
    auto* tls = connection_->transport().tls();
    if (!expect_server(tls->native_handle(), owner_->options_.server.host)) {
        return go_on(errc::tls_failed, "the server's name cannot be checked");
    }
    auto on_end = [self = shared_from_this(), tried = connection_](error_code error) {
        if (!self->done_) return;
        if (!error) return self->succeed();
        self->attempt([&] {
            const auto why = handshake_problem(tried->transport().tls()->native_handle(), error);
            self->go_on(errc::tls_failed, to_string(self->candidates_[self->next_]) + ": " + why);
        });
    };
    tls->async_handshake(asio::ssl::stream_base::client,
                         asio::bind_executor(owner_->world_.executor, std::move(on_end)));
}

void connector::opening::go_on(errc code, std::string problem) {
    owner_->addresses_.failed(candidates_[next_]);
    // That a server was there and was refused says more than that another was not there.
    if (code_ != errc::tls_failed || code == errc::tls_failed) {
        code_ = code;
        problem_ = std::move(problem);
    }
    connection_->close();
    ++next_;
    try_next();
}

void connector::opening::succeed() {
    owner_->timing_->remove(*this);
    std::exchange(done_, nullptr)({std::move(connection_), {}, {}});
}

void connector::opening::fail(errc code, std::string problem) {
    if (!done_) return;
    owner_->timing_->remove(*this);
    // Not reset: the operation that the closing ends still refers to it.
    if (connection_) connection_->close();
    std::exchange(done_, nullptr)({nullptr, make_error_code(code), std::move(problem)});
}

void connector::opening::out_of_time() {
    if (!started_) {
        const auto slow = "no answer from the name service for " + owner_->next_hop().host;
        return owner_->timing_->now() < until_ ? start(slow) : fail(errc::unreachable, slow);
    }
    if (owner_->timing_->now() >= until_) candidates_.resize(next_ + 1);  // no time for others
    go_on(errc::unreachable, "no connection to " + to_string(candidates_[next_]) + " within the connect timeout");
}

void connector::opening::limit(clock::time_point until) {
    owner_->timing_->remove(*this);
    owner_->timing_->add(*this, until);
}

}  // namespace dynalease::http
