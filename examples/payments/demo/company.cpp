// Every process is this very program, in another role.
// SPDX-License-Identifier: BSL-1.0
#include "payments/demo/company.hpp"

#include <boost/describe/enum_to_string.hpp>

#include <signal.h>

#include <cstdlib>
#include <random>
#include <stdexcept>
#include <string_view>
#include <utility>

namespace payments::demo {

namespace {

/// The gateway and the servers inherit it.
void share_secret() {
    std::random_device chance;
    std::string secret;
    while (secret.size() < 64) secret += std::to_string(chance());
    ::setenv(answer_signature::variable, secret.c_str(), 0);
}

}  // namespace

company::company(control how, const gateway_habits& habits, std::string program, bool watched)
    : how_(boost::describe::enum_to_string(how, "")), program_(std::move(program)), watched_(watched) {
    share_secret();
    const auto share = [](double value) { return std::to_string(value); };
    gateway_ = start({"gateway", share(habits.declines), share(habits.loses_orders), share(habits.loses_answers),
                      share(habits.repeats_answers), share(habits.is_late), std::to_string(habits.delay.count())});
}

std::unique_ptr<member> company::start(const std::vector<std::string>& arguments) const {
    std::vector<std::string> command{program_};
    command.insert(command.end(), arguments.begin(), arguments.end());
    auto made = std::make_unique<member>(member{support::child_process(command)});
    constexpr std::string_view greeting = "listening on ";
    const auto line = support::read_line(made->process.output());
    if (!line.starts_with(greeting)) throw std::runtime_error(arguments.front() + " did not start");
    made->port = static_cast<std::uint16_t>(std::stoul(line.substr(greeting.size())));
    return made;
}

std::unique_ptr<member> company::start_server(std::size_t which, std::uint16_t port) const {
    return start({"server", database(), how_, std::to_string(gateway_port()), std::to_string(port),
                  "server-" + std::to_string(which + 1), watched_ ? "watched" : "alone"});
}

std::unique_ptr<member> company::start_relay(std::size_t which) const {
    std::string callback;
    for (const auto& server : servers_) callback += (callback.empty() ? "" : ",") + std::to_string(server->port);
    return start(
        {"relay", database(), how_, std::to_string(gateway_port()), callback, "relay-" + std::to_string(which + 1)});
}

void company::start_servers(std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) servers_.push_back(start_server(i, 0));
}
void company::start_relays(std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) relays_.push_back(start_relay(i));
}

void company::restart_server(std::size_t which) {
    servers_[which] = start_server(which, servers_[which]->port);
}
void company::restart_relay(std::size_t which) {
    relays_[which] = start_relay(which);
}

bool company::end_in_order() {
    bool well = true;
    for (auto* all : {&relays_, &servers_}) {
        for (auto& one : *all) ::kill(one->process.id(), SIGTERM);
        for (auto& one : *all) well = one->process.wait() == 0 && well;
        all->clear();
    }
    return well;
}

}  // namespace payments::demo
