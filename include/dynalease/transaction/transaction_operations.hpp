// The compiled part of transactions: one type for each kind of verb, whatever structs the items become.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <dynalease/detail/initiate.hpp>
#include <dynalease/dynamodb/database.hpp>
#include <dynalease/named.hpp>
#include <dynalease/transaction/transactions_options.hpp>
#include <dynalease/versioned/versioned_operations.hpp>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>

#include <exception>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#pragma GCC visibility push(default)
namespace dynalease::runtime {
class own_process;
}

namespace dynalease {

/// What a reader wants to see of an item that a transaction may hold.
enum class isolation {
    uncommitted,  ///< what lies there, were it to be undone in a moment. 1 read
    committed,    ///< what was committed when it was last seen decided. 1 read
    latest,       ///< what is committed now. 1 read; of an item that is held 2, of one just given back 3
};
constexpr std::string_view to_string(isolation value) noexcept {
    using enum isolation;
    switch (value) {
        case uncommitted:
            return "uncommitted";
        case committed:
            return "committed";
        case latest:
            return "latest";
    }
    return "unknown";
}

namespace detail {

class transactions_impl;
class open_transaction;

/// @throws dynalease::error that names the option.
std::shared_ptr<transactions_impl> make_transactions_impl(database target, transactions_options options);
const transactions_options& options_of(const transactions_impl& core);
boost::asio::any_io_executor executor_of(const transactions_impl& core);
/// @throws dynalease::error that names the option.
std::shared_ptr<open_transaction> begin_transaction(std::shared_ptr<transactions_impl> core, run_options options);
boost::asio::any_io_executor executor_of(const open_transaction& of);
const std::string& id_of(const open_transaction& of);

/// An item as a transaction sees it. Empty `stored`: there is none.
struct transaction_sight {
    std::optional<stored_item> stored{};
    bool fresh = false;  ///< by a read of its own, which the transaction does not depend on yet
    bool known = false;  ///< to the transaction, by its reads and writes before
};
/// What a struct sees of an item's attributes, as it would store them again. Empty: all, as they are.
using item_view = std::optional<item> (*)(const item& attributes);

/// What a read has shown. @returns what the transaction's own writes make of that
/// @throws dynalease::error with `errc::conflict` where another read of it, side by side with this one, showed it
/// otherwise; `errc::transaction_over` where the commit was called meanwhile.
transaction_sight remember(open_transaction& of, std::shared_ptr<versioned_impl> table, const item_key& key,
                           transaction_sight sight, item_view view);
/// Of the kinds of order: `create` inserts, `clobber` puts, `blind` updates, `clobber_remove` erases.
/// @throws dynalease::error
void write_in(open_transaction& of, std::shared_ptr<versioned_impl> table, write_order order, item_view view = nullptr);
/// @throws dynalease::error
void check_in(open_transaction& of, const versioned_impl& table, const item_key& key, condition_expression demand);
/// @throws dynalease::error
void require_in(open_transaction& of, condition_check fence);

struct transaction_read_verb {
    std::shared_ptr<transactions_impl> core;
    std::shared_ptr<versioned_impl> table;
    item_key key;
    isolation level;
    void operator()(diagnostics* details, handler_for<transaction_sight> handler) &&;
};
struct transaction_get_verb {
    std::shared_ptr<open_transaction> of;
    std::shared_ptr<versioned_impl> table;
    item_key key;
    void operator()(diagnostics* details, handler_for<transaction_sight> handler) &&;
};
/// An item that is to be read together with others.
struct joint_read {
    std::shared_ptr<versioned_impl> table;
    item_key key;
};
struct read_together_verb {
    std::shared_ptr<transactions_impl> core;
    std::vector<joint_read> reads;
    void operator()(diagnostics* details, handler_for<std::vector<transaction_sight>> handler) &&;
};
struct commit_verb {
    std::shared_ptr<open_transaction> of;
    void operator()(diagnostics* details, handler_for<void> handler) &&;
};
struct transaction_look_verb {
    std::shared_ptr<transactions_impl> core;
    std::string id;
    void operator()(diagnostics* details, handler_for<transaction_report> handler) &&;
};
struct transaction_list_verb {
    std::shared_ptr<transactions_impl> core;
    void operator()(diagnostics* details, handler_for<std::vector<transaction_report>> handler) &&;
};
/// Brings a transaction to its end: carries it on, or rolls it back.
struct transaction_end_verb {
    std::shared_ptr<transactions_impl> core;
    std::string id;
    bool carries_on;
    const char* called_as;
    void operator()(diagnostics* details, handler_for<transaction_state> handler) &&;
};
/// Takes the mark of a transaction that is over off an item. Yields whether there was one.
struct transaction_free_verb {
    std::shared_ptr<transactions_impl> core;
    std::shared_ptr<versioned_impl> table;
    item_key key;
    void operator()(diagnostics* details, handler_for<bool> handler) &&;
};
struct transaction_sweep_verb {
    std::shared_ptr<transactions_impl> core;
    sweep_options options;
    void operator()(diagnostics* details, handler_for<sweep_report> handler) &&;
};

struct run_place;

/// The attempts of one `run`.
class transaction_attempts {
public:
    /// @throws dynalease::error that names the option.
    transaction_attempts(std::shared_ptr<transactions_impl> core, run_options options);

    /// Whether it has committed before, under the caller's id, and brings that to its end. Cost: 1 read before the
    /// first attempt, and before those at which a row of the id may not be done; without an id of the caller's none.
    boost::asio::awaitable<bool> committed_before();
    /// The next attempt; null: none yet, and the pause before the next one is over.
    /// @throws dynalease::error when what it is to hold cannot be had
    boost::asio::awaitable<std::shared_ptr<open_transaction>> next();
    /// @returns whether it is done; else the body is to run again, and the pause before that is over.
    /// @throws dynalease::error when it has failed for good
    boost::asio::awaitable<bool> commit(std::shared_ptr<open_transaction> attempt);
    /// Whether what a body has thrown was thrown for what was so, as far as can be told: else it is to run again, and
    /// the pause before that is over. @throws dynalease::error as `commit`
    boost::asio::awaitable<bool> stands(std::shared_ptr<open_transaction> attempt, std::exception_ptr thrown);
    /// For a body that yields a value: what it was is not remembered.
    [[noreturn]] void throw_committed_before() const;

private:
    bool locks_first() const;
    void check_process() const;
    boost::asio::awaitable<void> go_on_after(error_code code, diagnostics details, bool last);
    void throw_if_final(error_code code, diagnostics details, bool last);
    void tell_attempts(diagnostics& details, const error_code& code) const;
    boost::asio::awaitable<void> rest();

    std::shared_ptr<transactions_impl> core_;
    std::shared_ptr<const runtime::own_process> process_;  ///< whose run it is
    run_options options_;
    wall_time born_;
    time_point began_;
    time_point deadline_;
    bool asks_ = true;     ///< whether the id has committed
    unsigned made_ = 0;    ///< runs of the body
    unsigned failed_ = 0;  ///< ... and attempts to lock what it needs
    std::shared_ptr<const open_transaction> last_{};
    struct refusal {
        error_code code;
        diagnostics details;
    };
    std::optional<refusal> met_{};        ///< by the last attempt that others were in the way of
    std::shared_ptr<run_place> place_{};  ///< among the runs of this process that met others there
};

}  // namespace detail
}  // namespace dynalease
#pragma GCC visibility pop
