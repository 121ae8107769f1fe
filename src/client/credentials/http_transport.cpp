// Room client: the requests of the sources of keys.
// SPDX-License-Identifier: BSL-1.0
#include "client/credentials/http_transport.hpp"

#include "aws/refusal.hpp"
#include "client/proxy.hpp"
#include "client/user_agent.hpp"
#include "http/tls.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/deferred.hpp>

#include <utility>

namespace dynalease::detail {

namespace asio = boost::asio;

namespace {

constexpr auto in_full = asio::as_tuple(asio::deferred);
constexpr std::uint32_t longest_head = 16 * 1024;
constexpr std::uint64_t longest_body = 128 * 1024;

std::string text_of(const aws::web_request& request) {
    std::string text = request.method + ' ' + request.target + " HTTP/1.1\r\nHost: " + request.to.host_header +
                       "\r\nUser-Agent: " + user_agent({}) + "\r\nConnection: close\r\n";
    for (const auto& [name, value] : request.headers) text.append(name).append(": ").append(value).append("\r\n");
    if (request.method != "GET") text += "Content-Length: " + std::to_string(request.body.size()) + "\r\n";
    return text.append("\r\n").append(request.body);
}

failure broken(const error_code& code, const aws::web_request& request, std::string problem) {
    failure why(code);
    why.details.message = request.to.url() + ": " + (problem.empty() ? code.message() : std::move(problem));
    return why;
}

}  // namespace

http_transport::http_transport(environment world, std::string ca_file, std::string proxy, aws::config_source config)
    : world_(std::move(world)),
      ca_file_(std::move(ca_file)),
      proxy_(std::move(proxy)),
      config_(std::move(config)),
      timing_(std::make_shared<http::deadlines>(world_)) {}

http_transport::~http_transport() {
    close();
}

asio::awaitable<result<aws::web_answer>> http_transport::exchange(aws::web_request request,
                                                                  std::chrono::milliseconds limit) {
    if (closed_) co_return failure(errc::shut_down);
    const auto found = server_of(request.to, limit);
    if (!found) co_return found.error();
    const auto pool = found->pool;

    auto [no_lease, held] = co_await pool->take(world_.clock->now() + limit, in_full);
    if (no_lease) co_return broken(no_lease, request, pool->problem());
    held->request() = text_of(request);
    auto [error] = co_await held->exchange(world_.clock->now() + limit, in_full);
    if (error) co_return broken(error, request, {});
    const auto& said = held->answer();
    aws::web_answer answer{said.status(), std::string(said.body()), std::string(said.header("date"))};
    held->close();
    co_return answer;
}

result<http_transport::server> http_transport::server_of(const aws::endpoint& where, std::chrono::milliseconds limit) {
    auto& known = servers_[where.url()];
    if (known.pool) return known;
    http::connector_options connecting;
    connecting.server = {where.tls, where.host, where.port};
    connecting.timeout = limit;
    connecting.limits.head = longest_head;
    connecting.limits.body = longest_body;
    auto proxy = proxy_to(where, proxy_, config_);
    if (!proxy) return std::move(proxy).error();
    connecting.proxy = *std::move(proxy);
    if (where.tls) {
        auto context = tls();
        if (!context) return std::move(context).error();
        connecting.tls = *std::move(context);
    }
    http::pool_policy::limits limits;
    limits.connections = 4;
    known.connector = std::make_shared<http::connector>(world_, timing_, std::move(connecting));
    known.pool = std::make_shared<http::pool>(world_, timing_, known.connector, limits);
    return known;
}

result<std::shared_ptr<asio::ssl::context>> http_transport::tls() {
    if (tls_) return tls_;
    auto made = http::make_tls_context({.ca_file = ca_file_});
    if (made.error) {
        return aws::refusal(errc::invalid_option, ca_file_ + ": " + made.error.message(),
                            "name a PEM file of certificate authorities in AWS_CA_BUNDLE");
    }
    tls_ = std::move(made.context);
    return tls_;
}

void http_transport::close() noexcept {
    if (std::exchange(closed_, true)) return;
    for (const auto& [url, known] : servers_) {
        if (!known.pool) continue;
        known.pool->close();
        known.connector->close();
    }
}

}  // namespace dynalease::detail
