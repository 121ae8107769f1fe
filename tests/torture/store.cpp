// The table is made by the supervisor, not through the proxy: nobody else may make one.
// SPDX-License-Identifier: BSL-1.0
#include "torture/store.hpp"

#include "torture/settings.hpp"

#include "support/local_server.hpp"

#include <dynalease/client.hpp>
#include <dynalease/coordination_table.hpp>

#include <boost/asio/ip/address_v4.hpp>

#include <stdexcept>
#include <string>

namespace torture {

boost::asio::awaitable<void> store::start() {
    const std::vector<std::string> command{DYNALEASE_LOCAL_PROGRAM, "--port", "0"};
    process_.emplace(command);
    const auto greeting = support::read_line(process_->output());
    const auto colon = greeting.rfind(':');
    if (!greeting.starts_with("listening on ") || colon == greeting.npos) {
        throw std::runtime_error("dynalease-local did not start");
    }
    const auto port = static_cast<std::uint16_t>(std::stoul(greeting.substr(colon + 1)));
    dynalease::client direct(executor_, support::local_client_options("http://127.0.0.1:" + std::to_string(port)));
    co_await dynalease::create_table(direct, std::string(table));
    direct.close();
    address_.endpoint = {boost::asio::ip::address_v4::loopback(), port};
}

}  // namespace torture
