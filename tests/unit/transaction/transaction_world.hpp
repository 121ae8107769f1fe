// A small world in which the library's own machines run transactions against each other, over a network that delays,
// doubles and loses their requests. A plain value: a search tries all that may happen next on copies of it.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "small_store.hpp"

#include "transaction/protocol/coordinator.hpp"
#include "transaction/protocol/native_call.hpp"
#include "transaction/protocol/plan_reader.hpp"
#include "transaction/protocol/resolver.hpp"
#include "transaction/protocol/together_reader.hpp"
#include "versioned/protocol/version_requests.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace dynalease::protocol::test {

inline const std::string coordination = "coordination";
inline const std::string things = "things";

/// What a mistake changes.
struct world_rules {
    /// A request, when it is made. @param store as it is then
    std::function<void(any_request&, const small_store& store)> change{};
    /// The row of a run, as a resolver or a reader is told it. @param met the mark that it met
    std::function<void(std::optional<item>&, const item_mark& met)> tell{};
    bool finish_early = false;      ///< a committed run's row is done before its items are free
    bool expire_undecided = false;  ///< a row may be removed at any time
    bool commit_unseen = false;     ///< a lock that was sent counts as seen
    bool read_raw = false;          ///< readers do not look under marks
    bool read_inserts_raw = false;
    bool absent_is_before = false;  ///< a reader does not read again
    bool resume_fenced = false;     ///< others carry on what depends on a guard
    bool store_unseen = false;      ///< a page that was sent counts as stored
    bool trust_gaps = false;        ///< who takes a run over takes what is not stored yet for what never will be
    bool survey_uncut = false;      ///< what was not there, is not looked at once more by who reads all together
    bool survey_once = false;       ///< ... nor what was there
    bool silence_is_delay = false;  ///< a call, or a begin, without an answer counts as not applied
};

/// What takes part.
struct world_setting {
    const char* name;
    /// Of each transaction: the writes to "x", "y" as letters of `mark_kind`; "UU" writes twice; "pU" as it was seen at
    /// first; "r" only reads it, for the commit. Empty: does not.
    std::vector<std::array<const char*, 2>> transactions;
    std::array<bool, 2> exist{true, true};
    unsigned faults = 1;        ///< answers lost, requests late, or sent twice by the network
    unsigned resolvers = 2;     ///< how often somebody meets a mark, and has no patience
    unsigned coordinators = 1;  ///< of the first transaction
    bool sweeps = false;        ///< ... the second of which does not carry it on, but rolls it back
    unsigned saves = 0;         ///< of a versioned writer that takes every value it sees for committed
    unsigned readers = 0;
    unsigned surveys = 0;          ///< of somebody who reads both items together
    bool surveys_twice = false;    ///< ... as one does who cannot read them by one call
    bool pages = false;            ///< the first transaction's row cannot keep what it wants: each item has a page
    bool patient = false;          ///< transactions wait for each other once
    std::array<bool, 3> native{};  ///< which transactions are one call
    bool keeps_outcome = false;    ///< ... with a row of its outcome
    bool forgetful = false;        ///< the service remembers no token
    bool guarded = false;          ///< the first transaction depends on a guard, which is lost at some time
    unsigned give_ups = 0;         ///< of the first transaction's own caller
    unsigned rejections = 0;       ///< of its requests, as where credentials have expired
    bool dies = false;             ///< its process does, at some time
    std::array<bool, 3> holds{};   ///< which transactions lock first, and change by their commit
};

class transaction_world {
public:
    transaction_world(const world_setting& setting, const world_rules& rules);

    /// What may happen next: how many ways there are.
    std::size_t ways() const;
    /// The way that is taken. @returns what it is, for people
    std::string take(std::size_t way);
    /// What is wrong now; empty: nothing.
    std::string wrong() const;
    std::uint64_t hash() const;

