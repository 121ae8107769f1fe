// Work that is cancelled when the grant it was done under is lost, or its session closes, whatever was granted.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "session/hold.hpp"

#include <dynalease/detail/guarded_work.hpp>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/cancellation_signal.hpp>

#include <exception>
#include <memory>

namespace dynalease::detail {

/// Touched on the body's executor only, but for `session_closes`.
class guarded_work final : public bound_work, public std::enable_shared_from_this<guarded_work> {
public:
    /// @param about what the errors tell, in the words of the verb, of the end that cancelled the work.
    guarded_work(boost::asio::any_io_executor executor, std::shared_ptr<hold> grant, diagnostics about,
                 guarded_handler&& handler);

    /// Lets the caller's cancellation reach the work. Its end, or that it could not begin, completes the handler.
    void start(boost::asio::awaitable<void> work);
    void session_closes() noexcept override;

private:
    void cancel_for(errc why);
    void finish();

    boost::asio::any_io_executor executor_;
    std::shared_ptr<hold> grant_;
    diagnostics about_;
    guarded_handler handler_;
    boost::asio::cancellation_signal body_;
    boost::asio::cancellation_signal watch_;
    std::exception_ptr thrown_;
    error_code cancelled_for_;
    bool ended_ = false;
};

}  // namespace dynalease::detail
