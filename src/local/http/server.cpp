// Listening, accepting, stopping.
// SPDX-License-Identifier: BSL-1.0
#include <dynalease/local/server.hpp>

#include "local/http/connection.hpp"

#include <dynalease/error.hpp>
#include <dynalease/runtime/environment.hpp>

#include <boost/asio/ip/address.hpp>
#include <boost/asio/ip/tcp.hpp>

#include <chrono>
#include <new>
#include <string_view>
#include <utility>
#include <vector>

namespace dynalease::local {

namespace asio = boost::asio;
using asio::ip::tcp;

namespace {

std::optional<credentials> accepted_by(const server_options& options) {
    if (options.anyone) return std::nullopt;
    return credentials{options.access_key, options.secret_key};
}

[[noreturn]] void throw_listen_error(const boost::system::error_code& code, const server_options& options) {
    diagnostics details;
    details.operation = "listen";
    details.message = "cannot listen on " + options.address + ":" + std::to_string(options.port);
    throw error(code, std::move(details));
}

tcp::acceptor listen(const asio::any_io_executor& executor, const server_options& options) {
    boost::system::error_code code;
    const std::string_view named = options.address == "localhost" ? "127.0.0.1" : std::string_view(options.address);
    const auto address = asio::ip::make_address(named, code);
    if (code) throw_listen_error(code, options);
    try {
        return tcp::acceptor(executor, tcp::endpoint(address, options.port));
    } catch (const boost::system::system_error& failure) {
        throw_listen_error(failure.code(), options);
    }
}

/// For large requests and answers under way; the tables come on top.
constexpr std::size_t memory_of_connections = 256 * 1024 * 1024;

std::shared_ptr<shared_service> make_service(const asio::any_io_executor& executor, const server_options& options) {
    auto clock = options.clock ? detail::plain(options.clock) : environment::system(executor).clock;
    const auto seed = static_cast<std::uint64_t>(clock->wall().time_since_epoch().count()) << 20U;
    auto store = options.store ? detail::plain(options.store) : std::make_shared<engine>();
    if (options.latency.count() > 0) store->set_write_time(options.latency);
    const bool any_fault = options.faults.throttled + options.faults.failed + options.faults.conflicting > 0;
    if (any_fault) store->set_faults(options.faults);
    const auto words = options.older_words ? codec::wording::older : codec::wording::newer;
    return std::make_shared<shared_service>(
        shared_service{request_service(std::move(store), accepted_by(options), options.cors, words),
                       response_writer(seed), std::move(clock), options.latency, memory_budget(memory_of_connections)});
}

}  // namespace

class server::listener : public std::enable_shared_from_this<listener> {
public:
    listener(const asio::any_io_executor& executor, const server_options& options)
        : service_(make_service(executor, options)), acceptor_(listen(executor, options)) {
        endpoint_ = acceptor_.local_endpoint();
    }

    const tcp::endpoint& endpoint() const noexcept { return endpoint_; }

    void accept() {
        acceptor_.async_accept([self = shared_from_this()](boost::system::error_code error, tcp::socket socket) {
            if (self->stopped_) return;
            if (error) return self->make_room();
            self->service_->close_silent(shared_service::longest_silence);
            try {
                std::make_shared<connection>(self->service_, std::move(socket))->start();
                self->accept();
            } catch (const std::bad_alloc&) {
                self->make_room();
            }
        });
    }

    void stop() noexcept {
        stopped_ = true;
        boost::system::error_code ignored;
        acceptor_.close(ignored);
        for (connection* each : service_->open) each->close();
    }

private:
    /// Out of descriptors, most likely: those give way who do nothing with theirs. Trying again at once would only burn
    /// the processor.
    void make_room() {
        service_->close_silent(memory_budget::term);
        constexpr std::chrono::milliseconds pause{20};
        service_->clock->async_wait_until(service_->clock->now() + pause,
                                          [self = shared_from_this()](boost::system::error_code) {
                                              if (!self->stopped_) self->accept();
                                          });
    }

    std::shared_ptr<shared_service> service_;
    tcp::acceptor acceptor_;
    tcp::endpoint endpoint_;
    bool stopped_ = false;
};

server::server(const asio::any_io_executor& executor, server_options options)
    : listener_(std::make_shared<listener>(executor, options)) {
    listener_->accept();
}

server::~server() {
    stop();
}

std::uint16_t server::port() const noexcept {
    return listener_->endpoint().port();
}

std::string server::endpoint() const {
    const auto& where = listener_->endpoint();
    const bool v6 = where.address().is_v6();
    return "http://" + (v6 ? "[" + where.address().to_string() + "]" : where.address().to_string()) + ":" +
           std::to_string(where.port());
}

void server::stop() noexcept {
    if (listener_) listener_->stop();
}

}  // namespace dynalease::local
