// A server that runs out of memory at any point of a request: the request fails, and everything else is as it was.
// SPDX-License-Identifier: BSL-1.0
#include "unit/local/http/http_peer.hpp"

#include "local/http/request_service.hpp"
#include "support/asked_service.hpp"

#include <dynalease/local/engine.hpp>

#include <catch2/catch.hpp>

#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <memory>
#include <new>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace {

constexpr std::size_t never = SIZE_MAX;

/// Where a forked server shares it with its test.
struct plan {
    std::atomic<std::size_t> allocations_left{never};  ///< so many more are served, then one is not
    std::atomic<bool> by_another_error{false};
};
plan own_plan;
plan* present = &own_plan;

bool is_to_fail() {
    auto& left = present->allocations_left;
    if (left == never || left-- != 0) return false;
    left = never;
    return true;
}

}  // namespace

// What takes its memory from the C library, as RapidJSON does unless it is told otherwise, gets none either.
extern "C" {
void* __real_malloc(std::size_t size);
void* __real_realloc(void* memory, std::size_t size);
void* __wrap_malloc(std::size_t size) {
    return is_to_fail() ? nullptr : __real_malloc(size);
}
void* __wrap_realloc(void* memory, std::size_t size) {
    return is_to_fail() ? nullptr : __real_realloc(memory, size);
}
}

namespace {

void* take(std::size_t size) {
    if (is_to_fail()) {
        if (present->by_another_error) throw std::runtime_error("an error of another kind");
        throw std::bad_alloc();
    }
    if (void* memory = __real_malloc(size)) return memory;
    throw std::bad_alloc();
}

}  // namespace

void* operator new(std::size_t size) {
    return take(size);
}
void* operator new[](std::size_t size) {
    return take(size);
}
void operator delete(void* memory) noexcept {
    std::free(memory);
}
void operator delete[](void* memory) noexcept {
    std::free(memory);
}
void operator delete(void* memory, std::size_t) noexcept {
    std::free(memory);
}
void operator delete[](void* memory, std::size_t) noexcept {
    std::free(memory);
}

namespace dynalease::local::test {

namespace {

class small_world {
public:
    std::string ask(const std::string& operation, const std::string& body) {
        return tests::asked(requests_, operation, body, now_).body;
    }

    /// All there is, by the table and by its index, which have to agree.
    std::string state() {
        const auto whole = ask("Scan", R"({"TableName":"things"})");
        const auto indexed = ask("Scan", R"({"TableName":"things","IndexName":"other"})");
        CHECK(count_in(whole) == count_in(indexed));
        return whole;
    }

    /// Fails each of its allocations in turn.
    void check(const std::string& operation, const std::string& body) {
        INFO(operation << " " << body.substr(0, 200));
        const auto before = state();
        for (std::size_t served = 0;; ++served) {
            present->allocations_left = served;
            try {
                const auto answer = ask(operation, body);
                if (present->allocations_left.exchange(never) == never) FAIL("a failure was swallowed: " << answer);
                return;
            } catch (const std::bad_alloc&) {
                const auto after = state();
                // Where only the answer failed it is done, and done again it stays so.
                if (after != before && after != done(operation, body)) FAIL("half done after " << served);
            }
        }
    }

private:
    std::string done(const std::string& operation, const std::string& body) {
        ask(operation, body);
        return state();
    }

    static std::string count_in(const std::string& page) {
        const auto at = page.find("\"Count\":");
        return at == std::string::npos ? page : page.substr(at, page.find(',', at) - at);
    }

    request_service requests_{std::make_shared<engine>(), std::nullopt};
    engine::time now_{std::chrono::sys_days{std::chrono::year{2026} / 3 / 1}};
};

std::string item_of(const std::string& pk, const std::string& h) {
    return R"({"pk":{"S":")" + pk + R"("},"h":{"S":")" + h +
           R"(, long enough for memory of its own"},"t":{"N":"1900000000"}})";
}

}  // namespace

