// A socket, plain or under TLS, and what can be seen of it without reading.
// SPDX-License-Identifier: BSL-1.0
#include "http/transport.hpp"

#include <openssl/ssl.h>

#include <cerrno>
#include <utility>

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

namespace dynalease::http {

transport::transport(const boost::asio::any_io_executor& executor, std::shared_ptr<boost::asio::ssl::context> tls)
    : tls_context_(std::move(tls)), socket_(executor) {
    if (tls_context_) tls_.emplace(socket_, *tls_context_);
}

void transport::close() noexcept {
    error_code ignored;
    socket_.close(ignored);
}

transport::sight transport::look() noexcept {
    char byte;
    const auto size = ::recv(socket_.native_handle(), &byte, 1, MSG_PEEK | MSG_DONTWAIT);
    if (size < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) return sight::silent;
    return size > 0 ? sight::bytes : sight::ended;
}

bool transport::is_established() noexcept {
    tcp_info info{};
    socklen_t size = sizeof info;
    return ::getsockopt(socket_.native_handle(), IPPROTO_TCP, TCP_INFO, &info, &size) == 0 &&
           info.tcpi_state == TCP_ESTABLISHED;
}

bool transport::has_unread() noexcept {
    if (!tls_) return false;
    auto* const session = tls_->native_handle();
    return SSL_has_pending(session) != 0 || BIO_ctrl_pending(SSL_get_rbio(session)) != 0;
}

}  // namespace dynalease::http
