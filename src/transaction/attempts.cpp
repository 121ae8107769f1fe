// The attempts of one `run`: what is done again, when, and when no more.
// SPDX-License-Identifier: BSL-1.0
#include "database/called_verb.hpp"
#include "database/table_key.hpp"
#include "runtime/own_process.hpp"
#include "transaction/commit.hpp"
#include "transaction/held_items.hpp"
#include "transaction/protocol/plan_limits.hpp"
#include "transaction/run_pause.hpp"
#include "transaction/torn_view.hpp"
#include "transaction/transactions_impl.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/deferred.hpp>

#include <chrono>
#include <exception>
#include <string>
#include <tuple>
#include <utility>

namespace dynalease::detail {

namespace {

using boost::asio::awaitable;

/// Whether another attempt may fare better.
bool passes(const error_code& code) {
    return code == errc::conflict || code == errc::locked || code == errc::transaction_conflict;
}

awaitable<runtime::completion<void>> run_commit(std::shared_ptr<open_transaction> of, diagnostics* details) {
    runtime::completion<void> done;
    std::optional<failure> why = failure(errc::shut_down);
    if (!of->process.in_child()) why = co_await commit(of);
    if (why) {
        const auto& rows = of->core->options().table;
        // Where it may be any table's fault, all are named.
        const auto blamed = ", " + why->details.table + ",";
        const bool of_rows = why->details.table.empty() || blamed.find(", " + rows + ",") != blamed.npos;
        if (of_rows) why = co_await explained_by_key(of->core->target(), rows, *std::move(why));
        // What no table of the application's is to blame for is told of the whole.
        if (of_rows && why->details.key.empty()) why->details.key = of->id;
        done.code = report(*why, details);
    }
    of->ended = done.code;
    co_return done;
}

/// Has an attempt hold what another one has touched, before its body runs.
struct hold_verb {
    std::shared_ptr<open_transaction> attempt;
    std::shared_ptr<const open_transaction> like;

