// Spans in the words of OpenTelemetry: what took how long, as part of what.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <dynalease/grant_report.hpp>
#include <dynalease/observed.hpp>
#include <dynalease/runtime/clock.hpp>
#include <dynalease/runtime/time.hpp>

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace telemetry {

struct span {
    std::string trace{};   ///< 32 hexadecimal digits
    std::string id{};      ///< 16
    std::string parent{};  ///< another's id; empty: the first of its trace
    std::string name{};
    bool is_call = false;  ///< of another service
    dynalease::wall_time begin{};
    dynalease::wall_time end{};
    std::map<std::string, std::string> attributes{};
    std::string fault{};  ///< empty: it went well
};

/// Keeps those that have ended, until they are sent. Belongs on one strand: the client's, where it is told of calls.
class spans {
public:
    explicit spans(std::shared_ptr<dynalease::clock> clock) : clock_(std::move(clock)) {}

    /// @param within null: it begins a trace
    span begin(std::string name, const span* within = nullptr) const;
    void end(span over, std::string fault = {});

    /// Makes each call on DynamoDB a span within that one. Must not outlive these spans.
    dynalease::call_hook calls_within(const span& outer);
    /// Makes a span within that one of each wait for a lock, turn or item, and another of the time that it was held.
    /// Must not outlive these spans.
    dynalease::grant_hook grants_within(const span& outer);
    /// Of what is held now: for calls that are made under it.
    const span& held(std::string_view name, std::int64_t fencing_token) const;

    std::vector<span> take() { return std::exchange(ended_, {}); }

private:
    void add_grant(const dynalease::grant_report& seen, const span& outer);

    const std::shared_ptr<dynalease::clock> clock_;
    std::vector<span> ended_;
    std::map<std::uint64_t, span> held_;  ///< by the id of their reports
};

/// As a collector takes them: OTLP as JSON.
std::string otlp_text(std::string_view service, const std::vector<span>& ended);
/// What of them this program reads itself. @throws std::runtime_error for what is no such text
std::vector<span> parse_otlp(std::string_view text);

}  // namespace telemetry
