// Which address is tried first.
// SPDX-License-Identifier: BSL-1.0
#include "http/address_book.hpp"

#include <catch2/catch.hpp>

using namespace dynalease::http;
using namespace std::chrono_literals;
namespace ip = boost::asio::ip;

namespace {
constexpr address_book::time_point start{100s};
const tcp_address a{ip::make_address("192.0.2.1"), 443};
const tcp_address b{ip::make_address("192.0.2.2"), 443};
const tcp_address c{ip::make_address("192.0.2.3"), 443};
using list = std::vector<tcp_address>;
}  // namespace

TEST_CASE("numeric addresses and localhost need no name service") {
    CHECK(known_addresses("127.0.0.1", 80) == list{{ip::make_address("127.0.0.1"), 80}});
    CHECK(known_addresses("::1", 80) == list{{ip::make_address("::1"), 80}});
    CHECK(known_addresses("localhost", 8000) ==
          list{{ip::make_address("127.0.0.1"), 8000}, {ip::make_address("::1"), 8000}});
    CHECK(known_addresses("dynamodb.eu-central-1.amazonaws.com", 443).empty());
}

TEST_CASE("addresses are tried as the name service orders them, those that failed last") {
    address_book book;
    CHECK(book.candidates().empty());
    book.resolved({a, b, c}, start);
    CHECK(book.candidates() == list{a, b, c});
    book.failed(a);
    CHECK(book.candidates() == list{b, c, a});
    book.failed(b);
    CHECK(book.candidates() == list{c, a, b});
    book.connected(a);
    CHECK(book.candidates() == list{a, c, b});
}

TEST_CASE("an answer is used for five seconds, and longer only while there is no other") {
    address_book book;
    CHECK_FALSE(book.fresh(start));
    book.resolved({a}, start);
    CHECK(book.fresh(start + 4s));
    CHECK_FALSE(book.fresh(start + 5s));
    CHECK(book.candidates() == list{a});
    book.failed(a);
    book.resolved({b}, start + 6s);
    CHECK(book.candidates() == list{b});
    book.resolved({a, b}, start + 12s);
    CHECK(book.candidates() == list{a, b});
}
