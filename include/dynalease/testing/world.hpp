// A simulated world: one true time, one DynamoDB, any number of nodes on it.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <dynalease/local/database.hpp>
#include <dynalease/testing/faults.hpp>
#include <dynalease/testing/scheduler.hpp>
#include <dynalease/testing/tape.hpp>
#include <dynalease/testing/virtual_clock.hpp>

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#pragma GCC visibility push(default)
namespace dynalease::testing {

/// Everything in it runs on the thread that calls `run_for` or `step`, in virtual time. Nodes must go before it.
class world {
public:
    using duration = clock::duration;

    /// @param seed fixes the order of steps; 0: first come, first run.
    explicit world(std::uint64_t seed = 0);
    /// The order of steps is chosen by the tape, which must outlive the world.
    explicit world(tape& choices);
    ~world();

    testing::scheduler& scheduler() noexcept { return scheduler_; }
    time_point now() const noexcept { return scheduler_.now(); }
    /// Lets the world go on for `time`; `step` lets it go on by one handler, and is false when nothing can happen.
    void run_for(duration time) { scheduler_.run_for(time); }
    bool step() { return scheduler_.step(); }

    // ---- the store ----
    /// With the keys and the TTL of a coordination table: `pk` S, `sk` S, `ttl`.
    void create_table(std::string name);
    /// What its wall clock shows decides what TTL has removed.
    virtual_clock& store_clock() noexcept { return *store_clock_; }
    /// The way to it without a network, for the scheduler's main process.
    const local::database& store() const noexcept { return store_; }
    /// A request that arrives now; `what` matters to `stale_read` and `partial_batch`.
    result<any_response> apply(const any_request& request, fault::kind what = fault::kind::pass);
    /// The same, for a network.
    testing::receiver receiver() {
        return [this](const any_request& request, fault::kind what) { return apply(request, what); };
    }
    /// The same behind the back of all nodes, as an operator does.
    template <operation Request>
    result<typename Request::response> call(Request request) {
        auto answer = apply(any_request(std::move(request)));
        if (!answer) return std::move(answer).error();
        return std::get<typename Request::response>(*std::move(answer));
    }
    /// Empty if there is none. The key's values as text, a number's digits; of a table without a sort key that one is
    /// not looked at. @throws dynalease::error where the table is not there, or has no such key
    std::optional<item> row(std::string_view table, std::string_view partition_key, std::string_view sort_key = "-");

    /// All rows, as a backup has them, and putting them back in place of whatever is there now.
    std::vector<item> image(std::string_view table);
    void restore(const std::string& table, const std::vector<item>& image);

    /// Costs a read per write, so that `stale_read` has something to show; without it, such reads are current.
    void keep_previous_rows() noexcept { keeps_previous_ = true; }

private:
    explicit world(std::shared_ptr<random> order);
    void remember(const any_request& request);
    std::optional<result<any_response>> read_previous(const any_request& request) const;
    result<any_response> write_first_half(const any_request& request);
    result<any_response> read_first_half(const any_request& request);

    testing::scheduler scheduler_;
    std::shared_ptr<virtual_clock> store_clock_;
    local::database store_;
    bool keeps_previous_ = false;
    std::map<std::string, std::optional<item>> previous_;  ///< each row before the last write to it
};

}  // namespace dynalease::testing
#pragma GCC visibility pop
