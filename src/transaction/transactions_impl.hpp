// What all handles of one table of transactions share, and a transaction that is open.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "runtime/context_end.hpp"
#include "runtime/later.hpp"
#include "runtime/own_process.hpp"
#include "transaction/protocol/plan_reader.hpp"
#include "transaction/protocol/planned_writes.hpp"
#include "transaction/protocol/transaction_decisions.hpp"
#include "transaction/transaction_draft.hpp"

#include <dynalease/transaction/transaction_operations.hpp>

#include <boost/asio/awaitable.hpp>

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace dynalease::detail {

class transactions_impl {
public:
    /// @throws dynalease::error that names the option at fault.
    transactions_impl(database target, transactions_options options);

    const database& target() const noexcept { return target_; }
    const environment& world() const noexcept { return target_.environment(); }
    const transactions_options& options() const noexcept { return options_; }
    time_point now() const { return world().clock->now(); }
    /// For destructors: nothing can be posted any more.
    bool context_ended() const noexcept { return context_->reached(); }
    protocol::rivalry rules() const;
    time_point after(std::chrono::milliseconds time) const { return runtime::later(now(), time); }
    /// A run is one attempt.
    protocol::run_name new_run(const std::string& id) const { return {id, world().new_id()}; }

private:
    database target_;
    transactions_options options_;
    std::shared_ptr<runtime::context_end> context_ = runtime::context_end::of(world().executor);
};

class held_items;

/// One attempt: its body's reads and writes, until the commit takes them.
class open_transaction {
public:
    std::shared_ptr<transactions_impl> core;
    run_options options;
    std::string id;  ///< the caller's, or drawn
    std::int64_t born = 0;
    time_point deadline{};  ///< of the commit
    transaction_draft draft{};
    std::shared_ptr<held_items> held{};  ///< what it has locked before its body runs; null: nothing
    bool one_call = false;               ///< known once its body has ended: one call can carry it out
    bool leaves_row = false;             ///< ... and whether a row of its id may not be done when it has failed
    bool over = false;
    bool of_run = false;  ///< `run` commits it, and nobody else
    runtime::own_process process{};
    /// How its commit ended; empty: it has not.
    std::optional<error_code> ended{};

    bool has_callers_id() const { return options.id.has_value(); }
};

/// Why the table takes no part in transactions; empty: it does.
std::optional<failure> fault_of_table(const versioned_impl& table);
/// What the transaction knows of an item without asking; empty: nothing yet. Or why it may not be asked for.
result<std::optional<transaction_sight>> known_in(const open_transaction& of, const versioned_impl& table,
                                                  const item_key& key);

/// @throws dynalease::error that names the option at fault.
void check(const run_options& options, const char* verb);
/// Why no transaction can have that id; empty: one can.
std::optional<failure> fault_of_id(const std::string& id);
/// What is told of a verb after the commit.
failure is_over(const open_transaction& of);
std::shared_ptr<open_transaction> open(std::shared_ptr<transactions_impl> core, const run_options& options,
                                       std::int64_t born, time_point deadline);

struct placed_key {
    protocol::item_layout layout;
    item_key key;
};
/// An item as it is committed. A tombstone counts as missing.
result<std::optional<stored_item>> as_stored(const placed_key& place, std::optional<item> committed);
/// Tells a failure; where the coordination table is to blame for its key, that.
boost::asio::awaitable<error_code> report_explained(std::shared_ptr<transactions_impl> core, failure why,
                                                    diagnostics* details);
/// As they are committed now.
boost::asio::awaitable<result<std::vector<std::optional<stored_item>>>> read_latest(
    std::shared_ptr<transactions_impl> core, std::vector<placed_key> places);
/// As all of them were committed at one moment.
boost::asio::awaitable<result<std::vector<std::optional<stored_item>>>> read_at_once(
    std::shared_ptr<transactions_impl> core, std::vector<placed_key> places);
/// The row of a transaction, with all that it wants; empty: there is none.
boost::asio::awaitable<result<std::optional<protocol::transaction_header>>> read_plan(
    std::shared_ptr<transactions_impl> core, protocol::plan_reader reader);

}  // namespace dynalease::detail
