// The process's environment and file system.
#include "aws/config_source.hpp"

#include "aws/refusal.hpp"
#include "aws/text.hpp"

#include <pwd.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <system_error>

namespace dynalease::aws {

namespace {

std::optional<std::string> process_variable(std::string_view name) {
    const char* value = std::getenv(std::string{name}.c_str());
    if (value == nullptr) return std::nullopt;
    return std::string{value};
}

failure unreadable(const std::string& path, int cause) {
    return refusal(errc::invalid_option, "cannot read " + path + ": " + std::generic_category().message(cause),
                   "make the file readable for this user, or point AWS_CONFIG_FILE and AWS_SHARED_CREDENTIALS_FILE "
                   "elsewhere");
}

result<std::optional<std::string>> read_file(const std::string& path) {
    struct close {
        void operator()(std::FILE* file) const noexcept { std::fclose(file); }
    };
    const std::unique_ptr<std::FILE, close> file{std::fopen(path.c_str(), "rb")};
    if (!file) {
        const int cause = errno;
        if (cause == ENOENT || cause == ENOTDIR) return std::optional<std::string>{};
        return unreadable(path, cause);
    }
    std::string text;
    std::array<char, 4096> chunk;
    while (const std::size_t got = std::fread(chunk.data(), 1, chunk.size(), file.get()))
        text.append(chunk.data(), got);
    if (std::ferror(file.get()) != 0) return unreadable(path, errno);
    return std::optional<std::string>{std::move(text)};
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
