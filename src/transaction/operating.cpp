// What operators do with transactions of any process: look at them, end them, sweep up those that were left.
// SPDX-License-Identifier: BSL-1.0
#include "database/called_verb.hpp"
#include "database/table_key.hpp"
#include "runtime/alarm.hpp"
#include "runtime/cancellation.hpp"
#include "runtime/own_process.hpp"
#include "transaction/commit.hpp"
#include "transaction/protocol/stored_writes.hpp"
#include "transaction/protocol/sweep_watch.hpp"
#include "transaction/transactions_impl.hpp"

#include <chrono>
#include <utility>

namespace dynalease::detail {

namespace {

using boost::asio::awaitable;
using protocol::transaction_header;

transaction_report report_of(const transaction_header& header) {
    transaction_report report{.id = header.name.id,
                              .state = state_of(header.state),
                              .done = header.done,
                              .born = wall_time(std::chrono::milliseconds(header.born)),
                              .ended_by = header.ended_by};
    const auto planned = protocol::planned_in(header.writes);
    if (!planned) return report;
    for (const auto& each : *planned) report.items.push_back(each.place());
    return report;
}

/// A page of the rows that are not done, and where the next one begins. Those that cannot be read are left out.
struct page_of_headers {
    std::vector<transaction_header> headers;
    item_key next;
};

awaitable<result<page_of_headers>> read_page(std::shared_ptr<transactions_impl> core, item_key from) {
    auto request = protocol::open_transactions(core->options().table, from);
    auto read = co_await core->target().call(std::move(request));
    if (!read) co_return std::move(read).error();
    page_of_headers page{.headers = {}, .next = std::move(read->last_evaluated_key)};
    for (const auto& row : read->items) {
        auto header = protocol::parse_transaction_header(&row);
        if (header && *header) page.headers.push_back(**std::move(header));
    }
    co_return page;
}

// ---- looking -------------------------------------------------------------------------------------------------

awaitable<runtime::completion<transaction_report>> run_look(std::shared_ptr<transactions_impl> core, std::string id,
                                                            diagnostics* details) {
    runtime::completion<transaction_report> done;
    if (auto fault = fault_of_id(id)) {
        done.code = report(*fault, details);
        co_return done;
    }
    done.value.id = id;
    auto reader = protocol::plan_reader::looking_at(core->options().table, std::move(id));
    auto header = co_await read_plan(core, std::move(reader));
    if (!header) {
        done.code = co_await report_explained(core, std::move(header).error(), details);
    } else if (*header) {
        done.value = report_of(**header);
    }
    co_return done;
}

/// With what stands in pages, as far as that can be read: one that is damaged must not hide the others. Empty: it was
/// done before that was read.
awaitable<result<std::optional<transaction_report>>> show(std::shared_ptr<transactions_impl> core,
                                                          transaction_header header) {
    std::optional<transaction_report> shown = report_of(header);
    if (header.pages == 0) co_return shown;
    auto reader = protocol::plan_reader::looking_at(core->options().table, std::move(header));
    auto whole = co_await read_plan(std::move(core), std::move(reader));
    if (whole) {
        shown.reset();
        if (*whole && !(*whole)->done) shown = report_of(**whole);
        co_return shown;
    }
    const auto& why = whole.error().code;
    const bool damaged = why == errc::corrupt_row || why == errc::unsupported_version;
    if (damaged) co_return shown;
    co_return std::move(whole).error();
}

awaitable<runtime::completion<std::vector<transaction_report>>> run_list(std::shared_ptr<transactions_impl> core,
                                                                         diagnostics* details) {
    runtime::completion<std::vector<transaction_report>> done;
    item_key from;
    do {
        auto page = co_await read_page(core, std::move(from));
        if (!page) {
            done.code = report(page.error(), details);
            co_return done;
        }
        for (auto& header : page->headers) {
            if (header.aside_until) continue;
            auto shown = co_await show(core, std::move(header));
            if (!shown) {
                done.code = report(shown.error(), details);
                co_return done;
            }
            if (*shown) done.value.push_back(**std::move(shown));
        }
        from = std::move(page->next);
    } while (!from.empty());
    if (!done.value.empty()) co_return done;
    const auto why = co_await look_for_key_fault(core->target(), core->options().table);
    if (why) done.code = report(*why, details);
    co_return done;
}

// ---- ending --------------------------------------------------------------------------------------------------

awaitable<runtime::completion<transaction_state>> run_end(std::shared_ptr<transactions_impl> core, std::string id,
                                                          bool carries_on, diagnostics* details) {
    runtime::completion<transaction_state> done;
    if (auto fault = fault_of_id(id)) {
        done.code = report(*fault, details);
        co_return done;
    }
    auto ended = co_await end_transaction(std::move(core), std::move(id), carries_on);
    if (ended)
        done.value = ended->state;
    else
        done.code = report(ended.error(), details);
    co_return done;
}

void count(const result<ended_transaction>& ended, protocol::sweep_step step, sweep_report* into) {
    if (!ended || !ended->is_complete)
        ++into->failed;
    else if (step == protocol::sweep_step::roll_back)
        ++into->rolled_back;
    else if (step == protocol::sweep_step::finish || ended->freed_some)
        ++into->finished;
}

/// One pass over the rows that are not done.
/// @param process whose sweep it is; it ends in a forked child @param watch what was seen of them in passes before
awaitable<std::optional<failure>> pass(std::shared_ptr<transactions_impl> core, runtime::own_process process,
                                       sweep_options options, protocol::sweep_watch* watch, sweep_report* into) {
    const auto& world = core->world();
    const auto began = core->now();
    into->seen = 0;
    item_key from;
    for (;;) {
        if (process.in_child()) co_return failure(errc::shut_down);
        auto page = co_await read_page(core, std::move(from));
        if (!page) co_return std::move(page).error();
        for (auto& header : page->headers) {
            if (process.in_child()) co_return failure(errc::shut_down);
            if (!header.aside_until) ++into->seen;
            const auto step = watch->sight(header, core->now());
            if (step == protocol::sweep_step::leave) continue;
            auto ended = co_await end_transaction(core, std::move(header), false);
            count(ended, step, into);
            const bool cancelled = co_await runtime::cancellation_requested();
            if (cancelled) co_return failure(errc::cancelled);
        }
        from = std::move(page->next);
        if (from.empty()) break;
        runtime::alarm pause(world);
        const bool slept = co_await pause.wait_until(core->after(options.pace));
        if (!slept) co_return failure(errc::cancelled);
    }
    watch->end_pass(began);
    co_return std::nullopt;
}

awaitable<std::optional<failure>> sweep(std::shared_ptr<transactions_impl> core, sweep_options options,
                                        sweep_report* into) {
    const runtime::own_process process;
    protocol::sweep_watch watch(core->after(options.older_than) - core->now());
    auto why = co_await pass(core, process, options, &watch, into);
    if (why) co_return why;
    if (process.in_child()) co_return failure(errc::shut_down);
    if (into->seen == 0) co_return co_await look_for_key_fault(core->target(), core->options().table);
    runtime::alarm pause(core->world());
    const bool slept = co_await pause.wait_until(core->after(options.older_than));
    if (!slept) co_return failure(errc::cancelled);
    co_return co_await pass(core, process, options, &watch, into);
}

awaitable<runtime::completion<sweep_report>> run_sweep(std::shared_ptr<transactions_impl> core, sweep_options options,
                                                       diagnostics* details) {
    runtime::completion<sweep_report> done;
    if (options.older_than.count() < 0 || options.pace.count() < 0) {
        failure why(errc::invalid_option);
        why.details.message = "older_than and pace must not be negative";
        done.code = report(why, details);
        co_return done;
    }
    auto why = co_await sweep(std::move(core), options, &done.value);
    if (why) done.code = report(*why, details);
    co_return done;
}

called_verb called(const transactions_impl& core, const char* verb, std::string id, diagnostics* details) {
    return {details, verb, std::move(id), core.options().table};
}

}  // namespace

void transaction_look_verb::operator()(diagnostics* details, handler_for<transaction_report> handler) && {
    const auto executor = core->world().executor;
    auto verb = called(*core, "transactions.look", id, details);
    start_verb<transaction_report>(executor, std::move(verb), run_look(std::move(core), std::move(id), details),
                                   std::move(handler));
}

void transaction_list_verb::operator()(diagnostics* details, handler_for<std::vector<transaction_report>> handler) && {
    const auto executor = core->world().executor;
    auto verb = called(*core, "transactions.list", {}, details);
    start_verb<std::vector<transaction_report>>(executor, std::move(verb), run_list(std::move(core), details),
                                                std::move(handler));
}

void transaction_end_verb::operator()(diagnostics* details, handler_for<transaction_state> handler) && {
    const auto executor = core->world().executor;
    auto verb = called(*core, called_as, id, details);
    start_verb<transaction_state>(executor, std::move(verb),
                                  run_end(std::move(core), std::move(id), carries_on, details), std::move(handler));
}

void transaction_sweep_verb::operator()(diagnostics* details, handler_for<sweep_report> handler) && {
    const auto executor = core->world().executor;
    auto verb = called(*core, "transactions.sweep", {}, details);
    start_verb<sweep_report>(executor, std::move(verb), run_sweep(std::move(core), options, details),
                             std::move(handler));
}

}  // namespace dynalease::detail
