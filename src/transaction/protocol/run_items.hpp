// The items of a run: locked, one write after the other, and given back.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "item/protocol/item_mark.hpp"
#include "transaction/protocol/errand.hpp"
#include "transaction/protocol/resolver.hpp"
#include "transaction/protocol/run_brief.hpp"
#include "transaction/protocol/run_course.hpp"
#include "transaction/protocol/transaction_header.hpp"

#include <dynalease/dynamodb/item.hpp>
#include <dynalease/dynamodb/operations.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

namespace dynalease::protocol {

/// What a run knows of one of its items.
struct run_item {
    std::int64_t first = 1;           ///< the number of the first write to it
    std::size_t written = 0;          ///< so many of the writes to it are in place
    std::optional<item_mark> mark{};  ///< by which they are
    std::optional<item> sight{};      ///< where the plan `holds`: the item as it is committed
    std::optional<resolver> rival{};  ///< who is in the way
    unsigned looks = 0;               ///< at those who were
    bool touched = false;             ///< a lock was sent
    bool closed = false;              ///< it carries no mark of this run any more
};

class run_items {
public:
    explicit run_items(std::shared_ptr<const run_brief> brief);

    const std::vector<run_item>& all() const noexcept { return items_; }
    /// Each write is in place.
    bool all_written() const noexcept { return unwritten_ == 0; }
    /// None carries a mark of the run any more that can be taken off; from the verdict on.
    bool all_closed() const noexcept { return unclosed_ == 0; }
    /// Some cannot be freed.
    bool leaves_some() const noexcept { return leaves_some_; }
    bool freed_some() const noexcept;
    /// Copies of locks may still land.
    bool copies_left() const noexcept { return copies_left_; }
    /// Others may have sent what this one knows nothing of.
    bool took_over() const noexcept { return took_over_; }
    /// Of all items, when each is held.
    std::vector<committed_lock> seen_locks() const;
    /// The commit map, by stamp; from the verdict on.
    const std::vector<committed_lock>& locks() const noexcept { return locks_; }

    /// Another process has begun the run. @param lands copies of its locks may
    void take_over(bool lands);
    /// The next that it wants of that item.
    std::optional<errand> next(run_course& run, std::size_t index);

    // ---- locking ----
    void begin_to_lock(run_course& run);
    /// All but the inserts are locked, where they are in one order.
    bool turn_is_over() const noexcept { return turn_ >= items_.size(); }
    void answer_lock(run_course& run, std::size_t index, const errand_answer& with);
    /// A refused lock, by the item that came with the refusal.
    void judge_lock(run_course& run, std::size_t index, const std::optional<item>& shown);
    /// @returns whether that has ended, and well
    bool answer_rival(run_course& run, std::size_t index, errand_answer with);
    void fail_by(run_course& run, std::size_t index, failure why) const;

    // ---- of inserts, which others send ----
    transact_put insert_request(std::size_t index) const;
    void touch(std::size_t index) { items_[index].touched = true; }
    /// It was surely not applied: no look at an item that may not even exist.
    void untouch(std::size_t index) { items_[index].touched = false; }
    /// It is in place.
    void take_mark(run_course& run, std::size_t index, const item& shown);

    // ---- closing ----
    /// @param locks the commit map, in any order
    void begin_to_close(run_course& run, std::vector<committed_lock> locks);
    void answer_end(run_course& run, std::size_t index, const errand_answer& with);
    void answer_look(run_course& run, std::size_t index, const errand_answer& with);

private:
    std::optional<errand> next_to_lock(run_course& run, std::size_t index);
    std::optional<errand> next_to_close(run_course& run, std::size_t index);
    any_request lock_request(std::size_t index) const;
    void next_turn(run_course& run);
    bool in_map(const item_mark& mark) const;
    void close(run_item& held);
    void leave_item(run_course& run, std::size_t index, const failure& why);

    std::shared_ptr<const run_brief> brief_;
    std::vector<run_item> items_;
    std::vector<committed_lock> locks_;
    std::size_t unwritten_ = 0;  ///< items that lack some write
    std::size_t unclosed_ = 0;
    std::size_t turn_ = 0;  ///< where they are locked in one order: the one item that may be locked now
    bool leaves_some_ = false;
    bool copies_left_ = false;
    bool took_over_ = false;
};

}  // namespace dynalease::protocol
