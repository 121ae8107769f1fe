// Room client: starting and ending a process.
// SPDX-License-Identifier: BSL-1.0
#include "client/credentials/child_process.hpp"

#include <boost/system/system_error.hpp>

#include <array>
#include <cerrno>
#include <csignal>

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

namespace dynalease::detail {

namespace {

constexpr int longest_agony = 100;  // ms

error_code system_error(int cause) {
    return {cause, boost::system::system_category()};
}

/// What `posix_spawn` is to do between fork and exec.
class start_plan {
public:
    explicit start_plan(int output) {
        ::posix_spawn_file_actions_init(&files_);
        ::posix_spawn_file_actions_addopen(&files_, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
        ::posix_spawn_file_actions_adddup2(&files_, output, STDOUT_FILENO);
        ::posix_spawn_file_actions_addopen(&files_, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
        // The host's sockets are seldom marked to be closed here, Asio's never: a helper that lives on would keep its
        // listening port and its clients' connections open.
        ::posix_spawn_file_actions_addclosefrom_np(&files_, STDERR_FILENO + 1);
        ::posix_spawnattr_init(&attributes_);
        // A server may have blocked or ignored signals; a program that it starts expects none to be.
        sigset_t none;
        sigset_t usual;
        ::sigemptyset(&none);
        ::sigemptyset(&usual);
        for (const int signal : {SIGPIPE, SIGCHLD, SIGTERM, SIGINT}) ::sigaddset(&usual, signal);
        ::posix_spawnattr_setsigmask(&attributes_, &none);
        ::posix_spawnattr_setsigdefault(&attributes_, &usual);
        ::posix_spawnattr_setpgroup(&attributes_, 0);
        ::posix_spawnattr_setflags(&attributes_,
                                   POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP);
    }
    start_plan(const start_plan&) = delete;
    start_plan& operator=(const start_plan&) = delete;
    ~start_plan() {
        ::posix_spawn_file_actions_destroy(&files_);
        ::posix_spawnattr_destroy(&attributes_);
    }

    int start(pid_t& id, const std::string& command) const {
        std::string shell = "sh";
        std::string option = "-c";
        std::string text = command;
        const std::array<char*, 4> arguments{shell.data(), option.data(), text.data(), nullptr};
        return ::posix_spawn(&id, "/bin/sh", &files_, &attributes_, arguments.data(), environ);
    }

private:
    posix_spawn_file_actions_t files_;
    posix_spawnattr_t attributes_;
};

}  // namespace

child_process::child_process(const boost::asio::any_io_executor& executor, const std::string& command)
    : output_(executor), end_(executor), parent_(::getpid()) {
    std::array<int, 2> pipe;
    if (::pipe2(pipe.data(), O_CLOEXEC) != 0) {
        error_ = system_error(errno);
        return;
    }
    output_.assign(pipe[0]);
    output_.non_blocking(true, error_);
    const int failed = start_plan(pipe[1]).start(id_, command);
    ::close(pipe[1]);
    if (failed != 0) {
        id_ = -1;
        error_ = system_error(failed);
        return;
    }
    const auto ending = static_cast<int>(::syscall(SYS_pidfd_open, id_, 0U));
    if (ending < 0) {
        error_ = system_error(errno);
    } else {
        end_.assign(ending);
    }
}

child_process::~child_process() {
    if (id_ < 0 || !is_ours()) return;
    ::kill(-id_, SIGKILL);
    // It ends at once, after such a signal; but not one that hangs in the kernel, and the loop must not hang with it.
    pollfd ended{end_.native_handle(), POLLIN, 0};
    ::poll(&ended, 1, longest_agony);
    ::waitpid(id_, nullptr, WNOHANG);
}

void child_process::forked() noexcept {
    // Not closed: that would take the parent's place out of the poll set, which both still share.
    error_code ignored;
    output_.cancel(ignored);
    end_.cancel(ignored);
}

bool child_process::is_ours() const noexcept {
    return ::getpid() == parent_;
}

void child_process::kill() noexcept {
    if (id_ >= 0 && is_ours()) ::kill(-id_, SIGKILL);
    error_code ignored;
    output_.close(ignored);
}

std::optional<int> child_process::status() {
    if (!is_ours()) return std::nullopt;
    int status = 0;
    const auto reaped = ::waitpid(id_, &status, WNOHANG);
    if (reaped == 0) return std::nullopt;
    id_ = -1;
    if (reaped < 0) return 0;
    if (!WIFEXITED(status)) return std::nullopt;
    return WEXITSTATUS(status);
}

}  // namespace dynalease::detail
