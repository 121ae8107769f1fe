// How many signed UpdateItems one second of the client's CPU sends, beside a bare Beast loop that sends the same bytes
// to the same server in the same run, by turns.
// SPDX-License-Identifier: BSL-1.0
#include "bare_loop.hpp"
#include "signed_load.hpp"
#include "stub_server.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <vector>

namespace {

constexpr std::size_t in_flight = 64;
constexpr double required_ratio = 0.6;

double median(std::vector<double> values) {
    std::sort(values.begin(), values.end());
    return values[values.size() / 2];
}

}  // namespace

int main(int argc, char** argv) {
    const std::size_t count = argc > 1 ? std::strtoul(argv[1], nullptr, 10) : 60'000;
    const bench::stub_server server(bench::update_answer());
    const auto options = bench::client_of(server.port());
    const auto bytes = bench::signed_bytes(server.port());

    std::vector<double> bare;
    std::vector<double> ours;
    for (int round = 0; round < 5; ++round) {
        bare.push_back(bench::rate(count, [&]() { bench::bare_loop(server.port(), bytes, in_flight, count); }));
        ours.push_back(bench::rate(count, [&]() { bench::client_loop(options, in_flight, count); }));
    }
    const auto ratio = median(ours) / median(bare);
    std::printf(
        "{\"bench\":\"signed_request\",\"value\":%.0f,\"unit\":\"requests/CPU second\","
        "\"reference\":\"bare Beast loop, same bytes, 64 in flight\",\"reference_value\":%.0f,\"ratio\":%.2f}\n",
        median(ours), median(bare), ratio);
    return ratio >= required_ratio ? 0 : 1;
}
