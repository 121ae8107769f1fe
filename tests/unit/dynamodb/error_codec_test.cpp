// Errors of the service: names, outcomes, retry classes, and what a refusal brings with it.
// SPDX-License-Identifier: BSL-1.0
#include "dynamodb/codec.hpp"

#include <catch2/catch.hpp>

namespace dynalease {

namespace {

std::string body_of(std::string_view type, std::string_view rest = R"(,"message":"words")") {
    return R"({"__type":")" + std::string(type) + '"' + std::string(rest) + "}";
}

constexpr auto never = outcome::not_applied;
constexpr auto maybe = outcome::unknown;

}  // namespace

TEST_CASE("the name of an exception is cut out of its type") {
    CHECK(exception_name("com.amazonaws.dynamodb.v20120810#Name") == "Name");
    CHECK(exception_name("Name") == "Name");
    CHECK(exception_name("Name:http://internal.amazon.com/coral/") == "Name");
    CHECK(exception_name("a#b#Name:x#y") == "Name");
    CHECK(exception_name("") == "");
}

TEST_CASE("each exception has a code, an outcome and a retry class") {
    const auto [name, status, code, applied, retry] =
        GENERATE(table<std::string, unsigned, errc, outcome, retry_class>({
            {"ConditionalCheckFailedException", 400, errc::condition_failed, never, retry_class::none},
            {"TransactionCanceledException", 400, errc::transaction_canceled, never, retry_class::none},
            {"TransactionConflictException", 400, errc::transaction_conflict, never, retry_class::transient},
            {"ReplicatedWriteConflictException", 409, errc::transaction_conflict, never, retry_class::transient},
            {"TransactionInProgressException", 400, errc::transaction_conflict, maybe, retry_class::throttling},
            {"IdempotentParameterMismatchException", 400, errc::idempotency_mismatch, never, retry_class::none},
            {"ProvisionedThroughputExceededException", 400, errc::throttled, never, retry_class::throttling},
            {"ThrottlingException", 429, errc::throttled, never, retry_class::throttling},
            {"RequestLimitExceeded", 400, errc::throttled, never, retry_class::throttling},
            {"LimitExceededException", 400, errc::limit_exceeded, never, retry_class::throttling},
            {"AccessDeniedException", 400, errc::access_denied, never, retry_class::auth},
            {"UnrecognizedClientException", 400, errc::unknown_access_key, never, retry_class::auth},
            {"InvalidSignatureException", 400, errc::invalid_signature, never, retry_class::auth},
            {"ExpiredTokenException", 400, errc::expired_credentials, never, retry_class::auth},
            {"MissingAuthenticationTokenException", 400, errc::no_credentials, never, retry_class::auth},
            {"ValidationException", 400, errc::validation, never, retry_class::none},
            {"SerializationException", 400, errc::validation, never, retry_class::none},
            {"UnknownOperationException", 400, errc::not_supported, never, retry_class::none},
            {"ResourceNotFoundException", 400, errc::table_not_found, never, retry_class::none},
            {"ResourceInUseException", 400, errc::table_in_use, never, retry_class::none},
            {"ItemCollectionSizeLimitExceededException", 400, errc::item_too_large, never, retry_class::none},
            {"InternalServerError", 500, errc::server_error, maybe, retry_class::transient},
            {"ServiceUnavailable", 503, errc::server_error, maybe, retry_class::transient},
            {"RequestTimeout", 400, errc::server_error, maybe, retry_class::transient},
            {"NeverHeardOfException", 400, errc::validation, never, retry_class::none},
            {"NeverHeardOfException", 500, errc::server_error, maybe, retry_class::transient},
            // A 5xx says nothing certain about a write, whatever it is called.
            {"ConditionalCheckFailedException", 500, errc::server_error, maybe, retry_class::transient},
            {"ThrottlingException", 503, errc::server_error, maybe, retry_class::throttling},
        }));
    INFO(name << " " << status);
    const auto decoded = codec::decode_error(status, body_of("com.amazonaws.dynamodb.v20120810#" + name));
    CHECK(decoded.exception == name);
    CHECK(decoded.failure.code == code);
    CHECK(decoded.failure.outcome == applied);
    CHECK(decoded.retry == retry);
    CHECK_THAT(decoded.failure.details.message, Catch::Contains("words"));
}

