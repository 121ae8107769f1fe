// The promises of transactions, checked from what happened alone.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "simulation/transaction/history.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace dynalease::simulation::transfers {

/// Keeps the first broken promise:
/// B1 at every moment each item is what the committed transactions, one after the other, have made of it: none is lost,
/// half done or done twice, and no money comes or goes; B2 success is told of what is committed, and failure of what
/// never will be; B3 what a transaction has read or demands is so at its commit, and no order of transactions is
/// contradicted; B4 what readers are shown was committed, and at `latest` while they asked, and
/// what they read together at one moment of that time; B5 nothing is left behind
/// for ever; B7 what requires a lock is committed while the lock is held under that very grant.
class checker {
public:
    /// @param initial what the items are at the beginning
    explicit checker(std::vector<item_state> initial);

    void see(const event& happened);
    /// At the end of a world.
    void conclude();

    const std::optional<std::string>& broken() const noexcept { return broken_; }
    const item_state& state(std::size_t item) const { return states_.at(item).back().state; }
    /// Counts the states of an item from 0.
    std::uint64_t now(std::size_t item) const { return states_.at(item).size() - 1; }
    std::uint64_t events() const noexcept { return events_; }
    bool is_committed(const std::string& id) const { return committed_ids_.contains(id); }

private:
    struct dated {
        std::uint64_t since;  ///< the number of the event
        item_state state;
    };
    struct wish {
        std::vector<effect> effects{};
        std::optional<std::int64_t> committed{};  ///< by which attempt
    };
    struct call {
        std::int64_t number = 0;
        std::uint64_t since = 0;
        std::vector<std::int64_t> attempts{};
        bool refused = false;
    };
    struct attempt {
        std::int64_t call = 0;
        std::string id{};
        std::vector<seen_item> read{};
        std::vector<demanded_item> demanded{};
        std::optional<std::int64_t> guarded{};
    };
    struct plain_write {
        std::size_t item = 0;
        bool done = false;
        bool repeated = false;  ///< by the network, which told of the copy: nobody knows of the first
    };

    void on(const wished& what);
    void on(const called& what);
    void on(const attempted& what);
    void on(const plain_wished& what) { plain_[what.number].item = what.item; }
    void on(const stored& what);
    void on(const told& what);
    void on(const refused_by_body& what);
    void on(const told_plain& what);
    void on(const told_of& what);
    void on(const shown& what);
    void on(const shown_together& what);
    void on(const combed& what);
    void on(const swept& what);
    void on(const lock_passed& what) { lock_ = what.token; }

    void commit(std::int64_t attempt, bool leaves_row);
    void carry_out(const effect& what, std::int64_t number, const std::vector<item_state>& before);
    void take_plain(std::size_t item, const item_state& now, bool repeated);
    void set(std::size_t item, item_state state);
    bool at_once(const std::vector<seen_item>& read, std::uint64_t since) const;
    std::int64_t money() const;
    void fail(const char* promise, const std::string& what);

    std::vector<std::vector<dated>> states_;
    std::vector<item_state> lies_;  ///< what the store says
    const std::int64_t money_;
    std::map<std::int64_t, wish> wishes_;
    std::map<std::int64_t, call> calls_;
    std::map<std::int64_t, attempt> attempts_;
    std::map<std::int64_t, plain_write> plain_;
    std::set<std::string> committed_ids_;  ///< of which there are rows
    std::set<std::string> lost_ids_;
    std::vector<std::pair<std::int64_t, std::vector<seen_item>>> reads_only_;
    std::optional<std::int64_t> lock_;  ///< under which token it is held
    std::uint64_t events_ = 0;
    std::optional<std::string> broken_;
};

}  // namespace dynalease::simulation::transfers
