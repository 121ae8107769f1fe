// Carries one run of a transaction from its begin to the last item that it gives back.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "transaction/protocol/errand.hpp"
#include "transaction/protocol/held_requests.hpp"
#include "transaction/protocol/plan_limits.hpp"
#include "transaction/protocol/plan_pages.hpp"
#include "transaction/protocol/planned_writes.hpp"
#include "transaction/protocol/resolver.hpp"
#include "transaction/protocol/transaction_decisions.hpp"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace dynalease::protocol {

/// Without I/O, and a plain value: a copy of it goes its own way, as another process would. Any number of coordinators
/// may be at work for one run.
///
/// A plan of more checks than one call takes ends before it begins.
///
/// A plan that `holds` is of locks alone: once they are in place it waits until it is told what to commit.
///
/// beginning [-> storing] -> locking [-> holding] -> committing -> closing -> finishing -> ended, with rolling_back
/// before closing if it fails, and setting_aside after it if copies of its locks may still land. One that fails before
/// its begin is answered, withdraws that in rolling_back, and ends.
class coordinator {
public:
    enum class phase {
        beginning,
        storing,
        locking,
        holding,
        committing,
        rolling_back,
        closing,
        setting_aside,
        finishing,
        ended
    };
    using verdict = run_verdict;

    /// @param coordination the table of the run's row
    coordinator(std::string coordination, transaction_plan plan, rivalry rules);
    /// For a run that another process began. One that is not decided, and depends on a guard, is rolled back: whether
    /// the guard holds is a matter of its own process. @param header as just read, of that run; or one that is set
    /// aside
    static coordinator resumed(std::string coordination, transaction_plan plan, rivalry rules,
                               const transaction_header& header);

    /// @returns an errand that may leave now; to be asked until it has none.
    /// @param wall seconds since the epoch, for the row's expiry alone
    std::optional<errand> next(std::int64_t wall);
    void answer(std::size_t slot, errand_answer with);
    /// What becomes of the items that it holds, and of others at the same instant: one write to an item, all in one
    /// call. Fails, and rolls back, with `errc::too_many_items` if that takes no such call.
    void commit(transaction_plan wanted);
    /// Rolls it back, unless it is decided; where a commit is under way, unless that decides it.
    void stop(failure why);

    phase now() const noexcept { return phase_; }
    /// Known from the commit point on: what remains to be done changes nothing any more.
    verdict decided() const noexcept { return verdict_; }
    /// Why it was rolled back; `errc::already_committed` if another run of its id was committed. One that ends and is
    /// still open could not be rolled back, and others may commit it: `errc::in_doubt`.
    const failure& why() const noexcept { return why_; }
    const transaction_plan& plan() const noexcept { return *plan_; }
    /// Some item is held still, for the reason that `why` says.
    bool leaves_some() const noexcept { return leaves_some_; }
    bool took_over() const noexcept { return took_over_; }
    /// It has given back some item.
    bool freed_some() const noexcept;

    /// What it knows of one of its items.
    struct held_item {
        std::int64_t first = 1;           ///< the number of the first write to it
        std::size_t written = 0;          ///< so many of the writes to it are in place
        std::optional<item_mark> mark{};  ///< by which they are
        std::optional<item> sight{};      ///< where the plan `holds`: the item as it is committed
        std::optional<resolver> rival{};  ///< who is in the way
        unsigned looks = 0;               ///< at those who were
        bool touched = false;             ///< a lock was sent
        bool closed = false;              ///< it carries no mark of this run any more
    };
    const std::vector<held_item>& items() const noexcept { return items_; }
    /// Who is in the way of each of its checks; where the plan `holds`, of each part of its call.
    const std::vector<std::optional<resolver>>& check_rivals() const noexcept { return check_rivals_; }

protected:
    enum class asked {
        nothing,
        begin,
        withdraw,
        store,
        commit,
        roll_back,
        set_aside,
        finish,
        lock,
        inserts,
        rival,
        look,
        end,
        check_rival
    };
    struct slot_state {
        asked what = asked::nothing;
        unsigned failures = 0;
    };

    std::string coordination_;
    std::shared_ptr<const transaction_plan> plan_;
    std::shared_ptr<const std::vector<stored_page>> pages_;  ///< what its row cannot keep
    rivalry rules_;

