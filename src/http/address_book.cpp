// Room http: the order of addresses.
// SPDX-License-Identifier: BSL-1.0
#include "http/address_book.hpp"

#include <boost/asio/ip/address.hpp>

#include <algorithm>
#include <iterator>

namespace dynalease::http {

namespace ip = boost::asio::ip;

namespace {

constexpr auto freshness = std::chrono::seconds(5);  // the time to live that the service gives its names

bool contains(const std::vector<tcp_address>& list, const tcp_address& address) {
    return std::find(list.begin(), list.end(), address) != list.end();
}

}  // namespace

std::vector<tcp_address> known_addresses(const std::string& host, std::uint16_t port) {
    if (host == "localhost") return {{ip::address_v4::loopback(), port}, {ip::address_v6::loopback(), port}};
    boost::system::error_code error;
    const auto address = ip::make_address(host, error);
    if (error) return {};
    return {{address, port}};
}

void address_book::resolved(std::vector<tcp_address> addresses, time_point now) {
    addresses_ = std::move(addresses);
    resolved_at_ = now;
    std::erase_if(failed_, [this](const auto& address) { return !contains(addresses_, address); });
}

bool address_book::fresh(time_point now) const {
    return !addresses_.empty() && now - resolved_at_ < freshness;
}

std::vector<tcp_address> address_book::candidates() const {
    const auto has_failed = [this](const auto& address) { return contains(failed_, address); };
    std::vector<tcp_address> order;
    order.reserve(addresses_.size());
    std::ranges::remove_copy_if(addresses_, std::back_inserter(order), has_failed);
    std::ranges::copy_if(addresses_, std::back_inserter(order), has_failed);
    return order;
}

void address_book::connected(const tcp_address& address) {
    std::erase(failed_, address);
}

void address_book::failed(const tcp_address& address) {
    if (!contains(failed_, address)) failed_.push_back(address);
}

}  // namespace dynalease::http
