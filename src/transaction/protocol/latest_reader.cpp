// Reading what is committed now.
// SPDX-License-Identifier: BSL-1.0
#include "transaction/protocol/latest_reader.hpp"

#include "transaction/protocol/marking_requests.hpp"
#include "transaction/protocol/planned_writes.hpp"
#include "transaction/protocol/transaction_decisions.hpp"
#include "transaction/protocol/transaction_requests.hpp"

#include <algorithm>
#include <utility>

namespace dynalease::protocol {

latest_reader::latest_reader(std::string coordination, std::vector<item_ref> items)
    : coordination_(std::move(coordination)),
      items_(std::move(items)),
      slots_(items_.size()),
      found_(items_.size()),
      unread_(items_.size()) {}

std::optional<errand> latest_reader::next(std::int64_t) {
    if (ended() || busy_ == most_errands) return std::nullopt;
    while (first_ < slots_.size() && (slots_[first_].busy || slots_[first_].now == phase::done)) ++first_;
    if (first_ == slots_.size()) return std::nullopt;
    auto& state = slots_[first_];
    state.busy = true;
    ++busy_;
    if (state.now == phase::looking) return errand{.slot = first_, .request = look_at_item(items_[first_])};
    return errand{.slot = first_, .request = transaction_requests(coordination_, state.mark->owner).look()};
}

void latest_reader::stop(failure why) {
    if (!ended()) why_ = std::move(why);
}

void latest_reader::answer(std::size_t slot, errand_answer with) {
    --busy_;
    slots_[slot].busy = false;
    if (ended()) return;
    if (with.kind != detail::answer::applied) {
        why_ = met_at(items_[slot], std::move(with.why));
        return;
    }
    if (slots_[slot].now == phase::looking)
        answer_look(slot, std::move(with.shown));
    else
        answer_row(slot, with.shown);
    first_ = std::min(first_, slot);
}

void latest_reader::answer_look(std::size_t slot, std::optional<item> shown) {
    auto& state = slots_[slot];
    std::optional<item_mark> mark;
    if (shown) {
        auto seen = mark_of(*shown);
        if (!seen) {
            why_ = about(std::move(seen).error(), items_[slot]);
            return;
        }
        mark = *std::move(seen);
    }
    if (!mark) return settle(slot, std::move(shown));
    // It was to be read again because its run was over: now this very mark counts for nothing.
    if (state.again && state.mark == mark) return settle(slot, before_mark(*shown, *mark));
    state.again = false;
    state.mark = std::move(mark);
    state.now = phase::asking_row;
    found_[slot] = std::move(shown);
}

void latest_reader::answer_row(std::size_t slot, const std::optional<item>& row) {
    auto& state = slots_[slot];
    auto header = parse_transaction_header(row ? &*row : nullptr);
    if (!header) {
        why_ = about(std::move(header).error(), items_[slot]);
        return;
    }
    switch (decide_read(*state.mark, *header, false)) {
        case read_step::before:
            return settle(slot, before_mark(*found_[slot], *state.mark));
        case read_step::after:
            return settle(slot, after_mark(*found_[slot], *state.mark));
        case read_step::read_again:
            break;
    }
    state.again = true;
    state.now = phase::looking;
}

void latest_reader::settle(std::size_t slot, std::optional<item> as) {
    found_[slot] = std::move(as);
    slots_[slot].now = phase::done;
    --unread_;
}

}  // namespace dynalease::protocol
