// Playing an operation again and again, each time disturbed at another point.
// SPDX-License-Identifier: BSL-1.0
#include "simulation/framework/fault_points.hpp"

#include <array>
#include <string>
#include <utility>
#include <vector>

namespace dynalease::simulation {

using namespace std::chrono_literals;
namespace asio = boost::asio;

namespace {

struct way_to_fail {
    std::string_view name;
    testing::fault fate;
};

std::vector<way_to_fail> ways_to_fail() {
    using enum testing::fault::kind;
    const auto told = [](testing::fault::kind what, errc code, outcome known) {
        return testing::fault{.what = what, .answer = failure(code, known)};
    };
    return {
        {"not sent", told(fail, errc::unreachable, outcome::not_applied)},
        {"lost", {.what = lose_request}},
        {"applied without an answer", {.what = lose_answer}},
        {"500, not applied", told(fail, errc::server_error, outcome::unknown)},
        {"500, applied", told(apply_then_fail, errc::server_error, outcome::unknown)},
        {"throttled", told(fail, errc::throttled, outcome::not_applied)},
        {"late", {.before = 2500ms}},
        {"twice", {.what = apply_twice, .copy = 2s}},
        {"cut", told(apply_then_fail, errc::in_doubt, outcome::unknown)},
        {"garbage", told(apply_then_fail, errc::bad_response, outcome::unknown)},
        // The client makes another attempt within the call, which meets the first copy's traces.
        {"lost, and sent again", {.what = lose_request, .again = 20ms}},
        {"applied without an answer, and sent again", {.what = lose_answer, .again = 20ms}},
        {"late, and sent again before", {.before = 2500ms, .again = 20ms}},
    };
}

constexpr std::array cancellations{asio::cancellation_type::terminal, asio::cancellation_type::partial,
                                   asio::cancellation_type::total};

/// What disturbs the operation, and when.
struct disturbance {
    enum class kind { none, request, cancellation, crash, destruction } what = kind::none;
    std::size_t at = 0;   ///< the request, or the step
    std::size_t how = 0;  ///< the way to fail, or the type of cancellation
};

std::string text_of(const disturbance& by) {
    using enum disturbance::kind;
    const auto at = std::to_string(by.at);
    switch (by.what) {
        case none:
            return "undisturbed";
        case request:
            return "request " + at + " " + std::string(ways_to_fail()[by.how].name);
        case cancellation:
            return "cancelled at step " + at + ", type " + std::to_string(by.how);
        case crash:
            return "crash at step " + at;
        case destruction:
            return "handles destroyed at step " + at;
    }
    return {};
}

/// How long an operation is when nothing disturbs it, and what went wrong.
struct course {
    std::size_t requests = 0;
    std::size_t steps = 0;
    std::string broken{};
};

void disturb(stage& on, const disturbance& by) {
    using enum disturbance::kind;
    if (by.what == cancellation) on.cancel.emit(cancellations[by.how]);
    if (by.what == crash) on.crash();
    if (by.what == destruction) on.destroy_handles();
}

course play(const any_operation& operation, const disturbance& by) {
    const auto on = operation.set_up();
    on->world.run_for(1ms);
    course went;
    on->disturbed().network().set_plan([&went, &by](const any_request& request, const call_options&) {
        const bool hit = by.what == disturbance::kind::request && went.requests == by.at;
        ++went.requests;
        if (!hit) return testing::fault{};
        auto fate = ways_to_fail()[by.how].fate;
        // A read is never in doubt.
        if (!is_write(request) && fate.answer.code == errc::in_doubt)
            fate.answer = failure(errc::timeout, outcome::not_applied);
        return fate;
    });
    if (by.what == disturbance::kind::request &&
        ways_to_fail()[by.how].fate.what == testing::fault::kind::apply_twice) {
        on->expect_copies();
    }
    const auto least = on->world.now() + operation.lasts;
    const auto most = on->world.now() + 40s;
    operation.start(*on);
    const bool in_steps = by.what != disturbance::kind::none && by.what != disturbance::kind::request;
    bool crashed = false;
    while (on->broken().empty()) {
        const bool done = (on->all_called() || crashed) && on->world.now() >= least;
        if (done && (!in_steps || went.steps > by.at)) break;
        if (in_steps && went.steps == by.at) {
            disturb(*on, by);
            crashed = by.what == disturbance::kind::crash;
        }
        ++went.steps;
        if (!on->step()) break;
        if (on->world.now() > most) on->fail("R1: the operation does not end");
    }
    const auto requests = went.requests;
    if (on->broken().empty()) on->conclude();
    went.requests = requests;
    went.broken = on->broken();
    return went;
}

class round {
public:
    explicit round(std::ostream& lines) : lines_(lines) {}

    void all_of(const any_operation& operation) {
        using enum disturbance::kind;
        const auto before = found_;
        const auto whole = one(operation, {});
        for (std::size_t request_number = 0; request_number < whole.requests; ++request_number) {
            for (std::size_t way = 0; way < ways_to_fail().size(); ++way)
                one(operation, {request, request_number, way});
        }
        for (std::size_t step = 0; step < whole.steps; ++step) {
            for (std::size_t type = 0; type < cancellations.size(); ++type) one(operation, {cancellation, step, type});
            one(operation, {crash, step});
            one(operation, {destruction, step});
        }
        lines_ << "{\"operation\":\"" << operation.name << "\",\"requests\":" << whole.requests
               << ",\"outcomes\":" << ways_to_fail().size() << ",\"steps\":" << whole.steps
               << ",\"points\":" << found_.points - before.points
               << ",\"violations\":" << found_.violations - before.violations << "}" << std::endl;
    }
    const fault_points_result& found() const noexcept { return found_; }

private:
    course one(const any_operation& operation, const disturbance& by) {
        auto went = play(operation, by);
        ++found_.points;
        if (!went.broken.empty()) {
            ++found_.violations;
            lines_ << operation.name << ", " << text_of(by) << ": " << went.broken << '\n';
        }
        return went;
    }

    std::ostream& lines_;
    fault_points_result found_;
};

}  // namespace

fault_points_result play_fault_points(std::span<const any_operation> operations, std::ostream& lines) {
    round all(lines);
    for (const auto& operation : operations) all.all_of(operation);
    return all.found();
}

}  // namespace dynalease::simulation
