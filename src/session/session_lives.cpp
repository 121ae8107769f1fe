// From one life of a session to the next.
// SPDX-License-Identifier: BSL-1.0
#include "session/session_lives.hpp"

#include "database/table_key.hpp"

namespace dynalease::detail {

/// In a forked child a thread that is not there may hold the mutex for ever. There nothing changes any more: the
/// session is lost, and no life follows.
std::unique_lock<std::mutex> session_lives::held() const {
    std::unique_lock hold(mutex_, std::defer_lock);
    if (!process_.in_child()) hold.lock();
    return hold;
}

void session_lives::log(severity level, const std::string& line) const {
    // Called without the mutex: whoever is told may ask for the next life.
    const auto life = [this] {
        const auto hold = held();
        return present_;
    }();
    life->log(level, line);
}

bool session_lives::context_ended() const noexcept {
    const auto hold = held();
    return present_->context_ended();
}

const std::shared_ptr<session_impl>& session_lives::present_now() {
    if (!closed_ && present_->status().awaits_next()) present_ = present_->next();
    return present_;
}

std::shared_ptr<session_impl> session_lives::present() {
    const auto hold = held();
    return present_now();
}

session_state session_lives::state() const noexcept {
    const auto hold = held();
    const auto now = present_->status().state();
    // The next life begins with whoever asks for something.
    const bool goes_on = now == session_state::lost && !closed_ && present_->status().may_be_followed();
    return goes_on ? session_state::idle : now;
}

std::shared_ptr<session_impl> session_lives::announce_close(const close_options& how) {
    const auto hold = held();
    present_now()->announce_close(how);
    closed_ = true;
    return present_;
}

boost::asio::awaitable<failure> explained_by_key(std::shared_ptr<session_lives> lives, failure why) {
    const auto life = lives->present();
    co_return co_await explained_by_key(life->target(), lives->options().table, std::move(why));
}

}  // namespace dynalease::detail