TEST_CASE("without a DynamoDB error the status decides") {
    const auto [status, body, code, applied, retry] =
        GENERATE(table<unsigned, std::string, errc, outcome, retry_class>({
            {500, "", errc::server_error, maybe, retry_class::transient},
            {502, "<html>bad gateway</html>", errc::server_error, maybe, retry_class::transient},
            {503, "{}", errc::server_error, maybe, retry_class::transient},
            {504, "null", errc::server_error, maybe, retry_class::transient},
            {408, "", errc::server_error, maybe, retry_class::transient},
            {429, "slow down", errc::throttled, never, retry_class::throttling},
            {413, "", errc::item_too_large, never, retry_class::none},
            {403, "forbidden", errc::access_denied, never, retry_class::auth},
            {400, "", errc::bad_response, never, retry_class::none},
            {400, R"({"error":"x"})", errc::bad_response, never, retry_class::none},
            {400, R"({"__type":7})", errc::bad_response, never, retry_class::none},
            {404, "<html>", errc::bad_response, never, retry_class::none},
            {301, "", errc::bad_response, maybe, retry_class::none},
        }));
    INFO(status << " " << body);
    const auto decoded = codec::decode_error(status, body);
    CHECK(decoded.exception.empty());
    CHECK(decoded.failure.code == code);
    CHECK(decoded.failure.outcome == applied);
    CHECK(decoded.retry == retry);
    CHECK_THAT(decoded.failure.details.message, Catch::Contains(std::to_string(status)));
}

TEST_CASE("the message may be spelled either way") {
    CHECK(codec::decode_error(400, body_of("ValidationException", R"(,"Message":"big")")).failure.details.message ==
          "big");
    CHECK(codec::decode_error(400, body_of("ValidationException", "")).failure.details.message == "");
}

TEST_CASE("a refused condition brings the present item") {
    const auto with = codec::decode_error(
        400, body_of("ConditionalCheckFailedException", R"(,"message":"m","Item":{"holder":{"S":"h"}})"));
    CHECK(with.failure.current == item{{"holder", "h"}});
    const auto without = codec::decode_error(400, body_of("ConditionalCheckFailedException"));
    CHECK(!without.failure.current);
}

TEST_CASE("a refusal whose item is damaged does not pass for one without an item") {
    const auto decoded = codec::decode_error(
        400, body_of("ConditionalCheckFailedException", R"(,"message":"m","Item":{"holder":{"S":1}})"));
    CHECK(decoded.failure.code == errc::bad_response);
    CHECK(decoded.failure.outcome == outcome::unknown);
    CHECK_THAT(decoded.failure.details.message, Catch::Contains("Item.holder"));
}

TEST_CASE("a refused transaction tells why, action by action") {
    const auto decoded = codec::decode_error(
        400, R"({"__type":"x#TransactionCanceledException","Message":"m","CancellationReasons":[{"Code":"None"},)"
             R"({"Code":"ConditionalCheckFailed","Message":"c","Item":{"pk":{"S":"k"}}}]})");
    REQUIRE(decoded.failure.reasons.size() == 2);
    CHECK(decoded.failure.reasons[0].code == "None");
    CHECK(!decoded.failure.reasons[0].current);
    CHECK(decoded.failure.reasons[1].code == "ConditionalCheckFailed");
    CHECK(decoded.failure.reasons[1].message == "c");
    CHECK(decoded.failure.reasons[1].current == item{{"pk", "k"}});
}

}  // namespace dynalease
