// A network that ends the process, as kill -9 would, instead of sending one more write.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <dynalease/dynamodb/database.hpp>

#include <boost/asio/awaitable.hpp>

#include <cstddef>
#include <cstdlib>
#include <utility>

namespace support {

class dying_network final : public dynalease::database_backend {
public:
    dying_network(dynalease::database inner, std::size_t writes) : inner_(std::move(inner)), left_(writes) {}

    const dynalease::environment& environment() const noexcept override { return inner_.environment(); }
    boost::asio::awaitable<dynalease::result<dynalease::any_response>> perform(
        dynalease::any_request request, dynalease::call_options options) override {
        if (dynalease::is_write(request) && left_-- == 0) std::_Exit(0);
        return inner_.implementation()->perform(std::move(request), options);
    }

private:
    dynalease::database inner_;
    std::size_t left_;
};

}  // namespace support
