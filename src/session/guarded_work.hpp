// Work that is cancelled when the grant it was done under is lost, or its session closes, whatever was granted.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "runtime/spawn.hpp"
#include "session/hold.hpp"

#include <dynalease/detail/guarded_work.hpp>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/cancellation_signal.hpp>

#include <exception>
#include <memory>
#include <optional>

namespace dynalease::detail {

struct guarded_verb {
    const char* name;
    const char* held;  ///< "the lock"
};

/// @param end as `start_ending_work` told it, which may be the first to find the grant lost, or to notice that its time
/// was over
/// @throws `errc::lock_lost`
void check_kept_under_work(const hold& grant, guarded_verb verb, error_code end, const diagnostics& why);

/// Touched on the body's executor only, but for `session_closes`.
class guarded_work final : public bound_work, public std::enable_shared_from_this<guarded_work> {
public:
    guarded_work(boost::asio::any_io_executor executor, std::shared_ptr<hold> grant, guarded_verb verb,
                 guarded_handler&& handler);

    /// Lets the caller's cancellation reach the work. Its end, or that it could not begin, completes the handler.
    void start(boost::asio::awaitable<void> work);
    void session_closes() noexcept override;

private:
    boost::asio::awaitable<runtime::completion<void>> run(std::shared_ptr<guarded_work> self,
                                                          boost::asio::awaitable<void> work);
    void cancel_for(errc why);
    void finish();

    boost::asio::any_io_executor executor_;
    std::shared_ptr<hold> grant_;
    guarded_verb verb_;
    guarded_handler handler_;
    boost::asio::cancellation_signal body_;
    boost::asio::cancellation_signal watch_;
    std::exception_ptr thrown_;
    std::optional<errc> cancelled_for_;
    bool ended_ = false;
};

}  // namespace dynalease::detail
