// The chain of callbacks of one connection: one read and one write per request.
// SPDX-License-Identifier: BSL-1.0
#include "local/http/connection.hpp"

#include <boost/asio/buffer.hpp>
#include <boost/asio/write.hpp>

#include <algorithm>
#include <new>
#include <utility>

namespace dynalease::local {

namespace asio = boost::asio;

namespace {

constexpr std::size_t read_size = 8 * 1024;
/// A buffer that grew beyond this for one large request is given back after it.
constexpr std::size_t kept_size = memory_budget::free_size;

constexpr unsigned internal_error = 500;
constexpr unsigned unavailable = 503;

reply plain(unsigned status, std::string text) {
    return {status, "text/plain", std::move(text)};
}

}  // namespace

connection::connection(std::shared_ptr<shared_service> service, asio::ip::tcp::socket socket)
    : service_(std::move(service)), socket_(std::move(socket)), share_(service_->memory, [this] { close(); }) {
    boost::system::error_code ignored;
    socket_.set_option(asio::ip::tcp::no_delay(true), ignored);
    last_heard_ = service_->clock->now();
    place_ = service_->open.insert(service_->open.end(), this);
}

connection::~connection() {
    service_->open.erase(place_);
}

void shared_service::close_silent(std::chrono::nanoseconds silence) {
    const time_point since = clock->now() - silence;
    for (connection* each : open) {
        if (each->last_heard() > since) return;
        each->close();
    }
}

void connection::note_activity() {
    last_heard_ = service_->clock->now();
    service_->open.splice(service_->open.end(), service_->open, place_);
}

void connection::close() noexcept {
    boost::system::error_code ignored;
    socket_.close(ignored);
}

void connection::read() {
    // Room for what has come, once more, and not for what was only announced.
    const std::size_t missing = wanted_ > in_.size() ? wanted_ - in_.size() : 0;
    const auto space = in_.prepare(std::max(read_size, std::min(missing, in_.size())));
    if (!has_room_for(in_.capacity())) return put_off();
    socket_.async_read_some(space, [self = shared_from_this()](boost::system::error_code error, std::size_t count) {
        if (error) return;
        self->note_activity();
        self->in_.commit(count);
        self->proceed();
    });
}

template <class Step>
void connection::attempt(Step step) noexcept {
    unsigned status = internal_error;
    try {
        return step();
    } catch (const std::bad_alloc&) {
        status = unavailable;
    } catch (...) {
    }
    // Its own memory comes back first; if there is none for these few words either, it ends.
    try {
        give_up(status);
    } catch (...) {
        close();
    }
}

void connection::proceed() {
    attempt([this] { answer_or_read(); });
}

void connection::answer_or_read() {
    if (in_.size() == 0 || in_.size() < wanted_) return read();
    const std::string_view bytes(static_cast<const char*>(in_.data().data()), in_.size());
    const request_head head = parse_head(bytes, request_);
    if (head.what == request_head::status::incomplete) return read();
    if (head.what != request_head::status::complete) return refuse(head.what);
    wanted_ = head.size + head.content_length;
    if (bytes.size() < wanted_) return head.expects_continue && bytes.size() == head.size ? go_ahead() : read();
    request_.body = bytes.substr(head.size, head.content_length);
    prepare_answer(head);
}

void connection::go_ahead() {
    constexpr std::string_view text = "HTTP/1.1 100 Continue\r\n\r\n";
    asio::async_write(socket_, asio::buffer(text.data(), text.size()),
                      [self = shared_from_this()](boost::system::error_code error, std::size_t) {
                          if (!error) self->attempt([&] { self->read(); });
                      });
}

void connection::prepare_answer(const request_head& head) {
    const auto now = service_->clock->wall();
    const reply answer = service_->requests.answer(request_, now);
    service_->responses.write(answer, head.keep_alive, now, out_);
    in_.consume(wanted_);
    wanted_ = 0;
    if (in_.capacity() > kept_size) in_.shrink_to_fit();
    if (!has_room_for(out_.size())) return put_off();
    if (service_->latency.count() > 0) return send_later(head.keep_alive);
    send(head.keep_alive);
}

void connection::refuse(request_head::status why) {
    reply answer = plain(400, "Bad Request\n");
    if (why == request_head::status::too_large) answer = plain(413, "Request Entity Too Large\n");
    if (why == request_head::status::no_length) answer = plain(411, "Length Required\n");
    service_->responses.write(answer, false, service_->clock->wall(), out_);
    send(false);
}

void connection::put_off() {
    give_up(unavailable);
}

void connection::give_up(unsigned status) {
    in_.clear();
    in_.shrink_to_fit();
    std::string().swap(out_);
    share_.release();
    const reply instead = plain(status, status == unavailable ? "Service Unavailable\n" : "Internal Server Error\n");
    service_->responses.write(instead, false, service_->clock->wall(), out_);
    send(false);
}

void connection::send_later(bool keep_alive) {
    const auto when = service_->clock->now() + service_->latency;
    service_->clock->async_wait_until(when, [self = shared_from_this(), keep_alive](boost::system::error_code error) {
        if (!error && self->socket_.is_open()) self->attempt([&] { self->send(keep_alive); });
    });
}

void connection::send(bool keep_alive) {
    asio::async_write(socket_, asio::buffer(out_),
                      [self = shared_from_this(), keep_alive](boost::system::error_code error, std::size_t) {
                          if (error) return;
                          self->note_activity();
                          if (self->out_.capacity() > kept_size) std::string().swap(self->out_);
                          self->share_.release();
                          if (keep_alive) return self->proceed();
                          self->finish();
                      });
}

void connection::finish() noexcept {
    boost::system::error_code error;
    socket_.shutdown(asio::ip::tcp::socket::shutdown_send, error);
    constexpr std::size_t patience = 64 * 1024 * 1024;
    if (!error) discard_rest(patience);
}

/// Closing with unread bytes would reset the connection, and the peer could lose the answer.
void connection::discard_rest(std::size_t left) noexcept {
    try {
        in_.clear();
        socket_.async_read_some(in_.prepare(read_size),
                                [self = shared_from_this(), left](boost::system::error_code error, std::size_t count) {
                                    if (!error && count < left) self->discard_rest(left - count);
                                });
    } catch (...) {
        close();
    }
}

}  // namespace dynalease::local
