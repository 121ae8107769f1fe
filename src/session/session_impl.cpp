// One life of a session: its identity, what it tells, and how it ends.
// SPDX-License-Identifier: BSL-1.0
#include "session/session_impl.hpp"

#include "session/call_hook.hpp"
#include "session/protocol/plain_identity.hpp"
#include "session/protocol/session_words.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/deferred.hpp>

#include <utility>

namespace dynalease::detail {

session_impl::session_impl(database target, session_terms terms, session_ancestry ancestry)
    : database_(std::move(target)),
      terms_(std::move(terms)),
      ancestry_(std::move(ancestry)),
      id_(plain() ? protocol::plain_identity(world().new_id(), options().lease) : world().new_id()),
      context_(runtime::context_end::of(world().executor)),
      status_(world().clock, terms_.times, options().begins_anew),
      remotes_(database_, *this),
      formers_(*this, ancestry_.unclosed, ancestry_.leaving),
      opening_(*this),
      heartbeat_(*this),
      closing_(*this),
      life_(world().executor),
      over_waiters_(world().executor),
      members_(*this) {
    if (!plain()) return;
    status_.open();
    status_.acknowledge(now());
}

session_impl::~session_impl() = default;

// ---- any thread --------------------------------------------------------------------------------------------

std::shared_ptr<session_impl> session_impl::next() const {
    auto after = ancestry_;
    ++after.number;
    return std::make_shared<session_impl>(database_, terms_, std::move(after));
}

void session_impl::announce_close(const close_options& how) noexcept {
    closing_.announced();
    const auto now = status_.state();
    if (now == session_state::closed || now == session_state::lost) return;
    const bool work_goes_on = members_.refuse_work();
    status_.announce_close(how.release && (work_goes_on || how.waits_for_guards));
}

// ---- the database's executor -------------------------------------------------------------------------------

void session_impl::log(severity level, const std::string& line) const {
    if (!options().log) return;
    try {
        detail::plain(options().log)(level, protocol::words_of_session(id_, options().owner) + ": " + line);
    } catch (...) {
        // There is nobody left to tell.
    }
}

void session_impl::tell(session_state now) {
    if (!status_.is_news(now) || !options().on_state) return;
    call_hook(
        "on_state", [&] { detail::plain(options().on_state)(now); },
        [&](const auto& line) { log(severity::error, line); });
}

failure session_impl::over_failure() const {
    const bool closed = status_.closing() || status_.state() == session_state::closed;
    failure why(closed ? errc::session_closed : errc::session_lost);
    why.details.table = table();
    why.details.message = status_.why_lost();
    return why;
}

failure session_impl::given_up(error_code waited, bool may_land) const {
    if (may_land) return failure(errc::in_doubt);
    auto over = over_failure();
    // In the next life the caller would have waited on.
    const bool tells = over.code == errc::session_closed || !status_.may_be_followed();
    if (!live() && tells) return over;
    return failure(waited == boost::asio::error::timed_out ? errc::wait_timeout : errc::cancelled);
}

void session_impl::heed(const failure& why) {
    if (why.code == errc::shut_down) lose("the client was closed", loss::for_good);
}

void session_impl::notice_loss() {
    if (status_.in_child()) return lose("this process is a fork of the one whose session it is", loss::for_good);
    if (status_.now_in() == session_state::lost) lose(heartbeat_.words_of_silence(status_.deadline()), loss::unsaid);
}

void session_impl::lose(const std::string& why, loss how) {
    if (status_.ended()) return;
    // Nobody else has said so, and its row goes on saying the opposite.
    if (how == loss::unsaid && !plain()) formers_.add(id_);
    if ((how == loss::to_twin || how == loss::for_good) && !plain()) formers_.leave_present();
    ancestry_.unclosed = formers_.ids();
    status_.lose(why, how == loss::for_good);
    ++counters().lives_lost;
    const bool goes_on = status_.may_be_followed() && !status_.closing();
    log(severity::error, "lost: " + why + (goes_on ? "; with the next lease it begins anew" : ""));
    const auto told = over_failure();
    std::vector<std::shared_ptr<pending_release>> grants;
    for (const auto& member : members_.all()) {
        member->list_grants(grants);
        member->session_lost(told);
    }
    formers_.keep(grants);
    ancestry_.leaving = formers_.leaving();
    end();
    status_.note_told_of_loss();
    tell(session_state::lost);
}

void session_impl::end() {
    status_.end();
    members_.end();
    opening_.session_ends();
    heartbeat_.session_ends();
    over_waiters_.complete_all({});
}

void session_impl::end_by_closing() {
    status_.close();
    if (!status_.ended()) end();
}

boost::asio::awaitable<error_code> session_impl::wait_over() {
    if (!status_.ended()) {
        auto done = co_await over_waiters_.async_wait(boost::asio::as_tuple(boost::asio::deferred));
        if (!status_.ended()) co_return std::get<0>(done);
    }
    co_return status_.state() == session_state::lost ? make_error_code(errc::session_lost) : error_code();
}

}  // namespace dynalease::detail
