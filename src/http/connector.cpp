// Room http: opening connections, and the name service behind it.
// SPDX-License-Identifier: BSL-1.0
#include "http/connector.hpp"

#include "http/opening.hpp"
#include "http/tls.hpp"

#include <boost/asio/post.hpp>

#include <utility>

namespace dynalease::http {

namespace asio = boost::asio;

connector::connector(environment world, std::shared_ptr<deadlines> timing, connector_options options)
    : world_(std::move(world)), timing_(std::move(timing)), options_(std::move(options)) {
    if (!options_.names) options_.names = system_name_service(world_.executor);
}

void connector::open(handler done) {
    auto one = std::make_shared<opening>(shared_from_this(), std::move(done));
    std::erase_if(under_way_, [](const auto& other) { return other.expired(); });
    try {
        under_way_.push_back(one);
        asio::post(world_.executor, [one]() { one->begin(); });
    } catch (...) {
        one->forget();
        throw;
    }
}

void connector::close() noexcept {
    options_.names->cancel();
    for (const auto& weak : std::exchange(under_way_, {})) {
        if (const auto one = weak.lock()) one->abandon();
    }
    asking_.clear();
}

void connector::find_addresses(addresses_handler done) {
    const auto now = timing_->now();
    if (addresses_.fresh(now)) return done({});
    const auto& server = next_hop();
    if (auto known = known_addresses(server.host, server.port); !known.empty()) {
        addresses_.resolved(std::move(known), now);
        return done({});
    }
    if (asking_.empty()) {
        options_.names->resolve(server.host, server.port, [self = shared_from_this()](error_code error, auto found) {
            self->addresses_found(error, std::move(found));
        });
    }
    // Only now: a question that could not be asked would be waited for without end.
    asking_.push_back(std::move(done));
}

void connector::addresses_found(const error_code& error, std::vector<tcp_address> found) {
    std::string problem;
    if (error) {
        problem = "cannot resolve " + next_hop().host + ": " + error.message();
    } else {
        addresses_.resolved(std::move(found), timing_->now());
    }
    for (const auto& waiting : std::exchange(asking_, {})) waiting(problem);
}

}  // namespace dynalease::http
