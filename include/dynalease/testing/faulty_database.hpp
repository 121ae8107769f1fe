// A network that loses, delays and repeats, between one simulated process and the store.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <dynalease/dynamodb/database.hpp>
#include <dynalease/testing/faults.hpp>
#include <dynalease/testing/scheduler.hpp>

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#pragma GCC visibility push(default)
namespace dynalease::testing {

/// One call as the network saw it, with all its attempts.
struct logged_request {
    std::string operation;  ///< "UpdateItem"
    std::string table;      ///< the first one it names
    std::string key;        ///< the values of its (first) key in the order of their names, by "/"
    dynalease::lane lane = lane::ordinary;
    fault::kind fate = fault::kind::pass;  ///< of the last attempt
    unsigned attempts = 0;
    clock::time_point sent;                      ///< on the caller's clock
    std::vector<clock::time_point> applied;      ///< in true time
    std::optional<clock::time_point> completed;  ///< on the caller's clock; empty: still waiting, or crashed
    error_code code;                             ///< what the caller was told
};

/// Sees all that goes through a network, as it happens. Must outlive the scheduler.
class network_observer {
public:
    network_observer() = default;
    network_observer(const network_observer&) = delete;
    network_observer& operator=(const network_observer&) = delete;
    virtual ~network_observer() = default;

    /// A call begins.
    virtual void sent(const logged_request& entry, const any_request& request) = 0;
    /// One of its attempts has failed, and after a pause the client would send another. @param why as the call would
    /// fail now
    virtual void failed([[maybe_unused]] const logged_request& entry, [[maybe_unused]] const any_request& request,
                        [[maybe_unused]] const failure& why) {}
    /// ... and sends it.
    virtual void sent_again([[maybe_unused]] const logged_request& entry, [[maybe_unused]] const any_request& request) {
    }
    /// One of its attempts has arrived. Perhaps long after its caller has given up or crashed, and perhaps not for the
    /// first time.
    virtual void applied(const logged_request& entry, const any_request& request,
                         const result<any_response>& answer) = 0;
    /// The caller has been told.
    virtual void answered(const logged_request& entry, const any_request& request,
                          const result<any_response>& answer) = 0;
};

/// No answer within an attempt's deadline (1 s unless the call says otherwise) is `errc::in_doubt` with
/// `outcome::unknown` for a write, `errc::timeout` for a read. So is a cancelled write, as with a real client; a held
/// one, or a read, is `errc::cancelled`. A request on its way is applied even if its caller has given up or crashed.
///
/// An attempt whose fate says `again` is followed by another with the same bytes, up to four in a call unless the call
/// allows fewer. What the caller is told of several attempts is what a real client says: a refusal after a write
/// without an answer is that refusal with `outcome::unknown`, for the first copy may be its reason; anything less is
/// `errc::in_doubt`.
class faulty_database final : public database_backend {
public:
    /// @param environment the caller's, on a process of `world`.
    faulty_database(scheduler& world, receiver store, dynalease::environment environment, fault_plan plan = {});
    ~faulty_database() override;

    const dynalease::environment& environment() const noexcept override;
    boost::asio::awaitable<result<any_response>> perform(any_request request, call_options options) override;

    /// For the requests sent from now on; an empty plan passes all.
    void set_plan(fault_plan plan);
    /// Null: none.
    void set_observer(network_observer* observer) noexcept;

    /// Every request since the start or `clear_log`, in the order sent.
    const std::vector<std::shared_ptr<const logged_request>>& log() const noexcept;
    void clear_log() noexcept;
    /// For long runs: an observer sees each request, but none is kept.
    void keep_log(bool keep) noexcept;
    /// Requests that may still be applied.
    std::size_t in_flight() const noexcept;

private:
    struct state;
    struct exchange;
    struct flight;

    static boost::asio::awaitable<result<any_response>> call(std::shared_ptr<state> state, any_request request,
                                                             call_options options);
    static boost::asio::awaitable<result<any_response>> attempt(std::shared_ptr<state> state, any_request request,
                                                                fault fate, clock::time_point deadline,
                                                                std::shared_ptr<logged_request> entry);
    static result<any_response> told(const state& network, logged_request& entry, const any_request& request,
                                     result<any_response> answer);
    static void depart(const std::shared_ptr<flight>& travelling);
    static void arrive(const std::shared_ptr<flight>& travelling);
    static void deliver(const std::shared_ptr<flight>& travelling);
    static result<any_response> apply(const std::shared_ptr<flight>& travelling);

    std::shared_ptr<state> state_;
};

}  // namespace dynalease::testing
#pragma GCC visibility pop
