// Sees every request of one process, and tells the item history whose write it was.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "simulation/versioned/item_history.hpp"

#include <dynalease/testing/faulty_database.hpp>

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>

namespace dynalease::simulation::versions {

/// A process has one write under way at a time, so that each of its requests is known by when it was sent; whatever
/// stands in it is the library's word, and not asked for.
class recorder final : public testing::network_observer {
public:
    using observer = std::function<void(const testing::logged_request& entry, bool ok)>;

    /// @param number of the write that is under way in that process; 0: none
    recorder(item_history& tells, std::string name, std::function<std::int64_t()> number)
        : item_history_(tells), name_(std::move(name)), number_(std::move(number)) {}

    /// What the requests of an intent met; forgets it.
    struct account_of_requests {
        bool unanswered = false;
        std::optional<serial> last_refusal{};
    };
    account_of_requests requests_of(std::int64_t number);

    /// Called for late applications, for transactions that came again, and for answers.
    observer late = [](const auto&, bool) {};
    observer replayed = [](const auto&, bool) {};
    observer told = [](const auto&, bool) {};

    void sent(const testing::logged_request& entry, const any_request& request) override;
    void applied(const testing::logged_request& entry, const any_request& request,
                 const result<any_response>& answer) override;
    void answered(const testing::logged_request& entry, const any_request& request,
                  const result<any_response>& answer) override;

private:
    /// A request on its way, perhaps long after its caller has gone.
    struct sent_request {
        std::int64_t number = 0;
        std::optional<serial> met{};
    };

    item_history& item_history_;
    const std::string name_;
    const std::function<std::int64_t()> number_;
    std::unordered_map<const testing::logged_request*, sent_request> requests_;
    std::map<std::int64_t, account_of_requests> accounts_;
    std::set<std::string> carried_out_;  ///< transactions, by token
};

}  // namespace dynalease::simulation::versions
