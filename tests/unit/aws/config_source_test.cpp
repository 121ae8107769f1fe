// Files as they come: read on the loop, so none may hold it or grow without end.
// SPDX-License-Identifier: BSL-1.0
#include "aws/config_source.hpp"

#include <catch2/catch.hpp>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

using namespace dynalease;

namespace {

result<std::optional<std::string>> read(const std::string& path) {
    return aws::config_source::process().file(path);
}

struct folder {
    folder() {
        char name[] = "/tmp/dynalease-config-XXXXXX";
        path = ::mkdtemp(name);
    }
    ~folder() { std::filesystem::remove_all(path); }

    std::string with(std::size_t size) const {
        std::ofstream(path + "/file") << std::string(size, 'x');
        return path + "/file";
    }

    std::string path;
};

}  // namespace

TEST_CASE("a file is read whole up to 1 MiB, and one that is not there is none") {
    const folder here;
    CHECK(read(here.with(10)).value()->size() == 10);
    CHECK(read(here.with(1024 * 1024)).value()->size() == 1024 * 1024);
    const auto large = read(here.with(1024 * 1024 + 1));
    REQUIRE(large.has_error());
    CHECK_THAT(large.error().details.message, Catch::Contains("1 MiB"));
    CHECK_FALSE(read(here.path + "/other").value());
    CHECK_FALSE(read(here.with(1) + "/below").value());
    CHECK(read(here.path).has_error());
}

TEST_CASE("what is no file neither holds the loop nor fills the memory") {
    const folder here;
    CHECK(read("/dev/null").value()->empty());
    CHECK(read("/dev/zero").has_error());
    const auto pipe = here.path + "/pipe";
    REQUIRE(::mkfifo(pipe.c_str(), 0600) == 0);
    CHECK(read(pipe).value()->empty());
    const int writer = ::open(pipe.c_str(), O_RDWR);
    CHECK(read(pipe).has_error());
    ::close(writer);
}
