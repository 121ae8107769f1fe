// Workers that are forked from a process with a client: each has a life of its own.
// SPDX-License-Identifier: BSL-1.0
#include <dynalease/dynalease.hpp>
#include <dynalease/local/server.hpp>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/deferred.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>

#include <catch2/catch.hpp>

#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <utility>

namespace asio = boost::asio;
using namespace dynalease;
using namespace std::chrono_literals;

namespace {

/// What a worker found.
struct finding {
    std::array<char, 32> session{};  ///< whose id; or the last transaction's
    bool holds = false;
    bool valid = false;
};

asio::awaitable<void> take_lock(client& shared, finding& found) {
    session_options options{.table = "coordination"};
    session mine{shared, options};
    lock x{mine, "x"};
    auto guard = co_await x.try_acquire();
    std::strncpy(found.session.data(), mine.id().c_str(), found.session.size() - 1);
    found.holds = static_cast<bool>(guard);
    found.valid = guard.held();
    // The worker ends by _exit, which gives nothing back.
    static lock_guard kept = std::move(guard);
    static session alive = std::move(mine);
}

asio::awaitable<void> take_turn(client& shared, finding& found) {
    session_options options{.table = "coordination"};
    session mine{shared, options};
    queue_options plain;
    queue line{mine, "x", plain};
    auto turn = co_await line.try_enter();
    std::strncpy(found.session.data(), mine.id().c_str(), found.session.size() - 1);
    found.holds = static_cast<bool>(turn);
    found.valid = turn.held();
    static queue_turn kept = std::move(turn);
    static session alive = std::move(mine);
}

constexpr int increments = 20;

/// Reads and writes one account again and again, by transactions of a handle that the parent could have made.
asio::awaitable<void> count_up(client& shared, finding& found) {
    const transactions all{shared};
    const versioned_items accounts{shared, {.table = "accounts", .key = "id"}};
    for (int i = 0; i < increments; ++i) {
        const auto body = [&](transaction& tx) -> asio::awaitable<void> {
            std::strncpy(found.session.data(), tx.id().c_str(), found.session.size() - 1);
            auto seen = co_await tx.get(accounts, "ann");
            const auto before = seen ? find_integer(*seen, "balance").value_or(0) : 0;
            tx.put(accounts, {{"id", "ann"}, {"balance", before + 1}});
        };
        const run_options options{.attempts = 100, .within = 60s, .tier = transaction_tier::inline_undo};
        co_await all.run(body, options);
    }
    found.valid = true;
}

/// Of the parent: its children have copies.
wall_clock_guard guard_of_parent;

const item_ref account_of_ann{"accounts", {{"id", "ann"}}};

/// Looks at the copy of its parent's guard, and ends it.
asio::awaitable<void> end_copied_guard(client& shared, finding& found) {
    found.valid = guard_of_parent.held();
    auto [code] = co_await guard_of_parent.release(asio::as_tuple(asio::deferred));
    found.holds = !code;
    guard_of_parent = {};
    co_await dynalease::sleep(shared, 300ms);  // whatever that sends has been sent
}

asio::awaitable<void> make_ann(client& shared) {
    put_item_request fresh{.table_name = "accounts", .new_item = {{"id", "ann"}}};
    co_await shared.execute(std::move(fresh));
}

asio::awaitable<void> hold_by_clock(client& shared) {
    co_await make_ann(shared);
    const wall_clock_lock ann{shared, account_of_ann};
    guard_of_parent = co_await ann.acquire();
}

asio::awaitable<void> try_by_clock(client& another, bool& got) {
    const wall_clock_lock ann{another, account_of_ann};
    const auto guard = co_await ann.try_acquire();
    got = guard.held();
}

/// How the acquire ended that was under way at the fork: each process has its own copy of it.
std::optional<error_code> end_of_acquire;

asio::awaitable<void> acquire_by_clock(client& shared) {
    const wall_clock_lock ann{shared, account_of_ann};
    auto [code, guard] = co_await ann.acquire(asio::as_tuple(asio::deferred));
    end_of_acquire = code;
    guard_of_parent = std::move(guard);
}

asio::awaitable<void> await_copied_acquire(client& shared, finding& found) {
    while (!end_of_acquire) co_await dynalease::sleep(shared, 1ms);
    found.valid = guard_of_parent.held();
    found.holds = end_of_acquire != errc::shut_down;
    guard_of_parent = {};
    co_await dynalease::sleep(shared, 300ms);  // whatever that sends has been sent
}

using work = asio::awaitable<void> (*)(client&, finding&);

/// A child that waits for a sign, does its work, tells, and then holds on until the parent lets go.
class worker {
public:
    worker(asio::io_context& context, client& shared, work what) {
        REQUIRE(::pipe(sign_.data()) == 0);
        REQUIRE(::pipe(told_.data()) == 0);
        context.notify_fork(asio::io_context::fork_prepare);
        child_ = ::fork();
        if (child_ == 0) {
            context.notify_fork(asio::io_context::fork_child);
            be_child(context, shared, what);
        }
        context.notify_fork(asio::io_context::fork_parent);
    }
    worker(const worker&) = delete;
    worker& operator=(const worker&) = delete;
    ~worker() {
        for (const int descriptor : {sign_[0], sign_[1], told_[0], told_[1]}) ::close(descriptor);
        ::waitpid(child_, nullptr, 0);
    }

