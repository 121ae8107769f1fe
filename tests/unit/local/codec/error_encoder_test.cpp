// Refusals of the embedded server, as a client reads them.
// SPDX-License-Identifier: BSL-1.0
#include "local/codec/server_codec.hpp"

#include <catch2/catch.hpp>

namespace dynalease {

TEST_CASE("what the embedded server refuses arrives as it was meant") {
    const auto code = GENERATE(errc::condition_failed, errc::transaction_canceled, errc::transaction_conflict,
                               errc::idempotency_mismatch, errc::throttled, errc::access_denied,
                               errc::invalid_signature, errc::unknown_access_key, errc::expired_credentials,
                               errc::no_credentials, errc::table_not_found, errc::table_in_use, errc::validation,
                               errc::limit_exceeded, errc::not_supported, errc::item_too_large, errc::server_error);
    failure refusal(code);
    refusal.current = item{{"pk", "k"}, {"n", 1}};
    refusal.reasons = {{"None", "", std::nullopt}, {"ConditionalCheckFailed", "why", item{{"a", 1}}}};
    refusal.details.message = "in these words";
    const auto encoded = codec::encode_error(refusal);
    INFO(encoded.body);
    const auto arrived = codec::decode_error(encoded.status, encoded.body).failure;
    CHECK(arrived.code == code);
    CHECK(arrived.current == refusal.current);
    REQUIRE(arrived.reasons.size() == 2);
    CHECK(arrived.reasons[1].code == "ConditionalCheckFailed");
    CHECK(arrived.reasons[1].current == refusal.reasons[1].current);
    CHECK(arrived.details.message == "in these words");
}

TEST_CASE("an error from elsewhere is the server's own") {
    failure refusal;
    refusal.code = make_error_code(boost::system::errc::no_space_on_device);
    CHECK(codec::encode_error(refusal).status == 500);
    CHECK(codec::encode_error(failure(errc::in_doubt)).status == 500);
}

}  // namespace dynalease
