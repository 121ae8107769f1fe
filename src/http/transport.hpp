// The bytes of one connection: a socket, plain or under TLS.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <dynalease/error.hpp>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl/context.hpp>
#include <boost/asio/ssl/stream.hpp>

#include <memory>
#include <optional>

namespace dynalease::http {

class transport {
public:
    using socket_type = boost::asio::ip::tcp::socket;
    using stream_type = boost::asio::ssl::stream<socket_type&>;

    /// @param tls null: plain
    transport(const boost::asio::any_io_executor& executor, std::shared_ptr<boost::asio::ssl::context> tls);

    socket_type& socket() noexcept { return socket_; }
    stream_type* tls() noexcept { return tls_ ? &*tls_ : nullptr; }
    void close() noexcept;

    /// Calls `operation` with whichever of the two carries the bytes.
    template <class Operation>
    void with_stream(Operation operation) {
        if (tls_) {
            operation(*tls_);
        } else {
            operation(socket_);
        }
    }

    /// What a look at the socket shows between exchanges. One system call.
    enum class sight {
        silent,
        bytes,  ///< there is something to read, which under TLS may be none of the peer's answers
        ended,
    };
    sight look() noexcept;
    /// By the state of the connection: whether the peer has closed behind bytes that were not read.
    bool is_established() noexcept;
    /// There is more than was read, decrypted or not.
    bool has_unread() noexcept;

private:
    std::shared_ptr<boost::asio::ssl::context> tls_context_;
    socket_type socket_;
    std::optional<stream_type> tls_;
};

}  // namespace dynalease::http