    bool at_rest() const { return flights_.empty() && !roaming_; }
    unsigned commits() const { return commits_; }
    unsigned roll_backs() const { return roll_backs_; }

private:
    struct member final : coordinator {
        explicit member(coordinator made) : coordinator(std::move(made)) {}
        void deal_out();
        std::uint64_t hash() const;
    };
    struct caller final : native_call {
        explicit caller(native_call made) : native_call(std::move(made)) {}
        std::uint64_t hash() const;
        const std::optional<resolver>& rival(std::size_t slot) const { return obstacles_[slot - 1].rival; }
    };
    struct wanderer final : resolver {
        explicit wanderer(resolver made) : resolver(std::move(made)) {}
        std::uint64_t hash() const;
    };
    struct taker final : plan_reader {
        explicit taker(plan_reader made) : plan_reader(std::move(made)) {}
        std::uint64_t hash() const;
    };
    struct onlooker final : together_reader {
        explicit onlooker(bool twice);
        std::uint64_t hash() const;
        void answer(std::size_t slot, errand_answer with, const world_rules& rules);
    };
    struct process {
        std::size_t transaction;
        member machine;
        bool dead = false;
    };
    struct call {
        std::size_t transaction;
        caller machine;
    };
    static constexpr std::size_t first_call = 50;
    static constexpr std::size_t nobody = 99;
    static constexpr std::size_t the_wanderer = 98;
    static constexpr std::size_t the_onlooker = 97;
    static constexpr std::size_t the_taker = 96;
    struct flight {
        std::size_t owner;  ///< the process that awaits the answer
        std::size_t slot;
        std::uint64_t hash;
        std::shared_ptr<const any_request> request;
        std::size_t call = nobody;  ///< the transaction that it carries out
        bool answered = false;      ///< a copy of one that was answered
    };
    enum class happening {
        deliver,
        unanswered,
        late,
        copied,
        meet,
        resume,
        expire,
        load,
        save,
        sight,
        read,
        lose,
        give_up,
        reject,
        think,
        die,
        survey
    };
    struct event {
        happening kind;
        std::size_t which;
    };
    struct reader_sight {
        std::size_t thing;
        item shown;
        item_mark mark;
        std::size_t from;  ///< of the committed states since then
    };

    std::vector<event> events() const;
    bool begins(std::size_t transaction) const;
    void send(std::size_t owner, errand wanted);
    void collect();
    void deliver(flight each, bool told);
    void answer(const flight& each, errand_answer with);
    const item_mark* met_by(const flight& each) const;
    errand_answer execute(const any_request& request, const item_mark* met);
    bool is_call(std::size_t transaction) const { return setting_->native.at(transaction); }
    std::vector<committed_lock> locks_of_call(std::size_t transaction) const;
    transaction_plan with_sights(std::size_t transaction) const;
    const member& machine_of(std::size_t transaction) const;
    errand_answer carry_out(const flight& each);
    void take_effect(std::size_t transaction, const std::vector<committed_lock>& locks);
    void check_sights(const transaction_plan& plan);
    void heed_commit(std::size_t transaction, bool was_committed, bool was_rolled_back);
    void load(std::size_t which);
    void save();
    void see(std::size_t which);
    void read();
    void watch();
    void take_over(transaction_header header);
    bool stores_unseen(std::size_t owner, const errand& wanted);
    std::optional<attribute_list> wanted_in(const transaction_header& header) const;
    std::string check_pages() const;
    void committed_now(std::size_t which, std::optional<item> state);
    const std::optional<item>& committed_of(std::size_t which) const { return *states_.at(which).back(); }
    std::string check_thing(std::size_t which) const;
    std::string check_told() const;
    std::string check_left() const;
    bool will_be_swept(std::size_t which) const;
    std::string check_recovery() const;
    std::optional<transaction_header> header_of(std::size_t transaction) const;
    const item* thing(std::size_t which) const;
    std::optional<item_mark> mark_on(std::size_t which) const;
    std::optional<item> view(std::size_t which) const;

    const world_setting* setting_;
    const world_rules* rules_;
    small_store store_;
    std::vector<process> processes_;
    std::vector<call> calls_;
    std::vector<std::uint64_t> tokens_;  ///< of calls that were applied
    std::optional<wanderer> roaming_;
    std::optional<taker> taking_;
    std::optional<onlooker> looking_;
    std::vector<std::array<std::size_t, 2>> moments_;  ///< since then: the committed states of both
    std::vector<flight> flights_;
    std::optional<std::pair<std::size_t, item>> loaded_;
    std::optional<reader_sight> reader_;
    /// What was committed, in order: of each thing all its states.
    std::array<std::vector<std::shared_ptr<const std::optional<item>>>, 2> states_;
    std::shared_ptr<const std::vector<transaction_plan>> plans_;
    unsigned faults_ = 0;
    unsigned resolvers_ = 0;
    unsigned coordinators_ = 1;
    unsigned saves_ = 0;
    unsigned reads_ = 0;
    unsigned surveys_ = 0;
    unsigned give_ups_ = 0;
    unsigned rejections_ = 0;
    unsigned commits_ = 0;
    unsigned roll_backs_ = 0;
    bool guard_holds_ = true;
    bool stray_ = false;      ///< a copy of what was answered has landed while something was marked
    unsigned committed_ = 0;  ///< a bit for each transaction
    std::string wrong_;
};

}  // namespace dynalease::protocol::test
