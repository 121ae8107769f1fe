// The attempts of one `run`: what is done again, when, and when no more.
// SPDX-License-Identifier: BSL-1.0
#include "database/called_verb.hpp"
#include "runtime/alarm.hpp"
#include "transaction/commit.hpp"
#include "transaction/transactions_impl.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/deferred.hpp>

#include <algorithm>
#include <chrono>
#include <tuple>
#include <utility>

namespace dynalease::detail {

namespace {

using namespace std::chrono_literals;
using boost::asio::awaitable;

/// 20 ms doubling to 2 s; anything from half of that on, so that rivals part.
std::chrono::nanoseconds pause_after(const environment& world, unsigned attempts) {
    const auto longest = std::min<std::chrono::nanoseconds>(20ms * (1U << std::min(attempts - 1, 7U)), 2s);
    const auto half = static_cast<std::uint64_t>(longest.count() / 2);
    return longest / 2 + std::chrono::nanoseconds(world.random->below(half + 1));
}

/// Whether another attempt may fare better.
bool passes(const error_code& code) {
    return code == errc::conflict || code == errc::locked || code == errc::transaction_conflict;
}

struct pause_verb {
    std::shared_ptr<transactions_impl> core;
    unsigned attempts;

    static awaitable<runtime::completion<void>> run(std::shared_ptr<transactions_impl> core, unsigned attempts) {
        runtime::completion<void> done;
        const auto& world = core->world();
        runtime::alarm pause(world);
        const bool slept = co_await pause.wait_until(world.clock->now() + pause_after(world, attempts));
        if (!slept) done.code = errc::cancelled;
        co_return done;
    }
    void operator()(diagnostics* details, handler_for<void> handler) && {
        const auto executor = core->world().executor;
        called_verb called{details, "transactions.run", {}, core->options().table};
        start_verb<void>(executor, std::move(called), run(std::move(core), attempts), std::move(handler));
    }
};

awaitable<runtime::completion<void>> run_commit(std::shared_ptr<open_transaction> of, diagnostics* details) {
    runtime::completion<void> done;
    auto why = co_await commit(std::move(of));
    if (why) done.code = report(*why, details);
    co_return done;
}

awaitable<runtime::completion<void>> refuse_commit() {
    co_return runtime::completion<void>{make_error_code(errc::transaction_over)};
}

}  // namespace

void commit_verb::operator()(diagnostics* details, handler_for<void> handler) && {
    const auto executor = of->core->world().executor;
    called_verb called{details, "transaction.commit", {}, of->core->options().table};
    const bool may = !of->of_run && !std::exchange(of->over, true);
    auto body = may ? run_commit(std::move(of), details) : refuse_commit();
    start_verb<void>(executor, std::move(called), std::move(body), std::move(handler));
}

transaction_attempts::transaction_attempts(std::shared_ptr<transactions_impl> core, run_options options)
    : core_(std::move(core)), options_(std::move(options)) {
    check(options_);
    born_ = core_->world().clock->wall();
    deadline_ = core_->after(options_.within);
}

awaitable<bool> transaction_attempts::committed_before() const {
    if (options_.id.empty()) co_return false;
    transaction_end_verb resume{core_, options_.id, true, "transactions.run"};
    const auto state = co_await await_verb<transaction_state>(core_->world().executor, std::move(resume));
    co_return state == transaction_state::committed;
}

std::shared_ptr<open_transaction> transaction_attempts::next() {
    ++made_;
    auto attempt = open(core_, options_, born_.time_since_epoch().count(), deadline_);
    attempt->of_run = true;
    return attempt;
}

awaitable<bool> transaction_attempts::commit(std::shared_ptr<open_transaction> attempt) {
    diagnostics details;
    attempt->of_run = false;
    commit_verb verb{std::move(attempt)};
    const auto executor = core_->world().executor;
    auto done =
        co_await initiate<void>(executor, std::move(verb), details, boost::asio::as_tuple(boost::asio::deferred));
    const error_code code = std::get<0>(done);
    if (!code) co_return true;
    if (code == errc::already_committed) co_return false;
    const bool last = made_ >= options_.attempts || core_->now() >= deadline_;
    if (!passes(code) || last) throw error(code, std::move(details));
    pause_verb pause{core_, made_};
    co_await await_verb<void>(executor, std::move(pause));
    co_return false;
}

void transaction_attempts::throw_committed_before() const {
    diagnostics details;
    details.operation = "transactions.run";
    details.table = core_->options().table;
    details.key = options_.id;
    throw error(errc::already_committed, std::move(details));
}

}  // namespace dynalease::detail
