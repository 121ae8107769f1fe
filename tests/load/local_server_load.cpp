// Crowds and boors at dynalease-local: its memory stays bounded, and everybody else is served in time.
// SPDX-License-Identifier: BSL-1.0
#include "load/crowd.hpp"
#include "load/descriptors.hpp"
#include "support/local_server.hpp"
#include "unit/local/http/http_peer.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <stdexcept>
#include <string>

namespace {

using dynalease::local::test::create_things;
using dynalease::local::test::peer;
using dynalease::local::test::signed_request;
using load::crowd;
using load::want_descriptors;
using namespace std::chrono_literals;

/// A small request waits no longer than this, whatever the others do.
constexpr auto soon = 5s;
/// Nor a large one, when others have taken all the memory there is for such: the server's term, and a little.
constexpr auto in_a_while = 12s;

std::string put(const std::string& key, std::size_t size) {
    return signed_request("PutItem", R"({"TableName":"things","Item":{"pk":{"S":")" + key + R"("},"v":{"S":")" +
                                         std::string(size, 'x') + "\"}}}");
}

std::string get(const std::string& key) {
    return signed_request("GetItem", R"({"TableName":"things","Key":{"pk":{"S":")" + key + "\"}}}");
}

class stopwatch {
public:
    std::chrono::steady_clock::duration passed() const { return std::chrono::steady_clock::now() - begun_; }

private:
    std::chrono::steady_clock::time_point begun_ = std::chrono::steady_clock::now();
};

/// The program with a table.
class served_table {
public:
    served_table() {
        const auto made = peer(port()).ask(signed_request("CreateTable", create_things));
        if (made.status != 200) throw std::runtime_error(made.body);
    }

    std::uint16_t port() const {
        const auto& endpoint = server_.endpoint();
        return static_cast<std::uint16_t>(std::stoul(endpoint.substr(endpoint.rfind(':') + 1)));
    }

    /// Somebody new comes, and has to be served soon.
    void check_service() const {
        const stopwatch clock;
        peer guest(port());
        CHECK(guest.ask(put("guest", 1000)).status == 200);
        CHECK(guest.ask(get("guest")).status == 200);
        CHECK(clock.passed() < soon);
    }

    /// The most memory that it ever had.
    std::uint64_t peak_mib() const {
        std::ifstream status("/proc/" + std::to_string(server_.id()) + "/status");
        for (std::string field; status >> field; status.ignore(4096, '\n')) {
            std::uint64_t kib = 0;
            if (field == "VmHWM:" && status >> kib) return kib / 1024;
        }
        throw std::runtime_error("dynalease-local has ended");
    }

private:
    support::local_server server_;
};

}  // namespace

TEST_CASE("two thousand connections at once are all served") {
    want_descriptors(2100);
    const served_table server;
    REQUIRE(peer(server.port()).ask(put("a", 100)).status == 200);
    crowd guests(server.port(), 2000);
    for (int round = 0; round < 3; ++round) {
        const auto request = get("a");
        CHECK(guests.send(request, soon) == 2000);
        CHECK(guests.receive("xxx\"}}}", soon) == 2000);
        server.check_service();
    }
    CHECK(server.peak_mib() < 64);
}

TEST_CASE("sixty-four mebibytes of garbage are not kept") {
    const served_table server;
    constexpr std::size_t amount = 64 * 1024 * 1024;
    const auto repeated = [](const std::string& text) {
        std::string out;
        while (out.size() < amount) out += text;
        return out;
    };
    for (const auto& garbage : {std::string(amount, 'x'), std::string(amount, '\n'),
                                repeated("GET / HTTP/1.1\r\nHost: x\r\n\r\n"), repeated(get("nothing"))}) {
        crowd boors(server.port(), 4);
        boors.send(garbage, 1s);
        server.check_service();
    }
    CHECK(server.peak_mib() < 64);
}

TEST_CASE("those who send slowly take a bounded part of the memory, and not for long") {
    want_descriptors(2400);
    const served_table server;
    const auto large = put("large", 300'000);
    crowd of_half_a_head(server.port(), 1500);
    of_half_a_head.send("POST / HTTP/1.1\r\nHost: " + std::string(20'000, 'x'), soon);
    std::deque<crowd> of_nearly_a_body;
    for (const std::size_t size : {16'000'000, 1'000'000, 200'000}) {
        const auto head = "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: " + std::to_string(size) + "\r\n\r\n";
        of_nearly_a_body.emplace_back(server.port(), 60U).send(head + std::string(size - 1000, 'x'), 3s);
    }
    server.check_service();
    const stopwatch clock;
    auto status = 503U;
    while (status == 503 && clock.passed() < in_a_while) {
        of_half_a_head.send("x", 50ms);
        for (auto& each : of_nearly_a_body) each.send("x", 50ms);
        status = peer(server.port()).ask(large).status;
    }
    CHECK(status == 200);
    CHECK(server.peak_mib() < 448);
}

TEST_CASE("those who do not read take a bounded part of the memory, and not for long") {
    const served_table server;
    std::string keys;
    for (int i = 0; i < 40; ++i) {
        const auto key = "k" + std::to_string(i);
        REQUIRE(peer(server.port()).ask(put(key, 390'000)).status == 200);
        keys += (i > 0 ? "," : "") + (R"({"pk":{"S":")" + key + "\"}}");
    }
    crowd boors(server.port(), 40, 4096);
    boors.send(signed_request("BatchGetItem", R"({"RequestItems":{"things":{"Keys":[)" + keys + "]}}}"), soon);
    server.check_service();
    const stopwatch clock;
    auto status = 503U;
    while (status == 503 && clock.passed() < in_a_while) {
        boors.receive("x", 50ms);
        status = peer(server.port()).ask(get("k0")).status;
    }
    CHECK(status == 200);
    CHECK(server.peak_mib() < 448);
}
