// Writing the result lines. Names are our own identifiers and need no escapes.
// SPDX-License-Identifier: BSL-1.0
#include "simulation/framework/report.hpp"

#include <iomanip>
#include <ostream>

namespace dynalease::simulation {

namespace {

void write_counts(const coverage::counts& counts, std::ostream& out) {
    const char* separator = "";
    out << '{';
    for (const auto& [name, times] : counts) {
        out << separator << '"' << name << "\":" << times;
        separator = ",";
    }
    out << '}';
}

}  // namespace

void report(const primitive& what, const campaign_result& result, bool with_hash, std::ostream& out) {
    const auto hours = std::chrono::duration<double, std::ratio<3600>>(result.coverage.lived).count();
    out << std::fixed << std::setprecision(1);
    out << "{\"primitive\":\"" << what.name << "\",\"seeds\":" << result.seeds
        << ",\"violations\":" << result.violations << ",\"lock_hours\":" << hours << ",\"faults\":";
    write_counts(result.coverage.faults, out);
    out << ",\"fault_kinds\":" << result.coverage.faults.size() << ",\"coverage_points\":";
    write_counts(result.coverage.points, out);
    out << ",\"points_missed\":" << result.points_missed.size() << ",\"seconds\":" << result.seconds;
    if (with_hash) out << ",\"trace\":\"" << std::hex << result.hash << std::dec << '"';
    out << "}" << std::endl;
}

void report(const mutant& which, const std::optional<std::uint64_t>& seeds, std::ostream& out) {
    out << "{\"mutant\":\"" << which.name << "\",\"killed\":" << (seeds ? "true" : "false")
        << ",\"seeds\":" << seeds.value_or(which.seeds) << ",\"allowed\":" << which.seeds << "}" << std::endl;
}

}  // namespace dynalease::simulation
