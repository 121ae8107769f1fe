// A network that loses, delays and repeats, in front of any database.
#pragma once

#include <dynalease/dynamodb/database.hpp>
#include <dynalease/testing/faults.hpp>

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace dynalease::testing {

/// One request as the network saw it.
struct logged_request {
    std::string operation;  ///< "UpdateItem"
    std::string table;      ///< the first one it names
    std::string key;        ///< the values of its (first) key in the order of their names, by "/"
    dynalease::lane lane = lane::ordinary;
    fault::kind fate = fault::kind::pass;
    clock::time_point sent;                      ///< on the caller's clock
    std::vector<clock::time_point> applied;      ///< on the inner database's clock
    std::optional<clock::time_point> completed;  ///< on the caller's clock; empty: still waiting, or crashed
    error_code code;                             ///< what the caller was told
};

/// Makes one attempt of each call: no answer within the attempt's deadline (1 s unless the call says otherwise) is
/// `errc::in_doubt` with `outcome::unknown` for a write, `errc::timeout` for a read. So is a cancelled write, as with a
/// real client; a held one, or a read, is `errc::cancelled`. A request on its way is applied even if its caller has
/// given up or crashed. All processes that share it share one thread.
class faulty_database final : public database_backend {
public:
    /// In front of `inner` for callers in the same process as it.
    explicit faulty_database(std::shared_ptr<database_backend> inner, fault_plan plan = {});
    /// For callers in `environment`: another process with a clock of its own, that may crash.
    faulty_database(std::shared_ptr<database_backend> inner, dynalease::environment environment, fault_plan plan = {});
    ~faulty_database() override;

    const dynalease::environment& environment() const noexcept override;
    boost::asio::awaitable<result<any_response>> perform(any_request request, call_options options) override;

    /// For the requests sent from now on; an empty plan passes all.
    void set_plan(fault_plan plan);

    /// Every request since the start or `clear_log`, in the order sent.
    const std::vector<std::shared_ptr<const logged_request>>& log() const noexcept;
    void clear_log() noexcept;
    /// Requests that may still be applied.
    std::size_t in_flight() const noexcept;

private:
    struct state;
    struct exchange;

    static boost::asio::awaitable<result<any_response>> call(std::shared_ptr<state> state, any_request request,
                                                             call_options options);
    static boost::asio::awaitable<void> travel(std::shared_ptr<state> state, std::weak_ptr<exchange> caller,
                                               std::shared_ptr<logged_request> entry, any_request request,
                                               call_options options, fault fate);

    std::shared_ptr<state> state_;
};

}  // namespace dynalease::testing
