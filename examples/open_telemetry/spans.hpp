// Spans in the words of OpenTelemetry: what took how long, as part of what.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <dynalease/observed.hpp>
#include <dynalease/runtime/clock.hpp>
#include <dynalease/runtime/time.hpp>

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

    std::vector<span> take() { return std::exchange(ended_, {}); }

private:
    const std::shared_ptr<dynalease::clock> clock_;
    std::vector<span> ended_;
};

/// As a collector takes them: OTLP as JSON.
std::string otlp_text(std::string_view service, const std::vector<span>& ended);
/// What of them this program reads itself. @throws std::runtime_error for what is no such text
std::vector<span> parse_otlp(std::string_view text);

}  // namespace telemetry
