// Compressed answers: only for those who ask, only for long ones, and checked by what was sent.
// SPDX-License-Identifier: BSL-1.0
#include "local/http/compression.hpp"
#include "unit/local/http/http_peer.hpp"

#include <zlib.h>
#include <catch2/catch.hpp>

namespace dynalease::local::test {

namespace {

std::string inflated(const std::string& bytes) {
    std::string out(1'000'000, '\0');
    z_stream stream{};
    constexpr int window = 15;
    constexpr int any_header = 32;
    REQUIRE(::inflateInit2(&stream, window + any_header) == Z_OK);
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
    stream.avail_in = static_cast<uInt>(bytes.size());
    stream.next_out = reinterpret_cast<Bytef*>(out.data());
    stream.avail_out = static_cast<uInt>(out.size());
    CHECK(::inflate(&stream, Z_FINISH) == Z_STREAM_END);
    out.resize(stream.total_out);
    ::inflateEnd(&stream);
    return out;
}

/// The request with one more header, which is not signed.
std::string with_header(std::string request, const std::string& header) {
    return request.insert(request.find("\r\n") + 2, header + "\r\n");
}

}  // namespace

TEST_CASE("the coding that is wanted most is chosen") {
    CHECK(preferred_coding("gzip") == "gzip");
    CHECK(preferred_coding("deflate, gzip;q=0.5") == "deflate");
    CHECK(preferred_coding("gzip;q=0") == "");
    CHECK(preferred_coding("br, gzip ; q=0.1") == "gzip");
    CHECK(preferred_coding("gzip, deflate") == "gzip");
    CHECK(preferred_coding("deflate, GZIP") == "deflate");
    CHECK(preferred_coding("") == "");
    CHECK(preferred_coding("br") == "");
}

TEST_CASE("a star is every coding that is not named, and identity is no wish") {
    CHECK(preferred_coding("*") == "gzip");
    CHECK(preferred_coding("*, deflate") == "deflate");
    CHECK(preferred_coding("*, gzip;q=0.5") == "deflate");
    CHECK(preferred_coding("*;q=0") == "");
    CHECK(preferred_coding("identity, gzip;q=0.5") == "gzip");
}

TEST_CASE("a quality that is no number is 1, and the first one counts") {
    CHECK(preferred_coding("deflate;q=0.5, gzip;q=x") == "gzip");
    CHECK(preferred_coding("gzip;q=9, deflate;q=99") == "gzip");
    CHECK(preferred_coding("deflate;q=0.5, gzip;q=1;q=0.2") == "gzip");
    CHECK(preferred_coding("deflate;q=-1, gzip;q=0.2") == "gzip");
}

TEST_CASE("a long answer comes compressed when asked, with the checksum of what was sent") {
    running_server server;
    peer peer(server.port());
    REQUIRE(peer.ask(signed_request("CreateTable", create_things)).status == 200);
    const std::string text(10'000, 'x');
    REQUIRE(peer.ask(signed_request("PutItem",
                                    R"({"TableName":"things","Item":{"pk":{"S":"a"},"v":{"S":")" + text + "\"}}}"))
                .status == 200);
    const auto get = signed_request("GetItem", R"({"TableName":"things","Key":{"pk":{"S":"a"}}})");
    const auto plain = peer.ask(get);
    CHECK(plain.header("Content-Encoding").empty());
    for (const std::string coding : {"gzip", "deflate"}) {
        const auto answer = peer.ask(with_header(get, "Accept-Encoding: " + coding));
        CHECK(answer.header("Content-Encoding") == coding);
        CHECK(answer.body.size() < 1000);
        CHECK(answer.header("x-amz-crc32") ==
              std::to_string(::crc32_z(0, reinterpret_cast<const Bytef*>(answer.body.data()), answer.body.size())));
        CHECK(inflated(answer.body) == plain.body);
    }
    const auto small = peer.ask(with_header(signed_request("ListTables", "{}"), "Accept-Encoding: gzip"));
    CHECK(small.header("Content-Encoding").empty());
}

}  // namespace dynalease::local::test
