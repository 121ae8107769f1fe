// The demonstration of the lock. Without arguments it plays the script; the children it starts get a role.
// SPDX-License-Identifier: BSL-1.0
#include "lock/coordinator.hpp"
#include "lock/lease_holder.hpp"
#include "lock/worker.hpp"

#include <exception>
#include <iostream>
#include <string>
#include <vector>

int main(int count, char** values) {
    const std::vector<std::string> arguments(values + 1, values + count);
    try {
        if (arguments.empty()) return demo::run_coordinator();
        if (arguments.size() == 4 && arguments[0] == "worker") {
            return demo::run_worker(arguments[1], arguments[2], std::stoull(arguments[3]));
        }
        if (arguments.size() == 3 && arguments[0] == "leases") {
            return demo::run_lease_holder(arguments[1], std::stoull(arguments[2]));
        }
        std::cerr << "usage: demo_lock\n";
    } catch (const std::exception& why) {
        std::cerr << "demo_lock: " << why.what() << '\n';
    }
    return 1;
}
