// Taking the mark of a transaction that is over off one item.
// SPDX-License-Identifier: BSL-1.0
#include "database/called_verb.hpp"
#include "runtime/alarm.hpp"
#include "runtime/cancellation.hpp"
#include "transaction/protocol/marking_requests.hpp"
#include "transaction/protocol/resolver.hpp"
#include "transaction/transactions_impl.hpp"
#include "versioned/protocol/version_changes.hpp"
#include "versioned/versioned_impl.hpp"

#include <chrono>
#include <utility>

namespace dynalease::detail {

namespace {

using boost::asio::awaitable;
using protocol::resolver;

/// For a service that does not answer.
constexpr std::chrono::seconds longest{10};

/// Waits for nobody, and rolls nobody back.
constexpr protocol::rivalry hands_off{.policy = wait_policy::fail_fast, .patience = std::chrono::nanoseconds::max()};

awaitable<std::optional<failure>> resolve(std::shared_ptr<transactions_impl> core, resolver run) {
    const auto deadline = core->after(longest);
    while (run.ended() == resolver::end::none) {
        auto wanted = run.next();
        runtime::alarm pause(core->world());
        const bool slept = wanted.pause.count() == 0 || co_await pause.wait_until(core->now() + wanted.pause);
        const bool cancelled = co_await runtime::cancellation_requested();
        if (!slept || cancelled) co_return failure(errc::cancelled);
        if (core->now() >= deadline) co_return failure(errc::timeout);
        auto answer = co_await core->target().implementation()->perform(std::move(wanted.request), call_options{});
        run.answer(protocol::read_answer(std::move(answer)));
    }
    if (run.ended() == resolver::end::freed) co_return std::nullopt;
    co_return run.why();
}

awaitable<result<bool>> free_item(std::shared_ptr<transactions_impl> core, item_ref where) {
    auto request = protocol::look_at_item(where);
    auto read = co_await core->target().call(std::move(request));
    if (!read) co_return std::move(read).error();
    if (!read->found) co_return false;
    auto mark = protocol::mark_of(*read->found);
    if (!mark) co_return std::move(mark).error();
    if (!*mark) co_return false;
    protocol::seniority nobody;
    resolver run(core->options().table, where, **std::move(mark), std::move(nobody), hands_off);
    auto why = co_await resolve(std::move(core), std::move(run));
    if (why) co_return *std::move(why);
    co_return true;
}

awaitable<runtime::completion<bool>> run_free(std::shared_ptr<transactions_impl> core,
                                              std::shared_ptr<versioned_impl> table, item_key key,
                                              diagnostics* details) {
    runtime::completion<bool> done;
    const item_ref where{table->layout().table, std::move(key)};
    if (auto why = protocol::check_key(table->layout(), where.key)) {
        done.code = report(*why, details);
        co_return done;
    }
    auto freed = co_await free_item(core, where);
    if (freed)
        done.value = *freed;
    else
        done.code = co_await report_explained(core, protocol::met_at(where, std::move(freed).error()), details);
    co_return done;
}

}  // namespace

void transaction_free_verb::operator()(diagnostics* details, handler_for<bool> handler) && {
    const auto executor = core->world().executor;
    called_verb called{details, "transactions.free", protocol::text_of(key), table->options().table};
    start_verb<bool>(executor, std::move(called), run_free(std::move(core), std::move(table), std::move(key), details),
                     std::move(handler));
}

}  // namespace dynalease::detail
