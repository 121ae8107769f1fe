// Reading a row and its pages.
// SPDX-License-Identifier: BSL-1.0
#include "transaction/protocol/plan_reader.hpp"

#include "database/protocol/backoff.hpp"
#include "session/protocol/row.hpp"
#include "transaction/protocol/transaction_decisions.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace dynalease::protocol {

using detail::answer;

plan_reader::plan_reader(std::string coordination, std::string id, bool takes_over)
    : coordination_(std::move(coordination)), id_(std::move(id)), takes_over_(takes_over) {}

plan_reader::plan_reader(std::string coordination, transaction_header header, bool takes_over)
    : plan_reader(std::move(coordination), header.name.id, takes_over) {
    found_ = std::move(header);
    read_pages();
}

plan_reader plan_reader::looking_at(std::string coordination, std::string id) {
    return {std::move(coordination), std::move(id), false};
}

plan_reader plan_reader::looking_at(std::string coordination, transaction_header header) {
    return {std::move(coordination), std::move(header), false};
}

plan_reader plan_reader::taking_over(std::string coordination, std::string id) {
    return {std::move(coordination), std::move(id), true};
}

plan_reader plan_reader::taking_over(std::string coordination, transaction_header header) {
    return {std::move(coordination), std::move(header), true};
}

void plan_reader::begin(phase what) {
    phase_ = what;
    sent_ = 0;
}

void plan_reader::fail(failure why) {
    why_ = std::move(why);
    phase_ = phase::ended;
}

void plan_reader::stop(failure why) {
    if (!ended()) fail(std::move(why));
}

std::optional<errand> plan_reader::next(std::int64_t) {
    const auto wanted = phase_ == phase::reading ? pages_.size() : 1;
    if (ended() || sent_ == wanted || busy_ == most_errands) return std::nullopt;
    const auto slot = sent_++;
    ++busy_;
    const run_name any_run{id_, {}};
    const transaction_requests row(coordination_, found_ ? found_->name : any_run);
    if (phase_ == phase::looking) return errand{.slot = slot, .request = row.look()};
    if (phase_ == phase::reading) return errand{.slot = slot, .request = row.look_at_page(slot + 1)};
    const auto pause = failures_ == 0 ? std::chrono::nanoseconds{} : detail::retry_pause(failures_ - 1);
    return errand{.slot = slot, .pause = pause, .request = row.roll_back(id_)};
}

void plan_reader::answer(std::size_t slot, errand_answer with) {
    --busy_;
    if (ended()) return;
    if (phase_ == phase::rolling_back) {
        if (with.kind == answer::rejected) return fail(std::move(with.why));
        // What became of it, the row tells.
        failures_ = detail::was_answered(with.kind) ? 0 : failures_ + 1;
        return begin(with.kind == answer::delayed ? phase::rolling_back : phase::looking);
    }
    if (with.kind != answer::applied) return fail(std::move(with.why));
    if (phase_ == phase::looking) return take_row(with.shown);
    take_page(slot, with.shown);
    if (!ended() && busy_ == 0 && sent_ == pages_.size()) judge();
}

void plan_reader::take_row(const std::optional<item>& row) {
    auto header = parse_transaction_header(row ? &*row : nullptr);
    if (!header) return fail(std::move(header).error());
    found_ = *std::move(header);
    read_pages();
}

void plan_reader::read_pages() {
    if (!found_ || found_->done || found_->pages == 0) {
        phase_ = phase::ended;
        return;
    }
    pages_.assign(found_->pages, std::nullopt);
    begin(phase::reading);
}

void plan_reader::take_page(std::size_t number, const std::optional<item>& row) {
    if (!row) return;
    if (auto why = check_schema(*row)) return fail(*std::move(why));
    stored_page page;
    for (const auto& [name, list] :
         {std::pair{header_attribute::writes, &page.writes}, {header_attribute::checks, &page.checks}}) {
        const auto* value = find(*row, name);
        if (!value) continue;
        const auto* stored = value->get_if<attribute_list>();
        if (!stored) return fail(corrupt_row(*row, name));
        *list = *stored;
    }
    pages_[number] = std::move(page);
}

void plan_reader::judge() {
    const bool all_there = std::ranges::all_of(pages_, [](const auto& page) { return page.has_value(); });
    switch (decide_pages(*found_, all_there, takes_over_, looked_again_)) {
        case pages_step::complete:
            for (auto& each : pages_) {
                std::ranges::move(each->writes, std::back_inserter(found_->writes));
                std::ranges::move(each->checks, std::back_inserter(found_->checks));
            }
            [[fallthrough]];
        case pages_step::nothing_held:
            phase_ = phase::ended;
            return;
        case pages_step::roll_back:
            return begin(phase::rolling_back);
        case pages_step::look_again:
            looked_again_ = true;
            return begin(phase::looking);
        case pages_step::damaged: {
            failure why(errc::corrupt_row);
            why.details.message = "a page of what a committed transaction has written is gone";
            return fail(std::move(why));
        }
    }
}

}  // namespace dynalease::protocol
