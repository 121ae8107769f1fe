// Room http: parsing of responses.
// SPDX-License-Identifier: BSL-1.0
#include "http/response_parser.hpp"

#include <boost/beast/http/error.hpp>

#include <algorithm>

namespace dynalease::http {

namespace {
constexpr std::size_t small_read = 4 * 1024;
constexpr std::size_t large_read = 64 * 1024;
/// "0", CRLF, CRLF: the least that is still to come of a chunked body before its end.
constexpr std::size_t last_chunk = 5;
}  // namespace

void response_parser::message::on_body_init_impl(const boost::optional<std::uint64_t>& length, error_code&) {
    // The peer's word is not worth more memory than this before the bytes come.
    if (length) into_.reserve_body(static_cast<std::size_t>(std::min<std::uint64_t>(*length, large_read)));
}

void response_parser::reset() {
    into_.clear();
    message_.emplace(into_);
    message_->header_limit(limits_.head);
    message_->body_limit(limits_.body);
    message_->eager(true);
    interim_ = 0;
}

void response_parser::feed(boost::beast::flat_buffer& buffer, boost::system::error_code& error) {
    error = {};
    while (!done() && buffer.size() >= least()) {
        buffer.consume(message_->put(buffer.data(), error));
        if (error == boost::beast::http::error::need_more) {
            error = {};
            // Beast waits for the end of a chunk's line, and of the trailer, however long they get.
            if (buffer.size() > limits_.head) error = boost::beast::http::error::header_limit;
            return;
        }
        if (error) return;
        if (!done() || into_.status() / 100 != 1) continue;
        const auto seen = interim_ + 1;
        if (seen > limits_.interim) {
            error = boost::beast::http::error::bad_status;
            return;
        }
        reset();
        interim_ = seen;
    }
}

/// An older Beast (1.81) takes for granted that the last chunk does not come in smaller portions, even if it is the
/// first. A newer one (1.88) reads its line by itself, and what is left may be less.
std::size_t response_parser::least() const noexcept {
    const bool in_chunks = message_->is_header_done() && message_->chunked() && !message_->in_trailer();
    return in_chunks ? last_chunk : 1;
}

void response_parser::feed_end(boost::system::error_code& error) {
    error = {};
    message_->put_eof(error);
}

std::size_t response_parser::wanted() const noexcept {
    if (!message_->is_header_done()) return small_read;
    const auto remaining = message_->content_length_remaining();
    if (!remaining) return large_read;
    return static_cast<std::size_t>(std::clamp<std::uint64_t>(*remaining, small_read, large_read));
}

}  // namespace dynalease::http
