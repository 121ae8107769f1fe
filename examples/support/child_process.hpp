// A child process that dies with its parent, with pipes to its standard input and output.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

namespace support {

class child_process {
public:
    /// Starts `command[0]` with the rest as arguments. Its standard error is ours.
    /// @throws std::system_error when the process cannot be made.
    explicit child_process(const std::vector<std::string>& command);
    /// Kills the child if it still runs, and reaps it.
    ~child_process();
    child_process(child_process&& other) noexcept;
    child_process& operator=(child_process&&) = delete;

    pid_t id() const noexcept { return id_; }
    /// The writing end of its standard input.
    int input() const noexcept { return input_; }
    /// The reading end of its standard output.
    int output() const noexcept { return output_; }

    /// Writes a whole line to its standard input. A child that is gone does not hear it.
    void tell(const std::string& line) const noexcept;
    void kill() noexcept;
    /// Sends SIGSTOP and returns when the child has stopped.
    void stop() noexcept;
    void resume() noexcept;
    /// Waits for the end. @returns the exit status, or 128 and the number of the signal that ended it.
    int wait() noexcept;

private:
    pid_t id_ = -1;
    int input_ = -1;
    int output_ = -1;
    int status_ = 0;
};

/// The next line of a pipe without its end, read byte by byte so that nothing behind it is lost; empty at its end.
std::string read_line(int descriptor);

/// The path of the program that is running.
std::string own_path();

}  // namespace support
