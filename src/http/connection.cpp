// Room http: the exchange. Plain sockets are written to at once, without a trip through the event loop: a request
// nearly always fits the socket's buffer.
// SPDX-License-Identifier: BSL-1.0
#include "http/connection.hpp"

#include <boost/asio/bind_executor.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/http/error.hpp>

#include <utility>

namespace dynalease::http {

namespace asio = boost::asio;

connection::connection(asio::any_io_executor executor, std::shared_ptr<deadlines> timing,
                       std::shared_ptr<asio::ssl::context> tls, response_limits limits, std::string_view id_header)
    : executor_(std::move(executor)),
      timing_(std::move(timing)),
      transport_(executor_, std::move(tls)),
      parser_(answer_, limits),
      ids_(id_header) {}

void connection::start(exchange_handler handler, clock::time_point until) {
    reused_ = std::exchange(used_, true);
    wrote_ = false;
    reusable_ = false;
    handler_.emplace(std::move(handler));
    const auto slot = asio::get_associated_cancellation_slot(*handler_);
    if (slot.is_connected()) {
        auto cancel = [this](asio::cancellation_type) { close(errc::cancelled); };
        asio::cancellation_slot(slot).assign(cancel);
    }
    timing_->add(*this, until);
    parser_.reset();
    if (const auto why = find_dead()) {
        asio::post(executor_, [self = shared_from_this(), why = *why]() {
            if (self->closed_for_) return self->ended({});
            self->finish(make_error_code(why));
        });
    } else {
        write();
    }
}

/// One system call, and worth it each time: a stray answer may be here a microsecond after the right one.
std::optional<errc> connection::find_dead() {
    if (closed_for_) return std::nullopt;
    const auto seen = transport_.look();
    if (seen == transport::sight::silent) return std::nullopt;
    if (seen == transport::sight::ended || reused_) return errc::server_error;
    if (transport_.tls() == nullptr) {
        flaw_ = answer_flaw::unasked;
        return errc::bad_response;
    }
    // Session tickets come unasked after the handshake and wait for the first answer; behind them only the state of
    // the connection tells whether the peer has closed.
    if (!transport_.is_established()) return errc::server_error;
    return std::nullopt;
}

void connection::write() {
    if (closed_for_ || transport_.tls() != nullptr) {
        wrote_ = !closed_for_;
        return write_rest(0);
    }
    error_code error;
    const auto size = transport_.socket().write_some(asio::buffer(request_), error);
    wrote_ = size != 0;
    if (!error && size == request_.size()) {
        // At once there would be nothing to read yet; in its turn there often is, which saves a system call and an
        // event.
        return asio::post(executor_, [self = shared_from_this()]() { self->read(); });
    }
    if (!error || error == asio::error::would_block) return write_rest(size);
    asio::post(executor_, [self = shared_from_this(), error]() { self->ended(error); });
}

void connection::write_rest(std::size_t already) {
    transport_.with_stream([&](auto& stream) {
        asio::async_write(stream, asio::buffer(request_) + already,
                          asio::bind_executor(executor_, [self = shared_from_this()](error_code error, std::size_t n) {
                              if (n != 0) self->wrote_ = true;
                              if (error) return self->ended(error);
                              self->read();
                          }));
    });
}

void connection::read() {
    transport_.with_stream([&](auto& stream) {
        stream.async_read_some(
            input_.prepare(parser_.wanted()),
            asio::bind_executor(executor_, [self = shared_from_this()](error_code error, std::size_t size) {
                self->received(error, size);
            }));
    });
}

void connection::received(error_code error, std::size_t size) {
    input_.commit(size);
    if (error && error != asio::error::eof) return ended(error);
    if (error) {
        if (parser_.started()) {
            parser_.feed_end(error);
            if (!error && parser_.done()) return finish({});
        }
        return ended(asio::error::eof);
    }
    parse();
}

void connection::parse() {
    error_code error;
    parser_.feed(input_, error);
    if (error) {
        const bool large = error == boost::beast::http::error::body_limit;
        return spoil(large ? answer_flaw::too_large : answer_flaw::malformed);
    }
    if (!parser_.done()) return read();
    if (ids_.is_repeated(answer_)) return spoil(answer_flaw::repeated);
    reusable_ = parser_.keep_alive() && !has_surplus() && !closed_for_;
    finish({});
}

/// Bytes that came with the answer and were not asked for.
bool connection::has_surplus() {
    return input_.size() != 0 || transport_.has_unread();
}

void connection::ended(const error_code&) {
    if (closed_for_) return finish(make_error_code(*closed_for_));
    if (parser_.started()) return spoil(answer_flaw::malformed);
    finish(make_error_code(errc::server_error));
}

void connection::spoil(answer_flaw what) {
    flaw_ = what;
    finish(make_error_code(errc::bad_response));
}

void connection::finish(error_code error) {
    timing_->remove(*this);
    if (const auto slot = asio::get_associated_cancellation_slot(*handler_); slot.is_connected()) {
        asio::cancellation_slot(slot).clear();
    }
    auto handler = *std::move(handler_);
    handler_.reset();
    std::move(handler)(error);
}

void connection::rest() {
    answer_.clear();
    if (request_.capacity() > kept_capacity) std::string().swap(request_);
}

void connection::abandon() noexcept {
    // Its frame may own the lease that owns this: taken out first, so that the end of one does not meet the other.
    const auto unheard = std::exchange(handler_, std::nullopt);
}

void connection::close(errc why) noexcept {
    if (!closed_for_) closed_for_ = why;
    reusable_ = false;
    transport_.close();
}

}  // namespace dynalease::http
