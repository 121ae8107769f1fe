// One kept-alive connection, plain or TLS, and the one exchange it may carry at a time.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "http/answer_ids.hpp"
#include "http/deadlines.hpp"
#include "http/response_parser.hpp"
#include "http/transport.hpp"

#include <dynalease/error.hpp>

#include <boost/asio/any_completion_handler.hpp>
#include <boost/asio/async_result.hpp>
#include <boost/beast/core/flat_buffer.hpp>

#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace dynalease::http {

/// What is wrong with an answer that ended as `errc::bad_response`.
enum class answer_flaw {
    malformed,  ///< no HTTP, or cut
    too_large,  ///< more than `response_limits::body`, or what `limit_answer` said
    repeated,   ///< it bears the id of the answer before: it is that one, once more
    unasked,    ///< it came before the first request was sent
};

/// Lives on the environment's executor. While an exchange runs it keeps itself alive.
class connection : public std::enable_shared_from_this<connection>, private deadline {
public:
    /// @param id_header a header by which the server's answers differ, if there is one
    connection(boost::asio::any_io_executor executor, std::shared_ptr<deadlines> timing,
               std::shared_ptr<boost::asio::ssl::context> tls, response_limits limits, std::string_view id_header = {});

    /// The bytes to send; to be filled before `exchange`. Its memory is used again.
    std::string& request() noexcept { return request_; }
    /// How many bytes the answers to the exchanges to come may have, in place of `response_limits::body`.
    void limit_answer(std::uint64_t size) noexcept { parser_.limit_body(size); }
    /// Valid until the next exchange or `rest`.
    const response& answer() const noexcept { return answer_; }

    /// Sends `request()` and reads `answer()`. Its handler, `void(error_code)`, must belong to the environment's
    /// executor and is called on it exactly once, never inside this call.
    ///
    /// What can be read before the first byte is written answers an earlier request, or none; were it taken for this
    /// one's answer, every later answer would belong to the request before. So nothing is sent then.
    ///
    /// Errors: `errc::timeout` at the deadline; `errc::server_error` when the peer closed before it answered, or a
    /// reused connection had something to say unasked; `errc::bad_response` for an answer with a `flaw`;
    /// `errc::cancelled`; `errc::shut_down` after `close`.
    /// Cancellation, of any type, closes the connection: the request may have been served.
    template <class Token>
    auto exchange(clock::time_point until, Token&& token) {
        return boost::asio::async_initiate<Token, void(error_code)>(
            [](auto handler, connection* self, clock::time_point when) {
                self->start(exchange_handler(std::move(handler)), when);
            },
            token, this, until);
    }

    /// Whether a byte of the last request was handed to the socket: if not, surely nothing happened.
    bool wrote() const noexcept { return wrote_; }
    /// Whether another exchange came before it: only then can the connection have died unseen.
    bool reused() const noexcept { return reused_; }
    /// Whether another exchange may follow.
    bool reusable() const noexcept { return reusable_; }
    /// After `errc::bad_response`.
    answer_flaw flaw() const noexcept { return flaw_; }
    /// Between exchanges: forgets the answer, and gives back memory that only a large one needs.
    void rest();
    /// An exchange under way fails with `why`.
    void close(errc why = errc::shut_down) noexcept;
    /// When the loop will never run again: destroys the handler of an exchange under way.
    void abandon() noexcept;

    /// For who opens it.
    http::transport& transport() noexcept { return transport_; }
    bool is_closed() const noexcept { return closed_for_.has_value(); }

private:
    using exchange_handler = boost::asio::any_completion_handler<void(error_code)>;

    void start(exchange_handler handler, clock::time_point until);
    std::optional<errc> find_dead();
    void write();
    void write_rest(std::size_t already);
    void read();
    void received(error_code error, std::size_t size);
    void parse();
    bool has_surplus();
    void ended(const error_code& error);
    void spoil(answer_flaw what);
    void finish(error_code error);
    void expired() override { close(errc::timeout); }
    boost::asio::any_io_executor executor_;
    std::shared_ptr<deadlines> timing_;
    http::transport transport_;

    std::string request_;
    boost::beast::flat_buffer input_;
    response answer_;
    response_parser parser_;
    answer_ids ids_;

    std::optional<exchange_handler> handler_;
    std::optional<errc> closed_for_;
    bool used_ = false;
    bool reused_ = false;
    bool wrote_ = false;
    bool reusable_ = true;
    answer_flaw flaw_ = answer_flaw::malformed;
};

}  // namespace dynalease::http
