// Whose every request is, and what it did to the store.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "simulation/transaction/item_history.hpp"

#include <dynalease/testing/faulty_database.hpp>

#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>

namespace dynalease::simulation::transfers {

/// Of one process, in which one call commits at a time.
class recorder final : public testing::network_observer {
public:
    /// @param attempt the one whose commit is under way; 0: none
    recorder(transfers::item_history& item_history, std::string name, std::function<std::int64_t()> attempt)
        : item_history_(item_history), name_(std::move(name)), attempt_(std::move(attempt)) {}

    /// Whether the call is a transaction by itself, and no part of one.
    static bool is_whole(const transact_write_items_request& request);

    /// Of each request, when its caller has been told.
    std::function<void(const testing::logged_request& entry, bool ok)> told = [](const auto&, bool) {};
    /// Of each write that was carried out, and of whether its caller had given up before.
    std::function<void(bool late)> carried_out = [](bool) {};

    void sent(const testing::logged_request& entry, const any_request& request) override;
    void applied(const testing::logged_request& entry, const any_request& request,
                 const result<any_response>& answer) override;
    void answered(const testing::logged_request& entry, const any_request& request,
                  const result<any_response>& answer) override;

private:
    static bool leaves_no_row(const transact_write_items_request& request);

    transfers::item_history& item_history_;
    const std::string name_;
    const std::function<std::int64_t()> attempt_;
    std::map<std::string, std::int64_t> calls_;  ///< of a whole transaction each, by token
    std::set<std::string> done_;                 ///< the service knows them when they come again
    std::set<std::string> begun_;                ///< runs of this process, by id and name
};

}  // namespace dynalease::simulation::transfers
