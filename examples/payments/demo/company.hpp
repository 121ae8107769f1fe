// The processes of the payment system: database, gateway, servers, relays. Started, killed, and started again.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "payments/gateway/simulator.hpp"
#include "payments/repositories/intent_repository.hpp"
#include "support/child_process.hpp"
#include "support/local_server.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace payments::demo {

/// A process, and where it listens.
struct member {
    support::child_process process;
    std::uint16_t port = 0;
};

class company {
public:
    /// Starts the database and the gateway.
    /// @param watched servers pass on what their page asks for
    /// @param program demo_payments
    company(control how, const gateway_habits& habits, std::string program, bool watched = false);

    /// The tables must be there by then.
    void start_servers(std::size_t count);
    void start_relays(std::size_t count);

    void kill_server(std::size_t which) { servers_[which]->process.kill(); }
    void restart_server(std::size_t which);
    void kill_relay(std::size_t which) { relays_[which]->process.kill(); }
    void restart_relay(std::size_t which);
    /// SIGTERM: each ends what it has begun. @returns whether all ended well.
    bool end_in_order();

    const std::string& database() const noexcept { return database_.endpoint(); }
    std::uint16_t gateway_port() const noexcept { return gateway_->port; }
    std::uint16_t server_port(std::size_t which) const { return servers_[which]->port; }
    pid_t id_of_server(std::size_t which) const { return servers_[which]->process.id(); }
    /// What a server says on its standard output.
    int voice_of_server(std::size_t which) const { return servers_[which]->process.output(); }

private:
    std::unique_ptr<member> start(const std::vector<std::string>& arguments) const;
    std::unique_ptr<member> start_server(std::size_t which, std::uint16_t port) const;
    std::unique_ptr<member> start_relay(std::size_t which) const;

    std::string how_;
    std::string program_;
    bool watched_;
    support::local_server database_;
    std::unique_ptr<member> gateway_;
    std::vector<std::unique_ptr<member>> servers_;
    std::vector<std::unique_ptr<member>> relays_;
};

}  // namespace payments::demo
