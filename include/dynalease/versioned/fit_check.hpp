// Whether all items of a table read as a struct: to be asked before a program that reads them so is let loose on it.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <dynalease/detail/braced.hpp>
#include <dynalease/detail/initiate.hpp>
#include <dynalease/versioned/versioned.hpp>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#pragma GCC visibility push(default)
namespace dynalease {

struct fit_options {
    /// What it may cost a second, on average: at least 1. A page costs 128 at most, or 256 where reads are consistent.
    double read_units_per_second = 50;
    std::size_t most_misfits = 20;  ///< that the report holds; all are counted
    detail::braced<item_key>
        after{};              ///< goes on behind this key, as `fit_report::last` told it; empty: from the start
    bool consistent = false;  ///< for twice the cost; else it may overlook what was written a second ago
};

/// What a check has seen so far.
struct fit_report {
    std::uint64_t fitting = 0;      ///< items that read as the struct
    std::uint64_t not_fitting = 0;  ///< items that do not
    std::vector<misfit> misfits{};  ///< the first of these
    double read_units = 0;          ///< what it has cost
    item_key last{};                ///< the last key that was read; empty before the first page, and when `complete`
    bool complete = false;          ///< all of the table was read
};

namespace detail {

/// One walk through a table. `count` tries the items of a page: adds up those that fit, and returns the others.
struct fit_walk {
    using trial = std::function<std::vector<misfit>(std::vector<item> shown, std::uint64_t& fitting)>;

    /// @throws dynalease::error with `errc::invalid_option`.
    fit_walk(database from, std::string table_name, fit_options how, trial tried);

    database target;
    std::string table;
    fit_options options;
    trial count;
    fit_report report{};
    dynalease::time_point next_page{};  ///< not before this
};

struct fit_verb {
    std::shared_ptr<fit_walk> walk;
    void operator()(diagnostics* details, handler_for<void> handler) &&;
};

}  // namespace detail

/// Reads a whole table, slowly, and tells which of its items do not read as a T:
///
///     dynalease::fit_check check{books};
///     co_await check.run();
///     for (const auto& odd : check.report().misfits) std::cerr << odd.why.what() << '\n';
///
/// Nothing is written. Tombstones, and what a transaction inserts, count for nothing.
template <versionable T>
class fit_check {
public:
    using executor_type = boost::asio::any_io_executor;

    /// @throws dynalease::error with `errc::invalid_option`.
    explicit fit_check(versioned<T> table, fit_options options = {})
        : walk_(std::make_shared<detail::fit_walk>(table.target(), table.options().table, std::move(options),
                                                   [table](std::vector<item> shown, std::uint64_t& fitting) {
                                                       auto sorted = table.from_all(std::move(shown));
                                                       fitting += sorted.values.size();
                                                       return std::move(sorted.misfits);
                                                   })) {}

    executor_type get_executor() const noexcept { return walk_->target.get_executor(); }

    /// Reads on until the table is read or something fails. What was seen by then stays in the report; another call
    /// goes on behind it, and so does another process whose `after` is the report's `last`. Items that do not fit are
    /// no error. Errors: those of a scan. Cancellation: all types. Cost: half a read unit for each 4 KB of the table,
    /// twice that where reads are consistent; a request for each MB.
    boost::asio::awaitable<void> run() { return detail::await_verb<void>(get_executor(), detail::fit_verb{walk_}); }
    template <class... Tail>
        requires verb_tail<void, Tail...>
    auto run(Tail&&... tail) {
        return detail::initiate<void>(get_executor(), detail::fit_verb{walk_}, std::forward<Tail>(tail)...);
    }

    /// What was seen so far. Not from another thread while `run` is at work.
    const fit_report& report() const noexcept { return walk_->report; }

private:
    std::shared_ptr<detail::fit_walk> walk_;
};

}  // namespace dynalease
#pragma GCC visibility pop
