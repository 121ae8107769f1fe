// Room http: names by the system.
#include "http/name_service.hpp"

#include <boost/asio/bind_executor.hpp>
#include <boost/asio/ip/tcp.hpp>

#include <utility>

namespace dynalease::http {

namespace asio = boost::asio;

namespace {

class asio_resolver final : public name_service {
public:
    explicit asio_resolver(const asio::any_io_executor& executor) : executor_(executor), resolver_(executor) {}

    void resolve(const std::string& host, std::uint16_t port, handler done) override {
        resolver_.async_resolve(
            host, std::to_string(port),
            asio::bind_executor(executor_, [done = std::move(done)](const error_code& error, const auto& found) {
                done(error, {found.begin(), found.end()});
            }));
    }

    void cancel() noexcept override { resolver_.cancel(); }

private:
    asio::any_io_executor executor_;
    asio::ip::tcp::resolver resolver_;
};

}  // namespace

std::shared_ptr<name_service> system_name_service(const asio::any_io_executor& executor) {
    return std::make_shared<asio_resolver>(executor);
}

}  // namespace dynalease::http
