// The public handle of a session.
// SPDX-License-Identifier: BSL-1.0
#include <dynalease/session.hpp>

#include "database/called_verb.hpp"
#include "database/table_key.hpp"
#include "runtime/cancellation.hpp"
#include "session/callers.hpp"
#include "session/session_lives.hpp"
#include "session/session_options.hpp"
#include "session/wait_limit.hpp"

#include <boost/asio/post.hpp>

#include <utility>

namespace dynalease {

namespace {

using boost::asio::awaitable;

/// In one life of a session.
struct opening_outcome {
    detail::shared_failure why{};
    unsigned requests = 0;
    bool asked = false;
};

awaitable<opening_outcome> open_life(std::shared_ptr<detail::session_impl> life, detail::wait_limit limit) {
    auto opened = co_await life->opening().until_live(limit);
    co_return opening_outcome{std::move(opened.why), opened.requests, true};
}

awaitable<runtime::completion<void>> run_open(std::shared_ptr<detail::session_lives> lives, open_options options,
                                              diagnostics* details) {
    runtime::completion<void> done;
    const auto limit = detail::limit_of(lives->world().clock->now(), options.wait);
    auto ask = [&](const std::shared_ptr<detail::session_impl>& life) { return open_life(life, limit); };
    const auto opened = co_await detail::ask_in_lives<opening_outcome>(lives, limit, ask);
    if (opened.why) {
        done.code = detail::report(*opened.why, details);
        co_return done;
    }
    const auto life = lives->present();
    if (life->plain()) co_return done;
    const auto odd = co_await detail::look_for_key_fault(life->target(), life->options().table);
    const bool cancelled = co_await runtime::cancellation_requested();
    if (cancelled) {
        done.code = make_error_code(errc::cancelled);
    } else if (odd) {
        done.code = detail::report(*odd, details);
    } else if (!life->live()) {
        done.code = detail::report(life->over_failure(), details);
    }
    co_return done;
}

awaitable<runtime::completion<void>> run_over(std::shared_ptr<detail::session_lives> lives, diagnostics* details) {
    for (;;) {
        const auto life = lives->present();
        const auto code = co_await life->wait_over();
        if (!detail::ends_with_its_life(*lives, *life, code)) {
            if (code == errc::session_lost) detail::report(life->over_failure(), details);
            co_return runtime::completion<void>{code};
        }
        const bool cancelled = co_await runtime::cancellation_requested();
        if (cancelled) co_return runtime::completion<void>{make_error_code(errc::cancelled)};
    }
}

awaitable<runtime::completion<close_report>> run_close(std::shared_ptr<detail::session_impl> core) {
    auto report = co_await core->closing().wait();
    if (!report) co_return runtime::completion<close_report>{report.error().code, {}};
    co_return runtime::completion<close_report>{{}, *std::move(report)};
}

void close_in_background(const std::shared_ptr<detail::session_lives>& lives) {
    if (!lives || lives->context_ended()) return;
    auto last = lives->announce_close({});
    const auto executor = last->world().executor;
    boost::asio::post(executor, [last = std::move(last)] { last->closing().begin({}); });
}

detail::called_verb called(const detail::session_impl& life, const char* verb, diagnostics* details) {
    return {details, verb, life.options().owner, life.options().table};
}

}  // namespace

session::session(database target, session_options options)
    : core_(std::make_shared<detail::session_lives>(std::move(target), detail::checked(std::move(options)))) {}

session::session(database target, plain_session_options options)
    : core_(std::make_shared<detail::session_lives>(std::move(target), detail::checked(std::move(options)))) {}

session::~session() {
    close_in_background(core_);
}

session& session::operator=(session&& other) noexcept {
    if (this != &other) close_in_background(std::exchange(core_, std::move(other.core_)));
    return *this;
}

session::executor_type session::get_executor() const noexcept {
    return core_->world().executor;
}
session_state session::state() const noexcept {
    return core_->state();
}
std::string session::id() const {
    return core_->present()->id();
}
std::uint64_t session::lives() const {
    return core_->present()->number();
}
const session_options& session::options() const noexcept {
    return core_->options();
}
session_counters session::counters() const {
    auto seen = core_->present()->counted();
    seen.state = core_->state();
    return seen;
}

void session::open_verb::operator()(diagnostics* details, detail::handler_for<void> handler) && {
    const auto life = core->present();
    const auto executor = core->world().executor;
    auto verb = called(*life, "session.open", details);
    detail::start_verb<void>(executor, std::move(verb), run_open(std::move(core), options, details),
                             std::move(handler));
}

void session::over_verb::operator()(diagnostics* details, detail::handler_for<void> handler) && {
    const auto life = core->present();
    detail::start_verb<void>(core->world().executor, called(*life, "session.over", details), run_over(core, details),
                             std::move(handler));
}

void session::close_verb::operator()(diagnostics* details, detail::handler_for<close_report> handler) && {
    const auto last = core->announce_close(options);
    // Not in the coroutine: one that is cancelled before its first step never runs.
    boost::asio::post(core->world().executor, [last, options = options] { last->closing().begin(options); });
    detail::start_verb<close_report>(core->world().executor, called(*last, "session.close", details), run_close(last),
                                     std::move(handler));
}

boost::asio::awaitable<void> session::open(open_options options) const {
    return detail::await_verb<void>(get_executor(), open_verb{core_, options});
}

boost::asio::awaitable<void> session::over() const {
    return detail::await_verb<void>(get_executor(), over_verb{core_});
}

boost::asio::awaitable<close_report> session::close(close_options options) {
    return detail::await_verb<close_report>(get_executor(), close_verb{core_, options});
}

}  // namespace dynalease
