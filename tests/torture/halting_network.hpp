// A network at whose door a process stands still when it is ordered to: between one write and the next.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "torture/workload.hpp"

#include <dynalease/dynamodb/database.hpp>

#include <boost/asio/awaitable.hpp>

#include <utility>

namespace torture {

class halting_network final : public dynalease::database_backend {
public:
    halting_network(dynalease::database inner, halt_order& order) : inner_(std::move(inner)), order_(order) {}

    const dynalease::environment& environment() const noexcept override { return inner_.environment(); }
    dynalease::wall_time wall() const noexcept override { return inner_.implementation()->wall(); }
    boost::asio::awaitable<dynalease::result<dynalease::any_response>> perform(
        dynalease::any_request request, dynalease::call_options options) override {
        if (dynalease::is_write(request)) order_.obey();
        return inner_.implementation()->perform(std::move(request), options);
    }

private:
    dynalease::database inner_;
    halt_order& order_;
};

}  // namespace torture
