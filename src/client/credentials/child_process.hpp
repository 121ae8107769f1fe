// A child process in a group of its own, whose output and end the loop can wait for.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <dynalease/error.hpp>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>

#include <optional>
#include <string>

#include <sys/types.h>

namespace dynalease::detail {

class child_process {
public:
    /// Empty output and `/dev/null` as input and standard error. `error()` says if it could not be started.
    child_process(const boost::asio::any_io_executor& executor, const std::string& command);
    child_process(const child_process&) = delete;
    child_process& operator=(const child_process&) = delete;
    /// Kills and reaps it.
    ~child_process();

    const error_code& error() const noexcept { return error_; }
    boost::asio::posix::stream_descriptor& output() noexcept { return output_; }
    /// Readable once it has ended.
    boost::asio::posix::stream_descriptor& end() noexcept { return end_; }

    /// False in the child of a fork: there it is its parent's, and nothing here touches it.
    bool is_ours() const noexcept;
    /// In the child of a fork, while its context is told of it: ends every wait. The parent reads on, and what were
    /// read here would be missing there.
    void forked() noexcept;
    /// Kills it with all that it started, and ends every wait for its output.
    void kill() noexcept;
    /// Its exit status once it has ended; empty if a signal ended it, or if it is not ours. 0 if somebody else has
    /// reaped it: then its output must speak for itself.
    std::optional<int> status();

private:
    error_code error_{};
    boost::asio::posix::stream_descriptor output_;
    boost::asio::posix::stream_descriptor end_;
    pid_t id_ = -1;
    pid_t parent_;
};

}  // namespace dynalease::detail
