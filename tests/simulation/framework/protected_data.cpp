// Writes to what is protected.
// SPDX-License-Identifier: BSL-1.0
#include "simulation/framework/protected_data.hpp"

#include <chrono>
#include <string>
#include <utility>

namespace dynalease::simulation {

bool outside_resource::accepts(std::int64_t token) {
    if (token < highest_) return false;
    highest_ = token;
    return true;
}

void outside_resource::write(played_world& where, std::int64_t token, clock::duration longest,
                             std::function<void()> accepted, std::function<void()> refused) {
    const auto part = static_cast<double>(where.choices().choose("user: way of a write", 1000)) / 1000;
    const auto most = static_cast<double>(longest / std::chrono::milliseconds(1));
    const std::chrono::milliseconds delay(static_cast<std::int64_t>(part * part * part * most));
    auto arrive = [this, &where, token, accepted = std::move(accepted), refused = std::move(refused)] {
        if (accepts(token)) {
            accepted();
        } else {
            where.run().coverage.hit("stale write refused outside");
            refused();
        }
    };
    where.simulated().scheduler().add_timer(where.now() + delay, std::move(arrive));
}

boost::asio::awaitable<void> write_fenced(testing::node& machine, coverage& counted, condition_check fence,
                                          std::size_t number, std::uint64_t writer) {
    transact_put put{.table_name = coordination,
                     .new_item = {{"pk", "protected#" + std::to_string(number)}, {"sk", "-"}}};
    put.new_item.emplace("writer", writer);
    transact_write_items_request request;
    request.actions = {std::move(fence), std::move(put)};
    const auto target = machine.database();
    const auto written = co_await target.call(std::move(request));
    counted.hit(written ? "fenced transaction done" : "fenced transaction refused");
}

}  // namespace dynalease::simulation
