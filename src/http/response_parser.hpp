// From bytes to a response: Beast's parser without its header container, which allocates for each field.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "http/response.hpp"

#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http/basic_parser.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace dynalease::http {

struct response_limits {
    std::uint32_t head = 64 * 1024;  ///< also the line before a chunk, and the trailer behind the last
    std::uint64_t body = 32 * 1024 * 1024;
    unsigned interim = 8;  ///< "100 Continue" and its like before one response
};

class response_parser {
public:
    response_parser(response& into, response_limits limits) : into_(into), limits_(limits) {}

    void reset();
    /// Of the responses after the next `reset`.
    void limit_body(std::uint64_t size) noexcept { limits_.body = size; }
    /// Takes from `buffer` what belongs to the response. Afterwards either `done()`, an error, or more bytes needed;
    /// what stays in the buffer then is no longer than `response_limits::head`.
    void feed(boost::beast::flat_buffer& buffer, boost::system::error_code& error);
    /// The peer has closed: completes a body that has no length of its own.
    void feed_end(boost::system::error_code& error);

    bool started() const noexcept { return message_ && message_->got_some(); }
    bool done() const noexcept { return message_ && message_->is_done(); }
    bool keep_alive() const noexcept { return message_->keep_alive(); }
    /// A good size for the next read.
    std::size_t wanted() const noexcept;

private:
    using string_view = boost::beast::string_view;
    using error_code = boost::beast::error_code;

    /// From Boost 1.92 on a trailer's fields are told by this function, which others do not know.
    class trailing_parser : public boost::beast::http::basic_parser<false> {
        virtual void on_trailer_field_impl(boost::beast::http::field, string_view, string_view, error_code&) {}
    };

    class message : public trailing_parser {
    public:
        explicit message(response& into) : into_(into) {}
        /// The line of the last chunk was read.
        bool in_trailer() const noexcept { return in_trailer_; }

    private:
        void on_request_impl(boost::beast::http::verb, string_view, string_view, int, error_code&) override {}
        void on_response_impl(int status, string_view, int, error_code&) override {
            into_.set_status(static_cast<unsigned>(status));
        }
        void on_field_impl(boost::beast::http::field, string_view name, string_view value, error_code&) override {
            // What comes behind the body is no header, with any Beast.
            if (!in_trailer_) into_.add_header({name.data(), name.size()}, {value.data(), value.size()});
        }
        void on_header_impl(error_code&) override {}
        void on_body_init_impl(const boost::optional<std::uint64_t>& length, error_code&) override;
        std::size_t on_body_impl(string_view body, error_code&) override {
            into_.add_body({body.data(), body.size()});
            return body.size();
        }
        void on_chunk_header_impl(std::uint64_t size, string_view, error_code&) override { in_trailer_ = size == 0; }
        std::size_t on_chunk_body_impl(std::uint64_t, string_view body, error_code&) override {
            into_.add_body({body.data(), body.size()});
            return body.size();
        }
        void on_finish_impl(error_code&) override {}

        response& into_;
        bool in_trailer_ = false;
    };

    std::size_t least() const noexcept;

    response& into_;
    response_limits limits_;
    std::optional<message> message_;
    unsigned interim_ = 0;
};

}  // namespace dynalease::http
