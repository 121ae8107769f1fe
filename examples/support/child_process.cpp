// fork and exec, with the parent-death signal set before the new program starts.
// SPDX-License-Identifier: BSL-1.0
#include "support/child_process.hpp"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <climits>
#include <csignal>
#include <system_error>
#include <utility>

namespace support {
namespace {

[[noreturn]] void fail(const char* what) {
    throw std::system_error(errno, std::generic_category(), what);
}

/// In the child: only async-signal-safe calls from here to exec.
[[noreturn]] void become(char* const* arguments, int input, int output, pid_t parent) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (::getppid() != parent) ::_exit(127);  // the parent died before the signal was set
    ::signal(SIGPIPE, SIG_DFL);
    ::dup2(input, STDIN_FILENO);
    ::dup2(output, STDOUT_FILENO);
    ::close_range(STDERR_FILENO + 1, ~0U, 0);  // a socket is closed when its owner closes it, not when all children end
    ::execv(arguments[0], arguments);
    ::_exit(127);
}

}  // namespace

child_process::child_process(const std::vector<std::string>& command) {
    std::vector<char*> arguments;
    for (const auto& word : command) arguments.push_back(const_cast<char*>(word.c_str()));
    arguments.push_back(nullptr);

    std::array<int, 2> in{};
    std::array<int, 2> out{};
    if (::pipe2(in.data(), O_CLOEXEC) != 0) fail("pipe");
    if (::pipe2(out.data(), O_CLOEXEC) != 0) fail("pipe");
    const pid_t parent = ::getpid();
    id_ = ::fork();
    if (id_ < 0) fail("fork");
    if (id_ == 0) become(arguments.data(), in[0], out[1], parent);
    ::close(in[0]);
    ::close(out[1]);
    input_ = in[1];
    output_ = out[0];
    ::signal(SIGPIPE, SIG_IGN);  // a line for a child that is gone must not end us
}

child_process::child_process(child_process&& other) noexcept
    : id_(std::exchange(other.id_, -1)),
      input_(std::exchange(other.input_, -1)),
      output_(std::exchange(other.output_, -1)),
      status_(other.status_) {}

child_process::~child_process() {
    if (id_ > 0) {
        kill();
        wait();
    }
    if (input_ >= 0) ::close(input_);
    if (output_ >= 0) ::close(output_);
}

void child_process::tell(const std::string& line) const noexcept {
    const auto text = line + '\n';
    // Lines are far shorter than PIPE_BUF: they are written whole or, to a dead child, not at all.
    [[maybe_unused]] const auto written = ::write(input_, text.data(), text.size());
}

void child_process::kill() noexcept {
    if (id_ > 0) ::kill(id_, SIGKILL);
}

void child_process::stop() noexcept {
    if (id_ <= 0) return;
    ::kill(id_, SIGSTOP);
    int status = 0;
    while (::waitpid(id_, &status, WUNTRACED) < 0 && errno == EINTR) {
    }
}

void child_process::resume() noexcept {
    if (id_ > 0) ::kill(id_, SIGCONT);
}

int child_process::wait() noexcept {
    if (id_ <= 0) return status_;
    int status = 0;
    while (::waitpid(id_, &status, 0) < 0 && errno == EINTR) {
    }
    id_ = -1;
    status_ = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    return status_;
}

std::string read_line(int descriptor) {
    std::string line;
    for (char next = 0;;) {
        const auto got = ::read(descriptor, &next, 1);
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0 || next == '\n') return line;
        line += next;
    }
}

std::string own_path() {
    std::array<char, PATH_MAX> path{};
    const auto length = ::readlink("/proc/self/exe", path.data(), path.size());
    if (length < 0) fail("/proc/self/exe");
    return {path.data(), static_cast<std::size_t>(length)};
}

}  // namespace support
