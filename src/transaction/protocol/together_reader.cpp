// Reading items at one moment: what is asked for, and when the answers are enough.
// SPDX-License-Identifier: BSL-1.0
#include "transaction/protocol/together_reader.hpp"

#include "database/protocol/backoff.hpp"
#include "database/protocol/joint_reasons.hpp"
#include "transaction/protocol/joint_requests.hpp"
#include "transaction/protocol/planned_writes.hpp"
#include "transaction/protocol/transaction_decisions.hpp"
#include "transaction/protocol/transaction_requests.hpp"

#include <algorithm>
#include <utility>
#include <variant>

namespace dynalease::protocol {

using detail::answer;
using namespace std::chrono_literals;

namespace {

/// For a service that leaves items unread again and again.
constexpr std::chrono::seconds longest_reading{60};

/// Before one more call for all: none the first time, since what was learned may suffice; then 25 ms doubling to 500
/// ms. Who looks at each twice does not pause: what is between two looks must stand still.
std::chrono::nanoseconds pause_before(unsigned moment) {
    if (moment <= 2) return {};
    return std::min<std::chrono::nanoseconds>(25ms * (1U << std::min(moment - 3, 5U)), 500ms);
}

failure told(errc code, std::string message) {
    failure why(code);
    why.details.message = std::move(message);
    return why;
}

failure no_moment() {
    return told(errc::transaction_conflict, "there was no moment at which nobody was at work on the items");
}

failure too_slow() {
    return told(errc::throttled, "the service was asked for the items again and again, and had no time for this one");
}

bool is_final(const std::optional<transaction_header>& header, const run_name& of) {
    return !header || header->name != of || header->done || header->state != header_state::pending;
}

}  // namespace

together_reader::together_reader(std::string coordination, std::vector<item_ref> items)
    : coordination_(std::move(coordination)),
      items_(std::move(items)),
      one_call_(items_.size() <= most_actions),
      seen_(items_.size()),
      again_(items_.size()),
      marks_(items_.size()) {
    if (items_.empty())
        phase_ = phase::ended;
    else
        look_again();
}

// ---- what it wants -----------------------------------------------------------------------------------------

void together_reader::begin(phase what) {
    phase_ = what;
    tasks_.clear();
    sent_ = 0;
}

void together_reader::read_each(const std::vector<std::size_t>& items) {
    for (std::size_t from = 0; from < items.size(); from += most_actions) {
        const auto until = std::min(items.size(), from + most_actions);
        const auto at = [&](std::size_t i) { return items.begin() + static_cast<std::ptrdiff_t>(i); };
        tasks_.push_back({.items = {at(from), at(until)}});
    }
}

/// From the beginning; or from the last look, which counts as the first of the next moment.
void together_reader::look_again(std::chrono::nanoseconds pause) {
    if (one_call_ || moment_ > 1) return cut(pause);
    std::vector<std::size_t> all(items_.size());
    for (std::size_t i = 0; i < all.size(); ++i) all[i] = i;
    begin(phase::gathering);
    read_each(all);
}

/// What is not there has no stamp that would tell of its coming and going: it is looked at in one call, and that is the
/// moment. So is all, where it fits into one.
void together_reader::cut(std::chrono::nanoseconds pause) {
    std::vector<std::size_t> wanted;
    for (std::size_t i = 0; i < items_.size(); ++i) {
        if (one_call_ || !seen_[i]) wanted.push_back(i);
    }
    if (wanted.size() > most_actions) {
        return fail(told(errc::too_many_items, std::to_string(wanted.size()) +
                                                   " of the items are not there; of more than 100 items that are read "
                                                   "together, 100 may be missing"));
    }
    begin(phase::cutting);
    if (wanted.empty()) return ask();
    tasks_.push_back({.items = std::move(wanted), .pause = pause});
}

void together_reader::ask() {
    begin(phase::asking);
    for (std::size_t i = 0; i < items_.size(); ++i) {
        marks_[i].reset();
        if (!seen_[i]) continue;
        auto mark = mark_of(*seen_[i]);
        if (!mark) return fail(about(std::move(mark).error(), items_[i]));
        marks_[i] = *std::move(mark);
        if (!marks_[i]) continue;
        const auto& owner = marks_[i]->owner;
        const auto known = runs_.find(owner.text());
        const bool for_ever = known != runs_.end() && is_final(known->second.header, owner);
        if (!for_ever && std::ranges::find(tasks_, owner, &task::run) == tasks_.end()) tasks_.push_back({.run = owner});
    }
    if (tasks_.empty()) advance();
}

void together_reader::confirm() {
    std::vector<std::size_t> there;
    again_.assign(items_.size(), std::nullopt);
    for (std::size_t i = 0; i < items_.size(); ++i) {
        if (seen_[i]) there.push_back(i);
    }
    begin(phase::confirming);
    read_each(there);
    if (tasks_.empty()) advance();
}

any_request together_reader::request_of(const task& what) const {
    if (phase_ == phase::asking) return transaction_requests(coordination_, what.run).look();
    std::vector<item_ref> places;
    places.reserve(what.items.size());
    for (const auto each : what.items) places.push_back(items_[each]);
    if (phase_ == phase::cutting) return look_at_one_moment(places);
    return look_at_each(places);
}

std::optional<errand> together_reader::next(std::int64_t) {
    if (ended() || busy_ == most_errands || sent_ == tasks_.size()) return std::nullopt;
    const auto slot = sent_++;
    ++busy_;
    return errand{.slot = slot, .pause = tasks_[slot].pause, .request = request_of(tasks_[slot])};
}

// ---- what it is told -----------------------------------------------------------------------------------------

void together_reader::fail(failure why) {
    why_ = std::move(why);
    phase_ = phase::ended;
}

/// Of a request for these.
void together_reader::fail_on(const std::vector<std::size_t>& items, failure why) {
    const auto& table = items_[items.front()].table;
    const bool one_table = std::ranges::all_of(items, [&](std::size_t each) { return items_[each].table == table; });
    if (why.details.table.empty() && one_table) why.details.table = table;
    fail(std::move(why));
}

void together_reader::stop(failure why) {
    if (!ended()) fail(std::move(why));
}

void together_reader::answer(std::size_t slot, errand_answer with) {
    --busy_;
    if (ended()) return;
    auto& asked = tasks_[slot];
    switch (phase_) {
        case phase::cutting:
            answer_cut(asked.items, std::move(with));
            break;
        case phase::asking:
            answer_row(asked.run, with);
            break;
        default:
            answer_batch(std::move(asked.items), std::move(with));
            break;
    }
    if (!ended() && busy_ == 0 && sent_ == tasks_.size()) advance();
}

void together_reader::answer_cut(const std::vector<std::size_t>& items, errand_answer with) {
    if (with.kind == answer::applied) {
        auto* shown = std::get_if<transact_get_items_response>(&with.several);
        if (!shown || shown->items.size() != items.size()) return fail(errc::bad_response);
        for (std::size_t i = 0; i < items.size(); ++i) seen_[items[i]] = std::move(shown->items[i]);
        return;
    }
    const bool other_time = with.kind == answer::delayed && with.why.reasons.size() == items.size();
    if (other_time) return miss_cut(items, with.why);
    // More than the 4 MB of a call; whatever else was wrong with it, shows again.
    const bool too_large = with.why.code == errc::validation || with.why.code == errc::transaction_canceled;
    if (!one_call_ || !too_large) return fail_on(items, std::move(with.why));
    one_call_ = false;
    moment_ = 1;
    look_again();
}

void together_reader::answer_row(const run_name& run, const errand_answer& with) {
    if (with.kind != answer::applied) return fail(with.why);
    auto header = parse_transaction_header(with.shown ? &*with.shown : nullptr);
    if (!header) return fail(std::move(header).error());
    runs_.insert_or_assign(run.text(), known_run{*std::move(header), moment_});
}

void together_reader::answer_batch(std::vector<std::size_t> items, errand_answer with) {
    if (with.kind != answer::applied) return fail_on(items, std::move(with.why));
    auto* shown = std::get_if<batch_get_item_response>(&with.several);
    if (!shown) return fail(errc::bad_response);
    const auto asked = items.size();
    auto& into = phase_ == phase::gathering ? seen_ : again_;
    for (const auto each : items) {
        const auto& [place, key] = items_[each];
        auto& found = shown->items[place];
        const auto is_it = [&key](const item& one) {
            return std::ranges::all_of(key, [&one](const auto& part) {
                const auto* value = find(one, part.first);
                return value && *value == part.second;
            });
        };
        const auto one = std::ranges::find_if(found, is_it);
        if (one != found.end()) into[each] = std::move(*one);
    }
    std::erase_if(items, [&](std::size_t each) {
        const auto& [place, key] = items_[each];
        const auto& left = shown->unprocessed[place].keys;
        return std::ranges::find(left, item_key(key)) == left.end();
    });
    if (items.empty()) return;
    const auto pause = items.size() < asked ? 0ns : detail::retry_pause(left_unread_.times);
    left_unread_ = items.size() < asked ? unread() : unread{left_unread_.times + 1, left_unread_.waited + pause};
    if (left_unread_.waited > longest_reading) {
        auto why = told(errc::throttled, std::to_string(items.size()) + " items were left unread again and again");
        why.details.attempts = left_unread_.times;
        return fail_on(items, std::move(why));
    }
    tasks_.push_back({.items = std::move(items), .pause = pause});
}

// ---- whether it is enough ----------------------------------------------------------------------------------

void together_reader::advance() {
    switch (phase_) {
        case phase::gathering:
            return cut({});
        case phase::cutting:
            return ask();
        case phase::asking:
            return one_call_ ? judge({}) : confirm();
        case phase::confirming: {
            const auto other = std::ranges::mismatch(seen_, again_).in1;
            const auto index = static_cast<std::size_t>(other - seen_.begin());
            if (index == seen_.size()) return judge({});
            seen_ = std::move(again_);
            return judge(index);
        }
        case phase::ended:
            return;
    }
}

/// This moment was none. @param why it is in vain, and of which item, if it was the last
void together_reader::miss(failure why) {
    if (moment_ < most_moments) {
        const auto others_end = one_call_ ? pause_before(moment_ + 1) : 0ns;
        const auto pause = why.code == errc::throttled ? detail::retry_pause(moment_ - 1) : others_end;
        ++moment_;
        return look_again(pause);
    }
    why.details.attempts = most_moments;
    fail(std::move(why));
}

/// Others write just now, or the service asks to slow down.
void together_reader::miss_cut(const std::vector<std::size_t>& items, const failure& why) {
    std::size_t at = items.front();
    auto told = no_moment();
    for (std::size_t i = 0; i < items.size(); ++i) {
        const auto kind = detail::kind_of(why.reasons[i]);
        if (!passes(kind)) continue;
        at = items[i];
        if (kind != detail::joint_reason::throttled) continue;
        told = too_slow();
        break;
    }
    told.details.request_id = why.details.request_id;
    miss(about(std::move(told), items_[at]));
}

/// @param changed an item that lies otherwise than before; none: all stood still
void together_reader::judge(std::optional<std::size_t> changed) {
    std::vector<std::optional<item>> committed;
    committed.reserve(items_.size());
    for (std::size_t i = 0; !changed && i < items_.size(); ++i) {
        if (!marks_[i]) {
            committed.push_back(seen_[i]);
            continue;
        }
        const auto& run = runs_.at(marks_[i]->owner.text());
        switch (decide_moment(*marks_[i], run.header, run.moment < moment_)) {
            case moment_step::before:
                committed.push_back(before_mark(*seen_[i], *marks_[i]));
                break;
            case moment_step::after:
                committed.push_back(after_mark(*seen_[i], *marks_[i]));
                break;
            case moment_step::another:
                changed = i;
                break;
        }
    }
    if (!changed) {
        found_ = std::move(committed);
        phase_ = phase::ended;
        return;
    }
    miss(about(no_moment(), items_[*changed]));
}

}  // namespace dynalease::protocol