    phase phase_ = phase::beginning;
    verdict verdict_ = verdict::open;
    failure why_;
    bool begun_ = false;                              ///< its row was seen
    bool doubtful_ = false;                           ///< some copy of its begin is without an answer
    bool leaves_some_ = false;                        ///< of its items, which it cannot free
    bool copies_left_ = false;                        ///< of its locks, which may still land
    bool took_over_ = false;                          ///< others may have sent what this one knows nothing of
    std::optional<std::int64_t> aside_until_{};       ///< it was set aside, and copies may land until then
    std::string aside_sort_;                          ///< ... in the row of this sort key
    std::size_t asides_ = 0;                          ///< rows that tell of it, so far
    std::size_t page_count_ = 0;                      ///< rows beside its own, in which stands what it wants
    std::size_t pages_stored_ = 0;                    ///< of those, by this process
    std::size_t bytes_at_once_ = most_bytes_at_once;  ///< of pages, in one call
    std::optional<std::string> over_{};               ///< the run of this id that was rolled back before
    std::vector<committed_lock> locks_;               ///< the commit map, by stamp
    std::vector<held_item> items_;
    std::vector<std::optional<resolver>> check_rivals_;
    std::optional<held_call> call_;     ///< where the plan `holds`, from `commit` on
    unsigned commits_sent_ = 0;         ///< different bodies of the commit
    std::optional<failure> stopped_{};  ///< while the commit was under way
    std::vector<slot_state> slots_;     ///< of the row first, then of each item, then of each check
    // So that no errand costs a look at all items.
    std::size_t busy_ = 0;             ///< slots that await an answer
    std::size_t unwritten_ = 0;        ///< items that lack some write
    std::size_t unclosed_ = 0;         ///< from the verdict on
    std::deque<std::size_t> wanting_;  ///< items, and checks after them, that may want something now
    std::size_t turn_ = 0;             ///< under `wait`: the one item that may be locked now
    std::deque<std::size_t> inserts_;  ///< to be sent, when no call with others is under way
    std::vector<std::size_t> batch_;   ///< inserts of one call, which is under way, or to be sent again
    bool batch_is_new_ = true;         ///< none of them was sent before
    bool one_by_one_ = false;          ///< some call was rejected, and did not say for which of them
    unsigned batches_ = 0;             ///< different bodies of such calls

private:
    std::optional<errand> next_for_header(std::int64_t wall);
    std::optional<errand> next_for_item(std::size_t index);
    std::optional<errand> next_for_check(std::size_t index);
    any_request commit_request(std::int64_t wall) const;
    std::string commit_token() const;
    item_ref place_in_commit(std::size_t index) const;
    void want_all();
    bool in_turn() const noexcept { return plan_->holds || rules_.policy == wait_policy::wait; }
    void next_turn();
    void occupy(std::size_t slot, asked what);
    errand leave(std::size_t slot, asked what, any_request request);
    any_request lock_request(std::size_t index) const;
    bool is_insert(std::size_t index) const;
    transact_put insert_request(std::size_t index) const;
    std::optional<errand> next_inserts();
    std::vector<committed_lock> seen_locks() const;
    bool in_map(const item_mark& mark) const;

    void answer_begin(const errand_answer& with);
    void answer_withdrawal(const errand_answer& with);
    void judge_begin(const errand_answer& with);
    void go_on_begun();
    stored_plan kept_by_row() const;
    errand leave_pages();
    errand leave_aside(std::int64_t wall);
    errand leave_finish(std::int64_t wall);
    void answer_store(const errand_answer& with);
    void answer_aside(const errand_answer& with);
    void begin_to_lock();
    void end_unbegun(failure why);
    void answer_commit(const errand_answer& with);
    void judge_commit(const errand_answer& with);
    void judge_check(std::size_t index, const std::optional<item>& shown);
    void judge_part(std::size_t index, const std::optional<item>& shown);
    void meet_in_commit(std::size_t index, item_mark mark);
    void answer_check_rival(std::size_t index, errand_answer with);
    void answer_roll_back(const errand_answer& with);
    void answer_lock(std::size_t index, const errand_answer& with);
    void judge_lock(std::size_t index, const std::optional<item>& shown);
    void answer_inserts(const errand_answer& with);
    void judge_inserts(const std::vector<std::size_t>& batch, const std::vector<cancellation_reason>& reasons);
    void reject_inserts(const std::vector<std::size_t>& batch, const failure& why);
    void answer_end(std::size_t index, const errand_answer& with);
    void answer_look(std::size_t index, const errand_answer& with);
    void find_decided(const errand_answer& with);
    void answer_rival(std::size_t index, errand_answer with);
    void take_mark(held_item& held, std::size_t index, const item& shown);
    void decide(verdict what, std::vector<committed_lock> locks = {});
    void fail(failure why);
    void fail_by(std::size_t index, failure why);
    void break_off(failure why);
    void close(held_item& held);
    void leave_item(std::size_t index, const failure& why);
    void advance();
};

}  // namespace dynalease::protocol
