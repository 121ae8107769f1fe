// How many signed requests one second of the server's CPU answers: dynalease-local beside a foreign DynamoDB server
// under the same load in the same run, by turns; and beside both a server that only receives and sends, the floor.
// SPDX-License-Identifier: BSL-1.0
#include "bare_loop.hpp"
#include "bench/goals.hpp"
#include "bench/median.hpp"
#include "client/request_writer.hpp"
#include "client/user_agent.hpp"
#include "dynamodb/codec.hpp"
#include "signed_load.hpp"
#include "stub_server.hpp"
#include "support/child_process.hpp"
#include "support/json_line.hpp"

#include <dynalease/dynamodb/operations.hpp>

#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace {

constexpr std::size_t in_flight = 64;
constexpr double required_ratio = 5;
constexpr int rounds = 3;
constexpr int skipped = 77;

sockaddr_in loopback(std::uint16_t port) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    address.sin_port = htons(port);
    return address;
}

std::uint16_t free_port() {
    const int probe = ::socket(AF_INET, SOCK_STREAM, 0);
    sockaddr_in address = loopback(0);
    socklen_t size = sizeof address;
    const bool found = ::bind(probe, reinterpret_cast<sockaddr*>(&address), size) == 0 &&
                       ::getsockname(probe, reinterpret_cast<sockaddr*>(&address), &size) == 0;
    ::close(probe);
    if (!found) throw std::runtime_error("no free port");
    return ntohs(address.sin_port);
}

void wait_until_it_listens(std::uint16_t port) {
    constexpr int tries = 500;
    for (int i = 0; i < tries; ++i) {
        const int probe = ::socket(AF_INET, SOCK_STREAM, 0);
        const sockaddr_in address = loopback(port);
        const bool connected = ::connect(probe, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
        ::close(probe);
        if (connected) return;
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    throw std::runtime_error("the server does not listen");
}

/// A server process under load: what its CPU answered.
class measured_server {
public:
    measured_server(pid_t process, std::uint16_t port) : process_(process), port_(port) { wait_until_it_listens(port); }

    template <class Request>
    void ask_once(const Request& request) const {
        bench::bare_loop(port_, signed_bytes(request), 1, 1);
    }

    /// Requests for each second of its CPU.
    template <class Request>
    double rate(const Request& request, std::size_t count) const {
        const std::string bytes = signed_bytes(request);
        const double before = cpu_seconds();
        bench::bare_loop(port_, bytes, in_flight, count);
        return static_cast<double>(count) / (cpu_seconds() - before);
    }

private:
    template <class Request>
    std::string signed_bytes(const Request& request) const {
        dynalease::aws::endpoint where;
        where.host_header = "127.0.0.1:" + std::to_string(port_);
        where.signing_region = "us-east-1";
        const auto now = std::chrono::floor<std::chrono::milliseconds>(std::chrono::system_clock::now());
        const dynalease::credentials keys{"local", "local"};
        std::string text;
        dynalease::detail::request_writer(where, dynalease::detail::user_agent({}))
            .write(text, Request::name, dynalease::codec::encode_request(request), keys, now);
        return text;
    }

    /// In nanoseconds from the scheduler's own account; `stat` counts in ticks of 10 ms, too coarse for a short run.
    double cpu_seconds() const {
        double total = 0;
        for (const auto& thread : std::filesystem::directory_iterator("/proc/" + std::to_string(process_) + "/task")) {
            double nanoseconds = 0;
            std::ifstream(thread.path() / "schedstat") >> nanoseconds;
            total += nanoseconds * 1e-9;
        }
        return total;
    }

    pid_t process_;
    std::uint16_t port_;
};

/// A server of its own, on a port of its own.
struct server_program {
    explicit server_program(const std::string& path) : process({path, "--port", std::to_string(port)}) {}

    std::uint16_t port = free_port();
    support::child_process process;
    measured_server measured{process.id(), port};
};

dynalease::create_table_request table() {
    dynalease::create_table_request request;
    request.table_name = "coordination";
    request.key = {{"pk"}, dynalease::key_attribute{"sk"}};
    return request;
}

/// The shape of a heartbeat.
dynalease::update_item_request update() {
    dynalease::update_item_request request;
    request.table_name = "coordination";
    request.key = {{"pk", "session#0123456789012345678901"}, {"sk", "-"}};
    request.update_expression = "SET #beat = :beat, #owner = :owner";
    request.condition_expression = "attribute_not_exists(#owner) OR #owner = :owner";
    request.names = {{"#beat", "beat"}, {"#owner", "owner"}};
    request.values = {{":beat", 123'456}, {":owner", "billing-7"}};
    request.current_on_refusal = true;
    return request;
}

dynalease::get_item_request get() {
    dynalease::get_item_request request;
    request.table_name = "coordination";
    request.key = update().key;
    request.consistent_read = true;
    return request;
}

struct figures {
    std::vector<double> updates;
    std::vector<double> gets;

    void measure(const measured_server& server, std::size_t count) {
        updates.push_back(server.rate(update(), count));
        gets.push_back(server.rate(get(), count));
    }
};

/// Where the tests of conformance install it.
std::string foreign_program() {
    const char* cache = std::getenv("DYNALEASE_CONFORMANCE_CACHE");
    return std::string(cache ? cache : "build/conformance") + "/dynoxide-3.2.0/bin/dynoxide";
}

/// @returns the ratio; 0: nothing to compare with
double report(const char* name, const std::vector<double>& ours, const std::vector<double>& theirs) {
    support::json_line line;
    line.add("bench", name).add("value", bench::median(ours), 0).add("unit", "signed requests/server CPU second");
    if (theirs.empty()) {
        line.add("reference", "none").print();
        return 0;
    }
    const double ratio = bench::median(ours) / bench::median(theirs);
    line.add("reference", "dynoxide 3.2.0, same load").add("reference_value", bench::median(theirs), 0);
    line.add("ratio", ratio, 2).print();
    return ratio;
}

}  // namespace

int main(int argc, char** argv) {
    const std::size_t count = argc > 1 ? std::strtoul(argv[1], nullptr, 10) : 60'000;
    const bench::stub_server stub(bench::update_answer());
    const measured_server idle(stub.process(), stub.port());
    const server_program ours(DYNALEASE_LOCAL_PROGRAM);
    std::optional<server_program> theirs;
    if (std::ifstream(foreign_program()).good()) theirs.emplace(foreign_program());
    if (!theirs) {
        std::fprintf(stderr, "no reference, so no goal is reached: %s is missing\n", foreign_program().c_str());
    }
    ours.measured.ask_once(table());
    if (theirs) theirs->measured.ask_once(table());
    figures local;
    figures foreign;
    figures floor;
    for (int round = 0; round < rounds; ++round) {
        local.measure(ours.measured, count);
        if (theirs) foreign.measure(theirs->measured, count / 8);
        floor.measure(idle, count);
    }
    // No server that does one receive and one send for a read can be better than this.
    report("local_server_floor", floor.gets, foreign.gets);
    const double updates = report("local_server_update", local.updates, foreign.updates);
    const double gets = report("local_server_get", local.gets, foreign.gets);
    if (!theirs) return skipped;
    bench::goals reached;
    reached.at_least("local_server_update", updates, required_ratio);
    reached.at_least("local_server_get", gets, required_ratio);
    return reached.status();
}