    static awaitable<runtime::completion<void>> run(std::shared_ptr<open_transaction> attempt,
                                                    std::shared_ptr<const open_transaction> like,
                                                    diagnostics* details) {
        runtime::completion<void> done;
        std::vector<placed_key> places;
        // What its own guard locks, nobody else changes; and no transaction can lock it.
        for (const auto& each : like->draft.items()) {
            if (!like->draft.guards(each)) places.push_back({each.layout, each.key});
        }
        auto held = co_await held_items::take(attempt, std::move(places));
        if (held)
            attempt->held = *std::move(held);
        else
            done.code = report(held.error(), details);
        co_return done;
    }
    void operator()(diagnostics* details, handler_for<void> handler) && {
        const auto executor = attempt->core->world().executor;
        called_verb called{details, "transactions.run", {}, attempt->core->options().table};
        start_verb<void>(executor, std::move(called), run(std::move(attempt), std::move(like), details),
                         std::move(handler));
    }
};

/// Whether looking again later would not tell either: rights or the operation are wanting, or one call takes too few of
/// those that are not there.
bool cannot_be_told(const error_code& code) {
    return code == condition::denied || code == errc::not_supported || code == errc::validation ||
           code == errc::too_many_items;
}

/// Of the library's errors, those that the state of an item is to blame for.
bool may_be_for_items(const std::exception_ptr& thrown) {
    try {
        std::rethrow_exception(thrown);
    } catch (const error& told) {
        const auto& code = told.code();
        return code == errc::conflict || code == errc::missing || code == errc::exists ||
               code == errc::condition_failed;
    } catch (...) {
        return true;
    }
}

/// In place of what the body threw, which may be for what never was so.
std::string unsettled(const diagnostics& details, const error_code& code) {
    return "the body threw, and whether all that it had read was so at one moment could not be read: " +
           (details.message.empty() ? code.message() : details.message);
}

awaitable<runtime::completion<void>> refuse_commit(std::shared_ptr<open_transaction> of, diagnostics* details) {
    auto why = is_over(*of);
    if (of->of_run) {
        why.details.message = "the body of run does not commit";
        why.details.advice = "return from it: run commits";
    }
    co_return runtime::completion<void>{report(why, details)};
}

}  // namespace

void commit_verb::operator()(diagnostics* details, handler_for<void> handler) && {
    const auto executor = of->core->world().executor;
    called_verb called{details, "transaction.commit", {}, of->core->options().table};
    const bool may = !of->of_run && !std::exchange(of->over, true);
    auto body = may ? run_commit(std::move(of), details) : refuse_commit(std::move(of), details);
    start_verb<void>(executor, std::move(called), std::move(body), std::move(handler));
}

transaction_attempts::transaction_attempts(std::shared_ptr<transactions_impl> core, run_options options)
    : core_(std::move(core)), process_(std::make_shared<runtime::own_process>()), options_(std::move(options)) {
    check(options_, "transactions.run");
    born_ = core_->world().clock->wall();
    began_ = core_->now();
    deadline_ = core_->after(options_.within);
}

awaitable<bool> transaction_attempts::committed_before() {
    if (!options_.id || !std::exchange(asks_, false)) co_return false;
    transaction_end_verb resume{core_, *options_.id, true, "transactions.run"};
    const auto state = co_await await_verb<transaction_state>(core_->world().executor, std::move(resume));
    check_process();
    co_return state == transaction_state::committed;
}

/// Who fails fast waits for nobody.
bool transaction_attempts::locks_first() const {
    const auto tier = options_.tier;
    const bool may = tier == transaction_tier::automatic || tier == transaction_tier::locked_commit;
    if (!may || core_->options().policy == wait_policy::fail_fast) return false;
    if (made_ < (tier == transaction_tier::automatic ? 5U : 1U)) return false;
    return last_->one_call && !last_->draft.items().empty() && last_->draft.actions() < protocol::most_actions;
}

/// A forked child has a copy of what its parent was about.
void transaction_attempts::check_process() const {
    if (!process_->in_child()) return;
    diagnostics details;
    details.message = "this process is a fork of the one whose run it is, which goes on there";
    called_verb{&details, "transactions.run", {}, core_->options().table}(errc::shut_down);
    throw error(errc::shut_down, std::move(details));
}

awaitable<std::shared_ptr<open_transaction>> transaction_attempts::next() {
    check_process();
    auto attempt = open(core_, options_, born_.time_since_epoch().count(), deadline_);
    if (locks_first()) {
        diagnostics details;
        hold_verb verb{attempt, last_};
        auto done = co_await initiate<void>(core_->world().executor, std::move(verb), details,
                                            boost::asio::as_tuple(boost::asio::deferred));
        const error_code code = std::get<0>(done);
        asks_ = static_cast<bool>(code);
        if (code && code != errc::already_committed) {
            auto going_on = go_on_after(code, std::move(details), false);
            co_await std::move(going_on);
        }
        if (code) co_return nullptr;
    }
    ++made_;
    attempt->of_run = true;
    last_ = attempt;
    co_return attempt;
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
    asks_ = last_->leaves_row || code == errc::already_committed;
    if (code == errc::already_committed) co_return false;
    auto going_on = go_on_after(code, std::move(details), made_ >= options_.attempts);
    co_await std::move(going_on);
    co_return false;
}

awaitable<bool> transaction_attempts::stands(std::shared_ptr<open_transaction> attempt, std::exception_ptr thrown) {
    if (!may_be_for_items(thrown)) co_return true;
    attempt->over = true;
    if (may_be_torn(*attempt)) {
        diagnostics details;
        verify_verb verb{std::move(attempt)};
        const auto executor = core_->world().executor;
        auto done =
            co_await initiate<void>(executor, std::move(verb), details, boost::asio::as_tuple(boost::asio::deferred));
        const error_code code = std::get<0>(done);
        if (code && cannot_be_told(code)) co_return true;
        if (code) {
            if (!passes(code)) details.message = unsettled(details, code);
            auto going_on = go_on_after(code, std::move(details), made_ >= options_.attempts);
            co_await std::move(going_on);
            co_return false;
        }
    }
    // Under its id another may have committed since it was asked for: then it has seen what that has made.
    asks_ = options_.id.has_value();
    auto asking = committed_before();
    asks_ = co_await std::move(asking);
    co_return !asks_;
}

/// No coroutine: one that is awaited by whoever was cancelled tells nothing but that.
awaitable<void> transaction_attempts::go_on_after(error_code code, diagnostics details, bool last) {
    throw_if_final(code, std::move(details), last);
    return rest();
}

void transaction_attempts::throw_if_final(error_code code, diagnostics details, bool last) {
    check_process();
    called_verb{&details, "transactions.run", {}, core_->options().table}(code);
    const bool in_time = core_->now() < deadline_;
    if (passes(code)) met_ = refusal{code, details};
    // The time was up in the middle of an attempt, of which nothing has happened: who was in the way says why.
    if (code == errc::timeout && !in_time && met_) {
        code = met_->code;
        details = met_->details;
    }
    if (passes(code) && !last && in_time) return;
    if (made_ > 1) tell_attempts(details, code);
    const bool bounded = passes(code) || (code == errc::timeout && !in_time);
    if (bounded && details.advice.empty()) {
        details.advice = in_time ? "attempts, in its options, bounds how often the body runs: " + std::to_string(made_)
                                 : "within, in its options, bounds the time of all attempts: " +
                                       std::to_string(options_.within.count()) + " ms";
    }
    throw error(code, std::move(details));
}

void transaction_attempts::tell_attempts(diagnostics& details, const error_code& code) const {
    const auto time = std::chrono::duration_cast<std::chrono::milliseconds>(core_->now() - began_);
    const auto last = details.message.empty() ? code.message() : std::exchange(details.message, {});
    details.message = std::to_string(made_) + " attempts in " + std::to_string(time.count()) + " ms; the last: " + last;
}

awaitable<void> transaction_attempts::rest() {
    // Who fails fast waits for nobody.
    const bool waits = met_ && core_->options().policy != wait_policy::fail_fast;
    std::string item = waits ? met_->details.table + " " + met_->details.key : std::string();
    pause_verb pause{core_, std::move(place_), std::move(item), ++failed_, deadline_};
    auto rested = await_verb<std::shared_ptr<run_place>>(core_->world().executor, std::move(pause));
    place_ = co_await std::move(rested);
}

void transaction_attempts::throw_committed_before() const {
    diagnostics details;
    details.operation = "transactions.run";
    details.table = core_->options().table;
    details.key = *options_.id;
    throw error(errc::already_committed, std::move(details));
}

}  // namespace dynalease::detail
