// What a worker does all day: the part that differs from primitive to primitive.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "torture/dice.hpp"
#include "torture/witness.hpp"

#include <dynalease/dynamodb/database.hpp>
#include <dynalease/session.hpp>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>

#include <chrono>
#include <memory>
#include <string_view>

namespace torture {

/// An order to stand still at the worst moment: after a look at the guard, before the write it was to protect.
class halt_order {
public:
    void give() noexcept { given_ = true; }
    void take_back() noexcept { given_ = false; }
    /// If the order was given: blocks the whole process, as a stop at this very line would, until the supervisor has
    /// stopped it, has let it go on and says so.
    void obey();

private:
    bool given_ = false;
};

/// One task of a worker: where it runs, whom it tells, what drives its choices.
struct post {
    boost::asio::any_io_executor executor;
    witness& tell;
    dice& chance;
    halt_order& halt;
    dynalease::database store;  ///< for what needs no session; obeys the order to halt before each write

    boost::asio::awaitable<void> pause(std::chrono::nanoseconds time) const;
};

class workload {
public:
    workload() = default;
    workload(const workload&) = delete;
    workload& operator=(const workload&) = delete;
    virtual ~workload() = default;

    /// Contends for something, holds it, changes what it protects, gives it back; tells each step. Called by several
    /// tasks at once. @throws what the library throws.
    virtual boost::asio::awaitable<void> turn(dynalease::session& session, const post& self) const = 0;

    // Of the supervisor, straight to the store.

    /// Before anybody works: what is to be there beside the coordination table.
    virtual boost::asio::awaitable<void> prepare(dynalease::database store) const;
    /// When all have ended: tells what is left.
    virtual boost::asio::awaitable<void> take_stock(dynalease::database store, witness& tell) const;
    /// What it promises is in its tables: they must not be lost.
    virtual bool needs_its_tables() const noexcept { return false; }
};

/// Null: there is no such primitive.
std::unique_ptr<const workload> make_workload(std::string_view primitive);

}  // namespace torture
