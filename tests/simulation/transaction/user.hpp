// Somebody in a process who runs transactions, reads and writes beside them, and sees to those of others.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "simulation/framework/user.hpp"
#include "simulation/transaction/history.hpp"
#include "simulation/transaction/wish.hpp"

#include <dynalease/lock.hpp>
#include <dynalease/transaction.hpp>
#include <dynalease/versioned.hpp>

#include <boost/asio/awaitable.hpp>
#include <boost/describe/class.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace dynalease::simulation::transfers {

class process;

/// What the application keeps in its table.
struct account {
    std::string pk{};
    std::string sk{};
    std::int64_t balance = 0;
    std::vector<std::int64_t> entries{};
};
BOOST_DESCRIBE_STRUCT(account, (), (pk, sk, balance, entries))

class user final : public simulation::user {
public:
    explicit user(process& at);

    /// Goes on until everyone is to stop.
    static boost::asio::awaitable<void> live(std::shared_ptr<user> self);
    /// Sweeps up what was left, and meets every item.
    static boost::asio::awaitable<void> tidy_up(std::shared_ptr<user> self);

    /// What it waits for ends.
    void stop();
    /// The attempt whose commit is under way; 0: none.
    std::int64_t attempt() const noexcept { return attempt_; }
    /// Its process has died: what it held is not its own any more.
    void let_go() { guard_ = {}; }
    /// Wishes that were done since the calm began.
    bool served() const noexcept { return served_; }

private:
    /// A body decides that nothing is to happen.
    struct gave_up {};

    boost::asio::awaitable<void> act();
    boost::asio::awaitable<void> want(wish wanted);
    boost::asio::awaitable<bool> take_lock();
    static boost::asio::awaitable<error_code> carry_out(std::shared_ptr<user> self, std::shared_ptr<const wish> wanted,
                                                        run_options how, bool by_hand);
    boost::asio::awaitable<void> write_plainly();
    boost::asio::awaitable<void> read_beside();
    boost::asio::awaitable<void> read_together();
    boost::asio::awaitable<void> end_another();
    boost::asio::awaitable<void> sweep();
    boost::asio::awaitable<void> read_pages();
    boost::asio::awaitable<void> free_one();
    wish draw();
    run_options draw_options(const wish& wanted);
    void tell_call(const error_code& code);

    // ---- bodies ----
    boost::asio::awaitable<void> body(transaction& tx, std::shared_ptr<const wish> wanted);
    boost::asio::awaitable<std::optional<account>> get(transaction& tx, std::size_t item);
    void check(transaction& tx, std::size_t item);
    boost::asio::awaitable<void> take(transaction& tx, const wish& wanted, const step& next);
    boost::asio::awaitable<void> add(transaction& tx, const wish& wanted, const step& next);
    account fresh(std::size_t item, std::int64_t balance, std::int64_t number) const;

    process& process_;
    transactions all_;
    versioned<account> accounts_;
    std::int64_t call_ = 0;
    std::int64_t attempt_ = 0;
    std::vector<seen_item> read_;          ///< by the attempt
    std::vector<demanded_item> demanded_;  ///< by it, too
    lock_guard guard_;                     ///< may be kept from one call to the next
    bool guarded_ = false;                 ///< the call requires it
    bool entering_ = false;                ///< a call was begun, and has not taken its first step
    bool stopped_ = false;
    bool served_ = false;
    bool failed_ = false;  ///< the last call
};

}  // namespace dynalease::simulation::transfers
