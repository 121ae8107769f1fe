// What a process asks of the table, held against what its users do: whoever gets nowhere must not ask ever faster.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <dynalease/runtime/time.hpp>
#include <dynalease/testing/faulty_database.hpp>

#include <chrono>
#include <cstddef>
#include <deque>
#include <functional>
#include <limits>
#include <string>
#include <unordered_map>

namespace dynalease::simulation {

/// What a process may send within any window of time, by true time. Calls count, not the attempts in them: how often a
/// call is repeated is the client's matter.
struct demand_bounds {
    std::chrono::nanoseconds window = std::chrono::seconds(5);
    /// About one row, or one partition for a query, besides what users' acts cost there.
    std::size_t to_a_row = 75;
    /// About one row within a second, in which no user does anything: a short storm, which the window averages away.
    std::size_t at_once = std::numeric_limits<std::size_t>::max();
    /// Heartbeats of one session.
    std::size_t beats = 55;
    /// Over all rows, heartbeats included.
    std::size_t in_all = 300;
    /// More, both for a row and in all, for each act of a user in that window: a verb that began or ended.
    std::size_t for_an_act = 12;
    /// Writes to one row that are refused one after the other, while no user does anything and none succeeds. They show
    /// who waits for a chance that never comes, however slowly it tries.
    std::size_t refusals = 60;
};

/// Of one process; stands between its network and whoever else looks at that.
class demand_checker final : public testing::network_observer {
public:
    /// @param broken is told what is too much, as "S3: ...".
    demand_checker(demand_bounds bounds, std::function<time_point()> now, std::function<void(std::string)> broken);

    /// To whom everything is passed on.
    void look_for(testing::network_observer& next) noexcept { next_ = &next; }
    /// A user's verb began or ended.
    void act();

    void sent(const testing::logged_request& entry, const any_request& request) override;
    void failed(const testing::logged_request& entry, const any_request& request, const failure& why) override;
    void sent_again(const testing::logged_request& entry, const any_request& request) override;
    void applied(const testing::logged_request& entry, const any_request& request,
                 const result<any_response>& answer) override;
    void answered(const testing::logged_request& entry, const any_request& request,
                  const result<any_response>& answer) override;

private:
    /// Moments within the last window.
    class recent {
    public:
        std::size_t count(time_point since);
        void add(time_point at) { at_.push_back(at); }

    private:
        std::deque<time_point> at_;
    };

    void check(const std::string& what, std::size_t seen, std::size_t bound);
    void check_at_once(const std::string& row, time_point now);

    const demand_bounds bounds_;
    const std::function<time_point()> now_;
    const std::function<void(std::string)> broken_;
    testing::network_observer* next_ = nullptr;
    recent acts_;
    recent in_all_;
    std::unordered_map<std::string, recent> to_a_row_;
    std::unordered_map<std::string, recent> at_once_;  ///< by row, since the last act
    std::unordered_map<std::string, recent> beats_;
    std::unordered_map<std::string, std::size_t> refusals_;  ///< by row, since the last success or act
};

}  // namespace dynalease::simulation
