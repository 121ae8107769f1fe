// A payment system of several processes under three concurrency controls: none loses money, two do not, whoever dies.
// SPDX-License-Identifier: BSL-1.0
#include "payments/demo/day.hpp"
#include "payments/demo/roles.hpp"
#include "payments/demo/watched.hpp"
#include "support/json_line.hpp"

#include <boost/describe/enum_from_string.hpp>
#include <boost/describe/enum_to_string.hpp>

#include <chrono>
#include <exception>
#include <iomanip>
#include <iostream>
#include <stdexcept>
#include <string>
#include <vector>

using namespace payments;
using namespace payments::demo;

namespace {

control control_of(const std::string& name) {
    control how{};
    if (!boost::describe::enum_from_string(name.c_str(), how)) throw std::runtime_error("no control is called " + name);
    return how;
}

std::uint16_t port_of(const std::string& text) {
    return static_cast<std::uint16_t>(std::stoul(text));
}

/// Whether the day went as it must under that control.
bool report(const day_result& day) {
    const auto& books = day.closed;
    const bool guarded = day.how != control::none;
    const bool sound =
        books.lost_updates == 0 && books.outbox_left == 0 && books.waiting == 0 && books.recorded == books.withdrawn;
    const bool as_it_must = books.double_charges == 0 && day.ended_in_order && sound == guarded;
    std::cout << std::setw(12) << boost::describe::enum_to_string(day.how, "") << std::setw(9) << books.intents
              << std::setw(9) << books.charges << std::setw(13) << books.withdrawn << std::setw(13) << books.recorded
              << std::setw(8) << books.lost_updates << std::setw(10) << day.demanded.requests << std::setw(9)
              << day.demanded.tried_again << std::setw(7) << day.kills << std::setw(8) << std::fixed
              << std::setprecision(1) << day.seconds << (as_it_must ? "" : "   NOT AS IT MUST BE") << '\n';
    return as_it_must;
}

int play(std::size_t customers) {
    std::vector<day_result> days;
    for (const auto how : {control::none, control::pessimistic, control::optimistic}) {
        days.push_back(live_a_day(how, customers, 4711));
    }
    std::cout
        << "\n     control  intents  charges    withdrawn     recorded    lost  requests  repeats  kills seconds\n";
    bool good = true;
    for (const auto& day : days) good = report(day) && good;
    std::cout << '\n';
    for (const auto& day : days) {
        support::json_line()
            .add("demo", "payments")
            .add("mode", boost::describe::enum_to_string(day.how, ""))
            .add("charges", day.closed.charges)
            .add("double_charges", day.closed.double_charges)
            .add("lost_updates", day.closed.lost_updates)
            .add("outbox_left", day.closed.outbox_left)
            .print();
    }
    return good ? 0 : 1;
}

int run_role(const std::vector<std::string>& given) {
    if (given[0] == "gateway" && given.size() == 7) {
        gateway_habits habits;
        habits.declines = std::stod(given[1]);
        habits.loses_orders = std::stod(given[2]);
        habits.loses_answers = std::stod(given[3]);
        habits.repeats_answers = std::stod(given[4]);
        habits.is_late = std::stod(given[5]);
        habits.delay = std::chrono::milliseconds(std::stoll(given[6]));
        return run_gateway(habits);
    }
    if (given.size() >= 6) {
        office_options options;
        options.endpoint = given[1];
        options.how = control_of(given[2]);
        options.gateway_port = port_of(given[3]);
        options.owner = given[5];
        options.watched = given.size() == 7 && given[6] == "watched";
        if (given[0] == "server") return run_server(options, port_of(given[4]));
        options.callback = given[4];
        if (given[0] == "relay") return run_relay(options);
    }
    std::cerr << "usage: demo_payments [CUSTOMERS]\n       demo_payments watch [CONTROL [SECONDS]]\n";
    return 1;
}

}  // namespace

int main(int count, char** values) {
    const std::vector<std::string> given(values + 1, values + count);
    try {
        if (given.empty()) return play(300);
        if (given[0] == "watch") {
            const auto how = given.size() > 1 ? control_of(given[1]) : control::optimistic;
            return run_watched(how, std::chrono::seconds(given.size() > 2 ? std::stoll(given[2]) : 3600));
        }
        if (given.size() == 1) return play(std::stoul(given[0]));
        return run_role(given);
    } catch (const std::exception& why) {
        std::cerr << "demo_payments: " << why.what() << '\n';
    }
    return 1;
}
