// DynamoDB as a plain object: tables, expressions, conditions, transactions, expiry. For tests and demonstrations.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <dynalease/dynamodb/failure.hpp>
#include <dynalease/dynamodb/operations.hpp>
#include <dynalease/local/fault_rates.hpp>

#include <chrono>
#include <memory>

#pragma GCC visibility push(default)
namespace dynalease::local {

class table_keeper;

/// Synchronous and deterministic: no clock, thread, socket or chance inside. The same calls with the same times give
/// the same answers, down to the order of a Scan. Not for two threads at once.
///
/// Changes show at once, in indexes too; a table is active, and an index filled, when its creation is answered.
class engine {
public:
    using time = std::chrono::sys_time<std::chrono::milliseconds>;  ///< the same as `clock::wall_time`

    engine();
    /// For dynalease-local, which keeps its tables in a file.
    explicit engine(std::unique_ptr<table_keeper> keeper);
    ~engine();
    engine(engine&&) noexcept;
    engine& operator=(engine&&) noexcept;

    /// Carries out one request, wholly or not at all. Failures have `outcome::not_applied` and DynamoDB's words.
    /// @param now decides which items have expired (their TTL attribute lies in the past: they are gone before the
    /// request looks) and which client request tokens still count (10 minutes). It may go back between calls.
    result<any_response> execute(const any_request& request, time now);

    /// How long a write is at work, which decides what conflicts as on AWS: until then a single write of an item of a
    /// transaction is refused with TransactionConflictException, another transaction is cancelled for it, a repeat
    /// with its token gets TransactionInProgressException, and TransactGetItems is cancelled for any write of its
    /// items. At zero, the default, each request is over before the next.
    void set_write_time(std::chrono::milliseconds duration);

    /// Requests from now on meet these.
    void set_faults(const fault_rates& rates);

private:
    struct state;
    std::unique_ptr<state> state_;
};

}  // namespace dynalease::local
#pragma GCC visibility pop
