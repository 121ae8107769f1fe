// The process's environment and file system.
// SPDX-License-Identifier: BSL-1.0
#include "aws/config_source.hpp"

#include "aws/refusal.hpp"
#include "aws/text.hpp"

#include <fcntl.h>
#include <pwd.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdlib>
#include <system_error>

namespace dynalease::aws {

namespace {

std::optional<std::string> process_variable(std::string_view name) {
    const char* value = std::getenv(std::string{name}.c_str());
    if (value == nullptr) return std::nullopt;
    return std::string{value};
}

constexpr std::size_t largest_file = 1024 * 1024;

struct descriptor {
    explicit descriptor(int opened) noexcept : number(opened) {}
    descriptor(const descriptor&) = delete;
    descriptor& operator=(const descriptor&) = delete;
    ~descriptor() {
        if (number >= 0) ::close(number);
    }
    const int number;
};

failure unreadable(const std::string& path, const std::string& cause) {
    return refusal(errc::invalid_option, "cannot read " + path + ": " + cause,
                   "make the file readable for this user, or point AWS_CONFIG_FILE and AWS_SHARED_CREDENTIALS_FILE "
                   "elsewhere");
}

result<std::optional<std::string>> read_file(const std::string& path) {
    // It is read on the loop: a pipe that nobody writes to must not stop it, nor /dev/zero eat its memory.
    const descriptor file{::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)};
    if (file.number < 0) {
        const int cause = errno;
        if (cause == ENOENT || cause == ENOTDIR) return std::optional<std::string>{};
        return unreadable(path, std::generic_category().message(cause));
    }
    std::string text;
    std::array<char, 4096> chunk;
    for (;;) {
        const auto got = ::read(file.number, chunk.data(), chunk.size());
        if (got == 0) return std::optional<std::string>{std::move(text)};
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) return unreadable(path, std::generic_category().message(errno));
        text.append(chunk.data(), static_cast<std::size_t>(got));
        if (text.size() > largest_file) return unreadable(path, "it has more than 1 MiB");
    }
}

std::string home_of_account() {
    std::array<char, 4096> buffer;
    passwd entry{};
    passwd* found = nullptr;
    if (::getpwuid_r(::getuid(), &entry, buffer.data(), buffer.size(), &found) != 0 || found == nullptr) return {};
    return found->pw_dir;
}

}  // namespace

config_source config_source::process() {
    return {process_variable, read_file, home_of_account};
}

std::optional<std::string> config_source::get(std::string_view name) const {
    auto value = variable(name);
    if (value && trim(*value).empty()) return std::nullopt;
    return value;
}

}  // namespace dynalease::aws
