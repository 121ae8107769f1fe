// The items of a world, looked at after every write; and who is checked by it.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "simulation/transaction/checker.hpp"
#include "simulation/transaction/history.hpp"
#include "simulation/transaction/resolved.hpp"

#include <dynalease/testing/world.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace dynalease::simulation::transfers {

inline constexpr const char* table = "accounts";
inline constexpr const char* guarding_lock = "till";

/// Makes the table, and the accounts in it; tokens are not there at first.
class item_history {
public:
    using hearer = std::function<void(const std::string& node, event happened)>;

    /// @param heard is told of everything that the checker is told of, after it.
    item_history(
        testing::world& where, std::size_t accounts, std::size_t tokens,
        hearer heard = [](const std::string&, event) {});

    static std::string name_of(std::size_t index) { return "x" + std::to_string(index); }
    std::size_t accounts() const noexcept { return accounts_; }
    std::size_t items() const noexcept { return known_.size(); }
    const checker& checked() const noexcept { return checker_; }
    std::optional<item> stored_item(std::size_t index) { return world_.row(table, name_of(index)); }
    std::int64_t next_number() noexcept { return ++numbers_; }

    void tell(const std::string& node, decltype(event::what) what);

    /// The run of that id is an attempt's.
    void begun(const std::string& id, const std::string& run, std::int64_t attempt);
    /// ... whose body ran after that: it is known only now, and with the first copy of the commit. Later ones may be
    /// sent when its caller has long gone on.
    void begun_by(const std::string& id, const std::string& run, std::int64_t attempt);
    /// A write was carried out. @param id of the transaction whose row it may have changed; empty: none
    /// @param by the attempt that it has committed by itself @param repeated by the network, which tells of the copy
    void look(const std::string& node, const std::string& id, std::optional<std::int64_t> by, bool repeated = false);
    /// A lock has landed. @param run its id and name @param late the node had been answered before: of such a mark no
    /// row can tell @param helps another has begun the run, who knows nothing of that lock
    void locked(const std::string& node, const item_key& key, const std::string& run, bool late, bool helps);
    /// The run was ended by the process that had begun it.
    void ended_by_itself(std::string run) { ended_by_itself_.insert(std::move(run)); }
    /// What it was about to undo, it undoes no more.
    void died(const std::string& node);
    struct mark_sight {
        std::string owner{};
        std::string text{};
        std::uint64_t landed = 0;  ///< locks, on the item, so far
        friend bool operator==(const mark_sight&, const mark_sight&) = default;
    };
    std::optional<mark_sight> mark_on(std::size_t index);
    /// @param owner the id and the run
    bool was_rolled_back_by(const std::string& owner, std::string_view whom);
    /// After a sweep, before anybody meets the items.
    void comb();
    /// After the last sweep.
    void conclude();

    /// How an item lies in the store, for a world that is told.
    std::string text_of_item(std::size_t index);

private:
    std::optional<std::int64_t> newly_committed(const std::string& id);
    void look_at_lock(const std::string& node);
    /// No row tells of the mark, and nobody who lives knows of it.
    bool is_stray(const std::string& mark) const;

    struct helpers_lock {
        std::string node{};
        std::string run{};
        bool orphaned = false;
    };
    testing::world& world_;
    const std::size_t accounts_;
    const hearer heard_;
    std::vector<item_state> known_;
    checker checker_;
    std::optional<std::int64_t> lock_token_;
    std::map<std::string, row_state> rows_;               ///< by id
    std::map<std::string, std::int64_t> attempt_of_run_;  ///< by id and run
    std::set<std::string> committing_;                    ///< the same
    std::set<std::string> strays_;                        ///< marks, as texts
    std::map<std::string, helpers_lock> helpers_locks_;   ///< by the same
    std::set<std::string> ended_by_itself_;               ///< runs, by id and name
    std::map<std::string, std::uint64_t> landed_;         ///< locks, by item
    std::int64_t numbers_ = 0;
};

}  // namespace dynalease::simulation::transfers
