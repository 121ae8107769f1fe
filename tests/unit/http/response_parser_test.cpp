// Responses from bytes that arrive in any portions.
// SPDX-License-Identifier: BSL-1.0
#include "http/response_parser.hpp"

#include <catch2/catch.hpp>

#include <string>

using namespace dynalease::http;

namespace {

struct outcome {
    bool done = false;
    bool keep_alive = false;
    boost::system::error_code error;
    response what;
};

/// Feeds `text` in portions of `size` bytes, then the end if asked to.
outcome parse(std::string_view text, std::size_t size, bool end = false, response_limits limits = {}) {
    outcome result;
    response_parser parser(result.what, limits);
    parser.reset();
    boost::beast::flat_buffer buffer;
    while (!text.empty() && !result.error && !parser.done()) {
        const auto portion = text.substr(0, size);
        text.remove_prefix(portion.size());
        buffer.commit(boost::asio::buffer_copy(buffer.prepare(portion.size()), boost::asio::buffer(portion)));
        parser.feed(buffer, result.error);
    }
    if (end && !result.error) parser.feed_end(result.error);
    result.done = parser.done();
    result.keep_alive = result.done && parser.keep_alive();
    return result;
}

const std::string plain = "HTTP/1.1 200 OK\r\nX-Amz-Crc32: 2745614147\r\nContent-Length: 2\r\n\r\n{}";
const std::string chunked =
    "HTTP/1.1 400 Bad\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n1;x=y\r\n \r\n5\r\nworld\r\n0\r\n\r\n";
const std::string empty = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n";
const std::string unbounded = "HTTP/1.1 200 OK\r\n\r\nuntil the end";

}  // namespace

TEST_CASE("every way to frame a body, in portions of every size") {
    for (std::size_t size = 1; size <= chunked.size(); ++size) {
        INFO("portions of " << size);
        const auto with_length = parse(plain, size);
        REQUIRE(with_length.done);
        CHECK(with_length.what.status() == 200);
        CHECK(with_length.what.body() == "{}");
        CHECK(with_length.what.header("x-amz-crc32") == "2745614147");
        CHECK(with_length.what.header("date").empty());
        CHECK(with_length.keep_alive);

        const auto in_chunks = parse(chunked, size);
        REQUIRE(in_chunks.done);
        CHECK(in_chunks.what.status() == 400);
        CHECK(in_chunks.what.body() == "hello world");

        const auto no_chunk = parse(empty, size);
        REQUIRE(no_chunk.done);
        CHECK(no_chunk.what.body().empty());

        const auto to_the_end = parse(unbounded, size, true);
        REQUIRE(to_the_end.done);
        CHECK(to_the_end.what.body() == "until the end");
        CHECK_FALSE(to_the_end.keep_alive);
    }
}

TEST_CASE("interim answers are skipped, but not without end") {
    const std::string interim = "HTTP/1.1 100 Continue\r\n\r\n";
    const auto one = parse(interim + plain, 7);
    REQUIRE(one.done);
    CHECK(one.what.status() == 200);
    std::string many;
    for (int i = 0; i < 8; ++i) many += interim;
    CHECK(parse(many + plain, many.size()).done);
    many += interim;
    CHECK(parse(many + plain, many.size()).error);
}

TEST_CASE("what is cut, malformed or too large is an error") {
    for (std::size_t size = 1; size < plain.size(); ++size) {
        INFO("cut after " << size);
        CHECK(parse(plain.substr(0, size), 64, true).error);
    }
    CHECK(parse("SSH-2.0-OpenSSH_9.2\r\n\r\n", 64).error);
    CHECK(parse("HTTP/1.1 200 OK\r\nContent-Length: x\r\n\r\n", 64).error);
    CHECK(parse("HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\n{}", 64).error);
    response_limits tight;
    tight.head = 64;
    tight.body = 8;
    CHECK(parse("HTTP/1.1 200 OK\r\nX: " + std::string(100, 'x') + "\r\n\r\n", 16, false, tight).error);
    CHECK(parse("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n123456789", 64, false, tight).error);
    CHECK(parse("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n9\r\n123456789\r\n0\r\n\r\n", 64, false, tight)
              .error);
}

TEST_CASE("what stands before a chunk or behind the last one is bounded as the head is") {
    response_limits tight;
    tight.head = 64;
    const std::string begin = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";
    const std::string trailer = "X: " + std::string(60, 'x') + "\r\n";
    const std::string endless[] = {
        begin + "5;a=\"" + std::string(100, 'x'),
        begin + std::string(100, '0'),
        begin + "2\r\n{}\r\n0\r\n" + trailer + trailer,
    };
    for (const auto& text : endless) {
        for (const std::size_t size : {std::size_t{1}, std::size_t{7}, text.size()}) {
            INFO(text << " in portions of " << size);
            CHECK(parse(text, size, false, tight).error);
        }
    }
    CHECK(parse(begin + "2;a=\"" + std::string(40, 'x') + "\"\r\n{}\r\n0\r\nX: y\r\n\r\n", 7, false, tight).done);
}

TEST_CASE("what is said behind the last chunk is no header") {
    const std::string text =
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\nX-Amz-Crc32: 1\r\n\r\n";
    for (std::size_t size = 1; size <= text.size(); ++size) {
        const auto seen = parse(text, size);
        REQUIRE(seen.done);
        CHECK(seen.what.body() == "{}");
        CHECK(seen.what.header("x-amz-crc32").empty());
    }
}

TEST_CASE("a response is told apart from the one before on the same connection") {
    response into;
    response_parser parser(into, {});
    boost::beast::flat_buffer buffer;
    for (const auto& text : {plain, chunked, plain}) {
        parser.reset();
        buffer.commit(boost::asio::buffer_copy(buffer.prepare(text.size()), boost::asio::buffer(text)));
        boost::system::error_code error;
        parser.feed(buffer, error);
        REQUIRE(parser.done());
        CHECK(into.body() == (text == plain ? "{}" : "hello world"));
        CHECK(into.header("X-AMZ-CRC32").empty() == (text != plain));
        CHECK(buffer.size() == 0);
    }
}