TEST_CASE("out of memory, a request is done wholly or not at all") {
    small_world world;
    world.ask("CreateTable",
              R"({"TableName":"things","BillingMode":"PAY_PER_REQUEST",)"
              R"("KeySchema":[{"AttributeName":"pk","KeyType":"HASH"}],)"
              R"("AttributeDefinitions":[{"AttributeName":"pk","AttributeType":"S"},)"
              R"({"AttributeName":"h","AttributeType":"S"}],)"
              R"("GlobalSecondaryIndexes":[{"IndexName":"other","KeySchema":[{"AttributeName":"h","KeyType":"HASH"}],)"
              R"("Projection":{"ProjectionType":"ALL"}}]})");
    world.ask("UpdateTimeToLive",
              R"({"TableName":"things","TimeToLiveSpecification":{"AttributeName":"t","Enabled":true}})");
    const std::string table = R"("TableName":"things",)";
    world.check("PutItem", "{" + table + R"("Item":)" + item_of("a", "one") + "}");
    world.check("PutItem", "{" + table + R"("Item":)" + item_of("a", "another") + "}");
    world.check("UpdateItem",
                "{" + table +
                    R"("Key":{"pk":{"S":"a"}},"UpdateExpression":"SET h = :h, l = :l",)"
                    R"("ExpressionAttributeValues":{":h":{"S":"moved in the index"},":l":{"L":[{"N":"1"}]}},)"
                    R"("ReturnValues":"ALL_NEW"})");
    world.check("Query", "{" + table +
                             R"("IndexName":"other","KeyConditionExpression":"h = :h",)"
                             R"j("FilterExpression":"contains(l, :n)","ProjectionExpression":"pk, l[0]",)j"
                             R"("ExpressionAttributeValues":{":h":{"S":"moved in the index"},":n":{"N":"1"}}})");
    world.check("TransactWriteItems", R"({"ClientRequestToken":"once","TransactItems":[{"Put":{)" + table +
                                          R"("Item":)" + item_of("b", "two") + R"(}},{"Put":{)" + table + R"("Item":)" +
                                          item_of("c", "three") + R"(}},{"Delete":{)" + table +
                                          R"("Key":{"pk":{"S":"a"}}}}]})");
    world.check("BatchGetItem", R"({"RequestItems":{"things":{"Keys":[{"pk":{"S":"b"}},{"pk":{"S":"c"}}]}}})");
    world.check("DeleteItem", "{" + table + R"("Key":{"pk":{"S":"b"}},"ReturnValues":"ALL_OLD"})");
    // What needs more for its JSON than the buffers that are there for it.
    std::string ones;
    for (int i = 0; i < 400; ++i) ones += R"({"N":"1"},)";
    world.check("PutItem", "{" + table + R"("Item":{"pk":{"S":"d"},"h":{"S":"four"},"l":{"L":[)" + ones + R"({"S":")" +
                               std::string(9000, 'x') + R"("}]}}})");
}

namespace {

/// A server in a process of its own, of which one step fails when it is told to.
class failing_server {
public:
    explicit failing_server(server_options options) : server_(context_.get_executor(), std::move(options)) {
        void* const page = ::mmap(nullptr, sizeof(plan), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
        REQUIRE(page != MAP_FAILED);
        plan_ = new (page) plan;
        context_.notify_fork(boost::asio::io_context::fork_prepare);
        child_ = ::fork();
        if (child_ == 0) {
            context_.notify_fork(boost::asio::io_context::fork_child);
            present = plan_;
            try {
                context_.run();
            } catch (...) {
                ::_exit(1);
            }
            ::_exit(0);
        }
        context_.notify_fork(boost::asio::io_context::fork_parent);
    }
    failing_server(const failing_server&) = delete;
    failing_server& operator=(const failing_server&) = delete;
    ~failing_server() {
        ::kill(child_, SIGKILL);
        ::waitpid(child_, nullptr, 0);
        ::munmap(plan_, sizeof(plan));
    }

    std::uint16_t port() const { return server_.port(); }
    void fail(std::size_t served, bool by_another_error) {
        plan_->by_another_error = by_another_error;
        plan_->allocations_left = served;
    }
    /// Whether it has failed as it was told to; it will not any more.
    bool has_failed() { return plan_->allocations_left.exchange(never) == never; }
    bool has_ended() const { return ::waitpid(child_, nullptr, WNOHANG) != 0; }

private:
    boost::asio::io_context context_{1};
    server server_;
    plan* plan_ = nullptr;
    pid_t child_ = -1;
};

std::string with_line(std::string request, const std::string& line) {
    return request.insert(request.find("\r\n\r\n"), "\r\n" + line);
}

/// A request that waits for leave to send its body, a large one, and one that ends the connection; or what comes of
/// them.
void ask_much(peer& from, const std::string& table) {
    std::string nulls = R"({"NULL":true})";
    for (int i = 0; i < 2000; ++i) nulls += R"(,{"NULL":true})";
    const auto put = R"({"TableName":")" + table + R"(","Item":{"pk":{"S":"a"},"l":{"L":[)" + nulls + "]}}}";
    const auto request = with_line(signed_request("PutItem", put), "Expect: 100-continue");
    const auto body = request.find("\r\n\r\n") + 4;
    from.send(request.substr(0, body));
    if (from.receive_head().status != 100) return;
    if (from.ask(request.substr(body)).status >= 500) return;
    from.ask(with_line(signed_request("ListTables", "{}"), "Connection: close"));
    from.send("more");
    from.is_closed();
}

}  // namespace

TEST_CASE("whatever a step of the server throws, no more than its connection ends") {
    const bool another = GENERATE(false, true);
    failing_server server({});
    REQUIRE(peer(server.port()).ask(signed_request("CreateTable", create_things)).status == 200);
    std::size_t served = 0;
    for (bool failed = true; failed; ++served) {
        INFO("after " << served << (another ? " by another error" : " out of memory"));
        peer one(server.port());
        REQUIRE(one.ask(signed_request("ListTables", "{}")).status == 200);
        server.fail(served, another);
        try {
            ask_much(one, "things");
        } catch (const boost::system::system_error&) {
            // cut off, as it may be
        }
        failed = server.has_failed();
        REQUIRE_FALSE(server.has_ended());
        REQUIRE(peer(server.port()).ask(signed_request("ListTables", "{}")).status == 200);
    }
    CHECK(served > 20);
}

}  // namespace dynalease::local::test