    finding go() {
        begin();
        return end();
    }
    void begin() { CHECK(::write(sign_[1], "", 1) == 1); }
    finding end() {
        finding found;
        REQUIRE(::read(told_[0], &found, sizeof found) == sizeof found);
        return found;
    }

private:
    [[noreturn]] void be_child(asio::io_context& context, client& shared, work what) const {
        ::close(sign_[1]);
        char sign = 0;
        if (::read(sign_[0], &sign, 1) != 1) ::_exit(1);
        finding found;
        asio::co_spawn(context, what(shared, found), [&](std::exception_ptr) { context.stop(); });
        context.run();
        const auto told = ::write(told_[1], &found, sizeof found);
        const auto dismissed = ::read(sign_[0], &sign, 1);
        ::_exit(told == sizeof found && dismissed == 0 ? 0 : 1);
    }

    std::array<int, 2> sign_{};
    std::array<int, 2> told_{};
    pid_t child_ = 0;
};

client_options options_for(const local::server& server) {
    client_options options;
    options.region = "local";
    options.endpoint = server.endpoint();
    options.credentials = credentials{"local", "local", ""};
    return options;
}

asio::awaitable<void> make_tables(client& through) {
    co_await create_table(through, "coordination");
    create_table_request accounts{.table_name = "accounts", .key = {.hash = {.name = "id"}}};
    co_await through.execute(std::move(accounts));
}

asio::awaitable<void> read_balance(client& through, std::int64_t& balance) {
    get_item_request look{.table_name = "accounts", .key = {{"id", "ann"}}, .consistent_read = true};
    const auto answer = co_await through.execute(std::move(look));
    balance = find_integer(answer.found.value(), "balance").value();
}

/// A server with both tables, in this process.
struct served {
    served() {
        client first{serving.get_executor(), options_for(server)};
        asio::co_spawn(serving, make_tables(first), [&](std::exception_ptr) { serving.stop(); });
        serving.run();
        serving.restart();
    }
    /// Until `what` has ended in the context.
    void serve_while(asio::io_context& context, asio::awaitable<void> what) {
        serving.restart();
        std::thread serves([&] { serving.run(); });
        context.restart();
        asio::co_spawn(context, std::move(what), [&](std::exception_ptr why) {
            CHECK_FALSE(why);
            context.stop();
        });
        context.run();
        serving.stop();
        serves.join();
    }

    asio::io_context serving{1};
    local::server server{serving.get_executor()};
};

}  // namespace

TEST_CASE("of workers forked after the client was made one holds at a time") {
    const auto what = GENERATE(as<work>(), &take_lock, &take_turn);
    served at;
    asio::io_context context{1};
    client shared{context.get_executor(), options_for(at.server)};
    {
        worker a(context, shared, what);
        worker b(context, shared, what);
        std::thread serves([&] { at.serving.run(); });
        const auto first = a.go();
        const auto second = b.go();
        at.serving.stop();
        serves.join();
        CHECK(first.holds);
        CHECK(first.valid);
        CHECK_FALSE(second.holds);
        CHECK_FALSE(second.valid);
        CHECK(std::string(first.session.data()) != std::string(second.session.data()));
        CHECK_FALSE(std::string(second.session.data()).empty());
    }
}

TEST_CASE("an item that is locked by the wall clock is the parent's, whatever becomes of a child's copy of the guard") {
    served at;
    asio::io_context context{1};
    client shared{context.get_executor(), options_for(at.server)};
    at.serve_while(context, hold_by_clock(shared));
    REQUIRE(guard_of_parent.held());
    context.restart();
    {
        worker child(context, shared, &end_copied_guard);
        at.serving.restart();
        std::thread serves([&] { at.serving.run(); });
        const auto found = child.go();
        at.serving.stop();
        serves.join();
        CHECK_FALSE(found.valid);
        CHECK_FALSE(found.holds);
    }
    CHECK(guard_of_parent.held());
    bool taken = true;
    at.serve_while(context, try_by_clock(shared, taken));
    CHECK_FALSE(taken);
    CHECK(guard_of_parent.held());
    guard_of_parent = {};
}

TEST_CASE("an acquire by the wall clock that is under way at a fork is the parent's") {
    served at;
    asio::io_context context{1};
    client shared{context.get_executor(), options_for(at.server)};
    at.serve_while(context, make_ann(shared));
    // Nobody serves: the write is on its way.
    end_of_acquire.reset();
    asio::co_spawn(context, acquire_by_clock(shared), asio::detached);
    context.restart();
    context.run_for(100ms);
    REQUIRE_FALSE(end_of_acquire);
    {
        worker child(context, shared, &await_copied_acquire);
        at.serving.restart();
        std::thread serves([&] { at.serving.run(); });
        const auto found = child.go();
        CHECK_FALSE(found.valid);
        CHECK_FALSE(found.holds);
        while (!end_of_acquire) context.run_one();
        CHECK(*end_of_acquire == error_code());
        at.serving.stop();
        serves.join();
    }
    CHECK(guard_of_parent.held());
    bool taken = true;
    at.serve_while(context, try_by_clock(shared, taken));
    CHECK_FALSE(taken);
    guard_of_parent = {};
}

TEST_CASE("transactions of forked workers are others' to each other, and lose no update") {
    served at;
    asio::io_context context{1};
    client shared{context.get_executor(), options_for(at.server)};
    std::int64_t balance = 0;
    {
        worker a(context, shared, &count_up);
        worker b(context, shared, &count_up);
        std::thread serves([&] { at.serving.run(); });
        a.begin();
        b.begin();
        const auto one = a.end();
        const auto other = b.end();
        at.serving.stop();
        serves.join();
        CHECK(one.valid);
        CHECK(other.valid);
        CHECK(std::string(one.session.data()) != std::string(other.session.data()));
    }
    at.serving.restart();
    client again{at.serving.get_executor(), options_for(at.server)};
    asio::co_spawn(at.serving, read_balance(again, balance), [&](std::exception_ptr) { at.serving.stop(); });
    at.serving.run();
    CHECK(balance == 2 * increments);
}
