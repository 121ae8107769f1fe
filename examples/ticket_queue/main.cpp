// Processes take tickets for one order: strictly first in, first out, one killed in its turn; ends with the order
// table.
// SPDX-License-Identifier: BSL-1.0
#include "ticket_queue/clerk.hpp"
#include "ticket_queue/office.hpp"

#include <exception>
#include <iostream>
#include <string>
#include <vector>

int main(int count, char** values) {
    const std::vector<std::string> arguments(values + 1, values + count);
    try {
        if (arguments.empty()) return tickets::run_office();
        if (arguments.size() == 3 && arguments[0] == "clerk") return tickets::run_clerk(arguments[1], arguments[2]);
        std::cerr << "usage: demo_ticket_queue\n";
    } catch (const std::exception& why) {
        std::cerr << "demo_ticket_queue: " << why.what() << '\n';
    }
    return 1;
}
