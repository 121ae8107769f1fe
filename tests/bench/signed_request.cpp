// How many signed UpdateItems one second of the client's CPU sends, beside a bare Beast loop that sends the same bytes
// to the same server in the same run, by turns.
// SPDX-License-Identifier: BSL-1.0
#include "goals.hpp"
#include "signed_load.hpp"
#include "stub_server.hpp"
#include "support/json_line.hpp"

#include <cstdlib>

int main(int argc, char** argv) {
    constexpr std::size_t in_flight = 64;
    const std::size_t count = argc > 1 ? std::strtoul(argv[1], nullptr, 10) : 60'000;
    const bench::stub_server server(bench::update_answer());
    const auto found = bench::beside_bare_loop(server.port(), bench::client_of(server.port()), in_flight, count);
    support::json_line line;
    line.add("bench", "signed_request").add("value", found.ours, 0).add("unit", "requests/CPU second");
    line.add("reference", "bare Beast loop, same bytes, 64 in flight").add("reference_value", found.bare, 0);
    line.add("ratio", found.ratio(), 2).print();
    bench::goals reached;
    reached.at_least("signed_request", found.ratio(), 0.6);
    return reached.status();
}
