// The role of a worker process: the library as a user has it, on one thread, until it is told to end.
//
// It listens on standard input: "halt" (stand still at the worst moment), "go" (after that), "end"; and says on
// standard output "halted" when it stands still. Everything else it tells the judge.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstdint>
#include <string>

namespace torture {

struct worker_orders {
    std::string who{};        ///< "2.5"
    std::string endpoint{};   ///< of the store, through the proxy
    std::uint16_t judge = 0;  ///< its port
    std::string primitive{};
    std::uint64_t seed = 0;
};

int run_worker(const worker_orders& orders);

}  // namespace torture
