// Those who wait for their session to be live, and what has kept it from that.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "database/protocol/reply.hpp"
#include "runtime/waiter_list.hpp"

#include <boost/asio/any_io_executor.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <list>
#include <memory>
#include <utility>

namespace dynalease::detail {

/// How long somebody bears it that the session cannot be opened.
enum class patience {
    none,    ///< he tries: until a request has failed, or had no answer twice
    little,  ///< until it is fruitless
    much,    ///< while his time lasts
};

class openers {
public:
    using line = runtime::waiter_list<shared_failure>;

    explicit openers(const boost::asio::any_io_executor& executor)
        : lines_{line(executor), line(executor), line(executor)} {}

    /// One of them, while it lives.
    class caller {
    public:
        explicit caller(openers& among) : in_(among.here_), position_(in_.insert(in_.end(), this)) {}
        ~caller() { in_.erase(position_); }
        caller(const caller&) = delete;
        caller& operator=(const caller&) = delete;

        /// That were sent since it came.
        unsigned requests() const noexcept { return requests_; }

    private:
        friend openers;
        std::list<caller*>& in_;
        std::list<caller*>::iterator position_;
        unsigned requests_ = 0;
    };

    line& of(patience theirs) noexcept { return lines_[static_cast<std::size_t>(theirs)]; }
    bool none_waits() const {
        return std::ranges::all_of(lines_, [](const line& each) { return each.empty(); });
    }

    /// A request that is to open the session leaves, or another copy of it.
    void asks() {
        for (auto* each : here_) ++each->requests_;
    }

    /// What keeps the session from being opened, for whoever gives up now; null: nothing is known to.
    const shared_failure& trouble() const noexcept { return trouble_; }
    void note_trouble(shared_failure why) { trouble_ = std::move(why); }
    /// Whoever bears no more than that is told of it.
    void tell_trouble(patience most) {
        for (auto& each : lines_) {
            if (&each <= &of(most)) tell(each, trouble_);
        }
    }
    /// Nobody opens it any more. @param why null: the session is live
    void tell_all(const shared_failure& why) {
        trouble_.reset();
        for (auto& each : lines_) tell(each, why);
    }
    void session_ends() {
        for (auto& each : lines_) each.complete_all({});
    }

private:
    static void tell(line& those, const shared_failure& why) {
        while (those.complete_one(shared_failure(why))) {
        }
    }

    std::array<line, 3> lines_;  ///< by their patience
    std::list<caller*> here_;
    shared_failure trouble_;
};

}  // namespace dynalease::detail
