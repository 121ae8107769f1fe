// Asking whether anybody lives who has a ticket: for those who wait only until that is known.
// SPDX-License-Identifier: BSL-1.0
#include "queue/queue_inquiry.hpp"

#include "session/protocol/session_watch.hpp"

#include <algorithm>
#include <utility>

namespace dynalease::detail {

using protocol::ask_step;

ask_step queue_inquiry::decide(queue_entrant& who, const std::vector<protocol::seen_ticket>& line) {
    // As it was before, or deleted: nothing is known of those who were there.
    if (protocol::behind(*view_.head(), *who.first_seen)) who.first_seen = *view_.head();
    const bool seen_alive = std::ranges::any_of(line, [&](const auto& seen) {
        if (seen.row.is_void || seen.row.ticket <= view_.head()->passed) return false;
        const auto* watch = core_.remotes().known(seen.row.session);
        return watch && !watch->over() && watch->seen_alive() >= who.came;
    });
    return protocol::decide_ask({.first = *who.first_seen,
                                 .head = *view_.head(),
                                 .passed_here = view_.places().passed_here,
                                 .seen_alive = seen_alive});
}

// Who stands first of those that were seen to live, or empty.
const std::string* queue_inquiry::first_of_others(const std::vector<protocol::seen_ticket>& line) const {
    const auto first = std::ranges::find_if(line, [this](const auto& seen) {
        return seen.owner == protocol::owner_is::other && !seen.row.is_void && seen.row.ticket > view_.head()->passed;
    });
    return first == line.end() ? nullptr : &first->row.session;
}

boost::asio::awaitable<bool> queue_inquiry::nobody_lives(std::shared_ptr<queue_entrant> who) {
    std::vector<protocol::seen_ticket> line;
    auto next_survey = core_.now();
    auto next = decide(*who, line);
    shared_failure why;
    if (!who->pause) who->pause.emplace(core_.world());
    const auto goes_on = [&] { return next == ask_step::go_on && !why && core_.live() && who->wanted(); };
    while (goes_on()) {
        const auto passed = view_.head()->passed;
        if (core_.now() >= next_survey) {
            auto seen = co_await watch_.examine(view_.head()->tail + 1, true);
            line = std::move(seen.rows);
            why = std::move(seen.why);
            // Who lives as far as is known is asked for ever more rarely: what has lasted long will last.
            const bool may_last = watch_.blocked();
            const auto asked_for = core_.now() - who->came;
            next_survey =
                may_last ? std::max(watch_.next_examination(), core_.now() + asked_for / 4) : watch_.next_examination();
        } else {
            co_await watch_.look_at_sessions(line, view_.head()->tail + 1);
        }
        next = decide(*who, line);
        if (!goes_on()) break;
        const auto* first = first_of_others(line);
        const auto* watch = first ? &core_.remotes().watch(*first) : nullptr;
        // Who has died is passed over at once, and so is whom that brings to the front.
        if (view_.head()->passed != passed || (watch && watch->over())) {
            next_survey = core_.now();
            continue;
        }
        const auto next_look = watch ? watch->next_look(who->came, 1) : next_survey;
        co_await who->pause->wait_until(
            std::max(std::min(next_survey, next_look), core_.now() + options_.poll_interval));
        if (!goes_on()) break;
        // Of a long lease the rows are read much more often: they show who has left, too.
        if (core_.now() < next_look) continue;
        const auto seen = co_await view_.look();
        if (seen.kind != answer::applied) why = seen.why;
        next = decide(*who, line);
    }
    if (next == ask_step::refuse) who->complete({});
    if (why) who->complete({{}, why});
    co_return next == ask_step::take && !why && who->wanted();
}

}  // namespace dynalease::detail
