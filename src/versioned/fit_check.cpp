// Reading a table page by page, no faster than its owner wants.
// SPDX-License-Identifier: BSL-1.0
#include <dynalease/versioned/fit_check.hpp>

#include "database/argument_check.hpp"
#include "database/called_verb.hpp"
#include "runtime/alarm.hpp"

#include <algorithm>
#include <chrono>
#include <iterator>
#include <utility>

namespace dynalease::detail {

namespace {

constexpr argument_check demand("fit_check");

void add(fit_walk& walk, page_response page) {
    auto& report = walk.report;
    auto found = walk.count(std::move(page.items), report.fitting);
    report.not_fitting += found.size();
    const auto room = walk.options.most_misfits - std::min(walk.options.most_misfits, report.misfits.size());
    const auto kept = static_cast<std::ptrdiff_t>(std::min(room, found.size()));
    std::move(found.begin(), found.begin() + kept, std::back_inserter(report.misfits));
    report.last = std::move(page.last_evaluated_key);
    report.complete = report.last.empty();

    const auto units = page.consumed ? page.consumed->capacity_units : 0;
    report.read_units += units;
    const std::chrono::duration<double> worth(units / walk.options.read_units_per_second);
    walk.next_page =
        walk.target.environment().clock->now() + std::chrono::duration_cast<std::chrono::nanoseconds>(worth);
}

boost::asio::awaitable<runtime::completion<void>> run_walk(std::shared_ptr<fit_walk> walk, diagnostics* details) {
    runtime::completion<void> done;
    const auto& world = walk->target.environment();
    while (!walk->report.complete) {
        runtime::alarm pause(world);
        const bool slept = co_await pause.wait_until(walk->next_page);
        if (!slept) {
            done.code = errc::cancelled;
            break;
        }
        scan_request request;
        request.table_name = walk->table;
        request.exclusive_start_key = walk->report.last;
        request.consistent_read = walk->options.consistent;
        request.report_capacity = true;
        auto page = co_await walk->target.call(std::move(request));
        if (!page) {
            done.code = report(page.error(), details);
            break;
        }
        add(*walk, *std::move(page));
    }
    co_return done;
}

}  // namespace

fit_walk::fit_walk(database from, std::string table_name, fit_options how, trial tried)
    : target(std::move(from)), table(std::move(table_name)), options(std::move(how)), count(std::move(tried)) {
    demand(options.read_units_per_second >= 1, errc::invalid_option, "read_units_per_second must be at least 1");
    report.last = options.after;
    next_page = target.environment().clock->now();
}

void fit_verb::operator()(diagnostics* details, handler_for<void> handler) && {
    const auto executor = walk->target.get_executor();
    called_verb called{details, "fit_check.run", {}, walk->table};
    start_verb<void>(executor, std::move(called), run_walk(std::move(walk), details), std::move(handler));
}

}  // namespace dynalease::detail
