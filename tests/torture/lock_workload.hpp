// The workload of the lock.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "torture/workload.hpp"

#include <dynalease/lock.hpp>

#include <string>

namespace torture {

class lock_workload final : public workload {
public:
    boost::asio::awaitable<void> turn(dynalease::session& session, const post& self) const override;

private:
    boost::asio::awaitable<dynalease::lock_guard> take(dynalease::session& session, const post& self,
                                                       std::string name) const;
};

}  // namespace torture
