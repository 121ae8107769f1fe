// A server that runs out of memory at any point of a request: the request fails, and everything else is as it was.
#include "local/front.hpp"

#include <dynalease/local/engine.hpp>

#include <catch2/catch.hpp>

#include <chrono>
#include <cstdlib>
#include <memory>
#include <new>
#include <string>
#include <utility>
#include <vector>

namespace {

constexpr std::size_t never = SIZE_MAX;
/// So many more are served, then one is not.
std::size_t allocations_left = never;

void* take(std::size_t size) {
    if (allocations_left != never && allocations_left-- == 0) {
        allocations_left = never;
        throw std::bad_alloc();
    }
    if (void* memory = std::malloc(size)) return memory;
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
        const std::string target = "DynamoDB_20120810." + operation;
        aws::request_view request;
        request.method = "POST";
        request.path = "/";
        request.headers = {{"content-type", "application/x-amz-json-1.0"}, {"x-amz-target", target}};
        request.body = body;
        return front_.answer(request, now_).body;
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
        INFO(operation << " " << body);
        const auto before = state();
        for (std::size_t served = 0;; ++served) {
            allocations_left = served;
            try {
                const auto answer = ask(operation, body);
                if (std::exchange(allocations_left, never) == never) FAIL("a failure was swallowed: " << answer);
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

    front front_{std::make_shared<engine>(), std::nullopt};
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
    world.check("UpdateItem", "{" + table + R"("Key":{"pk":{"S":"a"}},"UpdateExpression":"SET h = :h, l = :l",)"
                              R"("ExpressionAttributeValues":{":h":{"S":"moved in the index"},":l":{"L":[{"N":"1"}]}},)"
                              R"("ReturnValues":"ALL_NEW"})");
    world.check("Query", "{" + table + R"("IndexName":"other","KeyConditionExpression":"h = :h",)"
                         R"j("FilterExpression":"contains(l, :n)","ProjectionExpression":"pk, l[0]",)j"
                         R"("ExpressionAttributeValues":{":h":{"S":"moved in the index"},":n":{"N":"1"}}})");
    world.check("TransactWriteItems",
                R"({"ClientRequestToken":"once","TransactItems":[{"Put":{)" + table + R"("Item":)" +
                    item_of("b", "two") + R"(}},{"Put":{)" + table + R"("Item":)" + item_of("c", "three") +
                    R"(}},{"Delete":{)" + table + R"("Key":{"pk":{"S":"a"}}}}]})");
    world.check("BatchGetItem", R"({"RequestItems":{"things":{"Keys":[{"pk":{"S":"b"}},{"pk":{"S":"c"}}]}}})");
    world.check("DeleteItem", "{" + table + R"("Key":{"pk":{"S":"b"}},"ReturnValues":"ALL_OLD"})");
}

}  // namespace dynalease::local::test
