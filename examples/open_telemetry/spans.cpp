// Making spans of what dynalease reports.
// SPDX-License-Identifier: BSL-1.0
#include "open_telemetry/spans.hpp"

#include <dynalease/error.hpp>

#include <chrono>
#include <random>

namespace telemetry {

namespace {

std::string random_digits(std::size_t count) {
    static std::random_device chance;
    std::uniform_int_distribution<std::size_t> digit(0, 15);
    std::string digits(count, '0');
    for (auto& each : digits) each = "0123456789abcdef"[digit(chance)];
    return digits;
}

}  // namespace

span spans::begin(std::string name, const span* within) const {
    return {.trace = within ? within->trace : random_digits(32),
            .id = random_digits(16),
            .parent = within ? within->id : std::string(),
            .name = std::move(name),
            .begin = clock_->wall()};
}

void spans::end(span over, std::string fault) {
    over.end = clock_->wall();
    over.fault = std::move(fault);
    ended_.push_back(std::move(over));
}

// The names are those of OpenTelemetry's conventions for calls of AWS.
dynalease::call_hook spans::calls_within(const span& outer) {
    return [this, outer](const dynalease::call_report& call) {
        auto made = begin("DynamoDB." + std::string(call.operation), &outer);
        made.is_call = true;
        made.begin = call.began;
        made.end = call.began + std::chrono::ceil<std::chrono::milliseconds>(call.took);
        made.attributes = {{"rpc.system", "aws-api"}, {"rpc.service", "DynamoDB"}, {"db.system", "dynamodb"}};
        made.attributes.emplace("rpc.method", call.operation);
        if (!call.table.empty()) made.attributes.emplace("aws.dynamodb.table_names", call.table);
        if (call.fault) made.attributes.emplace("aws.request_id", call.fault->request_id);
        // A condition that was refused is an answer as good as any.
        if (call.code && call.code != dynalease::errc::condition_failed) made.fault = call.code.message();
        ended_.push_back(std::move(made));
    };
}

}  // namespace telemetry
