// The workload of the queue.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "torture/workload.hpp"

#include <dynalease/queue.hpp>

#include <string>

namespace torture {

class queue_workload final : public workload {
public:
    boost::asio::awaitable<void> turn(dynalease::session& session, const post& self) const override;

private:
    boost::asio::awaitable<dynalease::queue_turn> enter(dynalease::session& session, const post& self,
                                                        std::string name) const;
};

}  // namespace torture
