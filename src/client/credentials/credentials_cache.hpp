// Keeps the keys in use: fetches them once for all who wait, and anew ahead of their end.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "aws/credentials_source.hpp"
#include "aws/refresh_schedule.hpp"
#include "runtime/gate.hpp"
#include "runtime/waiter_list.hpp"

#include <dynalease/aws/credentials_provider.hpp>
#include <dynalease/runtime/environment.hpp>

#include <boost/asio/awaitable.hpp>

#include <cstddef>
#include <limits>
#include <memory>

namespace dynalease::detail {

/// Lives on the environment's executor.
class credentials_cache : public std::enable_shared_from_this<credentials_cache> {
public:
    credentials_cache(environment world, std::shared_ptr<credentials_provider> source);

    /// What can be used at once; null: there is only `get`. Begins to fetch others when it is time, and nobody waits.
    aws::shared_credentials present();

    /// The same, or what a fetch brings, which all who wait share. Keys past their end are given all the same if no
    /// others are to be had; not those that were refused.
    /// Errors: the source's; `errc::timeout` at the deadline; `errc::throttled` if so many wait already;
    /// `errc::cancelled`; `errc::shut_down`.
    boost::asio::awaitable<result<aws::shared_credentials>> get(
        clock::time_point until, std::size_t most_waiting = std::numeric_limits<std::size_t>::max());

    /// The service does not take these any more. What replaced them meanwhile is not touched.
    void refuse(const aws::shared_credentials& used) noexcept;
    /// Whatever is kept now.
    void refuse_present() noexcept { refuse(kept_); }

    /// Whoever waits fails with `errc::shut_down`. A fetch under way is the source's matter.
    void close() noexcept;

private:
    void begin_fetch();
    /// Until its last step, however it ends: one that finds no memory must not be waited for.
    bool is_fetching() const noexcept { return flights_.count() != 0; }
    static boost::asio::awaitable<void> fetch(std::shared_ptr<credentials_cache> self);
    boost::asio::awaitable<result<aws::shared_credentials>> ask();
    void end_fetch(result<aws::shared_credentials> answer);

    environment world_;
    std::shared_ptr<credentials_provider> source_;
    aws::shared_credentials kept_;
    aws::refresh_schedule schedule_;
    failure last_failure_;
    clock::time_point not_before_{};     // of another fetch, after one that failed
    clock::time_point trusted_until_{};  // refusals of keys just fetched because of a refusal change nothing
    bool refused_ = false;
    bool closed_ = false;
    runtime::gate flights_;
    runtime::waiter_list<runtime::unit> waiting_;
};

}  // namespace dynalease::detail
