// Programs that print keys: run without blocking, bounded, and leaving nothing behind.
// SPDX-License-Identifier: BSL-1.0
#include "client/credentials/process_runner.hpp"

#include "unit/client/credentials/credentials_world.hpp"

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>

namespace {

using namespace credentials_test;

std::size_t open_files() {
    const std::filesystem::directory_iterator all("/proc/self/fd");
    return static_cast<std::size_t>(std::distance(begin(all), end(all)));
}

bool has_children() {
    return ::waitpid(-1, nullptr, WNOHANG) != -1 || errno != ECHILD;
}

result<std::string> run(const std::string& command) {
    credentials_world world;
    const auto programs = detail::make_process_runner(world.world);
    return world.run(programs->run(command));
}

/// A program that ends when it is told to, with status 3, or prints what it is told.
class told_program {
public:
    told_program() {
        REQUIRE(::mkfifo(path_.c_str(), 0600) == 0);
        pipe_ = ::open(path_.c_str(), O_RDWR | O_CLOEXEC);  // both ends: opening waits for nobody
        REQUIRE(pipe_ >= 0);
    }
    told_program(const told_program&) = delete;
    told_program& operator=(const told_program&) = delete;
    ~told_program() {
        ::close(pipe_);
        ::unlink(path_.c_str());
    }

    std::string command() const { return "read word < " + path_ + "; [ $word != fail ] || exit 3; echo $word"; }
    void tell(const std::string& word) const {
        CHECK(::write(pipe_, (word + "\n").data(), word.size() + 1) == static_cast<ssize_t>(word.size()) + 1);
    }

private:
    std::string path_ =
        (std::filesystem::temp_directory_path() / ("dynalease_told_" + std::to_string(::getpid()))).string();
    int pipe_ = -1;
};

std::string problem_of(const std::string& command) {
    const auto printed = run(command);
    if (printed) return "it printed " + *printed;
    CHECK(printed.error().code == errc::no_credentials);
    CHECK_FALSE(printed.error().details.advice.empty());
    return printed.error().details.message;
}

}  // namespace

TEST_CASE("what a program prints is read whole; what it complains of goes nowhere") {
    CHECK(run("echo one; sleep 0; echo two | cat; echo hush >&2").value() == "one\ntwo\n");
    CHECK(run("cat").value().empty());
    CHECK(run("head -c 60000 /dev/zero").value().size() == 60'000);
}

TEST_CASE("a program that leaves another behind, which keeps its output open, has printed all when it ends") {
    const told_program left;
    credentials_world world;
    const auto programs = detail::make_process_runner(world.world);
    CHECK(world.run(programs->run("(" + left.command() + ") & echo key")).value() == "key\n");
    left.tell("end");
}

TEST_CASE("a program has no file of the host's, not even of one that anybody may inherit") {
    const int socket = ::socket(AF_INET, SOCK_STREAM, 0);
    const int high = ::fcntl(socket, F_DUPFD, 500);
    REQUIRE(high >= 500);
    // One more than these three: the folder that `ls` reads.
    const auto open = run("ls /proc/self/fd | wc -l").value();
    ::close(high);
    ::close(socket);
    CHECK(open == "4\n");
}

TEST_CASE("a program that fails is told by its status, and never by its words") {
    using Catch::Contains;
    CHECK_THAT(problem_of("echo hush; exit 3"), Contains("status 3") && !Contains("hush"));
    CHECK_THAT(problem_of("/no/such/program --secret hush"), Contains("status 127") && !Contains("hush"));
    CHECK_THAT(problem_of("kill -9 $$"), Contains("signal"));
    CHECK_THAT(problem_of("yes"), Contains("64 KiB"));
}

TEST_CASE("a program that does not end is killed with all it started, and nothing is left behind") {
    const auto files = open_files();
    {
        credentials_world world;
        const auto programs = detail::make_process_runner(world.world);
        std::optional<result<std::string>> done;
        asio::co_spawn(world.io, programs->run("sleep 1000 & sleep 1000"),
                       [&done](std::exception_ptr, result<std::string> text) { done = std::move(text); });
        world.io.poll();
        CHECK_FALSE(done);
        world.time->advance(61s);
        world.io.restart();
        world.io.run_for(10s);
        REQUIRE(done);
        CHECK_THAT(done->error().details.message, Catch::Contains("within a minute"));
        CHECK_FALSE(has_children());
    }
    CHECK(open_files() <= files);
}

TEST_CASE("closing kills what runs; a loop that is destroyed leaves no process") {
    {
        credentials_world world;
        const auto programs = detail::make_process_runner(world.world);
        std::optional<result<std::string>> done;
        asio::co_spawn(world.io, programs->run("sleep 1000"),
                       [&done](std::exception_ptr, result<std::string> text) { done = std::move(text); });
        world.io.poll();
        programs->close();
        world.io.restart();
        world.io.run_for(10s);
        REQUIRE(done);
        CHECK(done->error().code == errc::shut_down);
        CHECK(world.run(programs->run("true")).error().code == errc::shut_down);
    }
    {
        credentials_world world;
        const auto programs = detail::make_process_runner(world.world);
        asio::co_spawn(world.io, programs->run("sleep 1000"), [](std::exception_ptr, result<std::string>) {});
        world.io.poll();
    }
    CHECK_FALSE(has_children());
}

TEST_CASE("a fork of the host neither ends the host's program nor takes it for one that did well") {
    const told_program program;
    credentials_world world;
    const auto programs = detail::make_process_runner(world.world);
    std::optional<result<std::string>> done;
    const auto start = [&] {
        done.reset();
        world.io.restart();
        asio::co_spawn(world.io, programs->run(program.command()),
                       [&done](std::exception_ptr, result<std::string> text) { done = std::move(text); });
        world.io.poll();
    };
    const auto wait = [&] {
        world.io.restart();
        world.io.run_for(10s);
        return done.has_value();
    };
    start();
    const auto status = status_of_a_fork(world.io, [&] {
        program.tell("fail");
        if (!wait()) return 2;
        return !*done && done->error().code == errc::no_credentials ? 0 : 1;
    });
    CHECK(status == 0);
    REQUIRE(wait());
    CHECK_THAT(done->error().details.message, Catch::Contains("status 3"));

    start();
    CHECK(status_of_a_fork(world.io, [&] {
              programs->close();
              return 0;
          }) == 0);
    program.tell("kept");
    REQUIRE(wait());
    CHECK(done->value() == "kept\n");
}

TEST_CASE("a fork that runs the loop takes nothing of what its parent's program prints") {
    const told_program program;
    credentials_world world;
    const auto programs = detail::make_process_runner(world.world);
    std::optional<result<std::string>> done;
    asio::co_spawn(world.io, programs->run(program.command()),
                   [&done](std::exception_ptr, result<std::string> text) { done = std::move(text); });
    world.io.poll();
    CHECK(status_of_a_fork(world.io, [&] {
              program.tell("key");
              world.io.restart();
              world.io.run_for(10s);
              const bool told = done && !*done && done->error().code == errc::no_credentials;
              return told && run("echo own").value() == "own\n" ? 0 : 1;
          }) == 0);
    world.io.restart();
    world.io.run_for(10s);
    REQUIRE(done);
    CHECK(done->value() == "key\n");
}
