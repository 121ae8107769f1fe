// Making spans of what dynalease reports.
// SPDX-License-Identifier: BSL-1.0
#include "open_telemetry/spans.hpp"

#include <dynalease/error.hpp>

#include <algorithm>
#include <chrono>
#include <random>
#include <stdexcept>

namespace telemetry {

namespace {

std::string random_digits(std::size_t count) {
    static std::random_device chance;
    std::uniform_int_distribution<std::size_t> digit(0, 15);
    std::string digits(count, '0');
    for (auto& each : digits) each = "0123456789abcdef"[digit(chance)];
    return digits;
}

constexpr const char* name_attribute = "dynalease.name";
constexpr const char* token_attribute = "dynalease.fencing_token";

/// "lock.held" of what "lock.acquire" asked for.
std::string holding_by(std::string_view verb) {
    return std::string(verb.substr(0, verb.find('.'))) + ".held";
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

dynalease::grant_hook spans::grants_within(const span& outer) {
    return [this, outer](const dynalease::grant_report& seen) { add_grant(seen, outer); };
}

/// Both reports of a grant have one id: the first begins the span that the second ends.
void spans::add_grant(const dynalease::grant_report& seen, const span& outer) {
    auto made = seen.of_wait() ? begin(std::string(seen.verb), &outer) : std::move(held_.extract(seen.id).mapped());
    made.begin = seen.began;
    made.end = seen.began + std::chrono::floor<std::chrono::milliseconds>(seen.took);  // where what it got begins
    made.attributes.emplace(name_attribute, seen.name);
    made.attributes.emplace("aws.dynamodb.table_names", seen.table);
    if (seen.of_wait()) made.attributes.emplace("dynalease.requests", std::to_string(seen.requests));
    if (seen.fencing_token != 0) made.attributes.emplace(token_attribute, std::to_string(seen.fencing_token));
    if (seen.code) made.fault = seen.fault ? seen.fault->to_string() : seen.code.message();
    if (seen.what == dynalease::grant_event::lost) made.fault = "lost: " + made.fault;
    if (seen.what == dynalease::grant_event::granted) {
        auto holding = begin(holding_by(seen.verb), &outer);
        holding.attributes = made.attributes;
        holding.attributes.erase("dynalease.requests");
        held_.emplace(seen.id, std::move(holding));
    }
    ended_.push_back(std::move(made));
}

const span& spans::held(std::string_view name, std::int64_t fencing_token) const {
    const auto token = std::to_string(fencing_token);
    const auto found = std::ranges::find_if(held_, [&](const auto& each) {
        const auto& about = each.second.attributes;
        return about.at(name_attribute) == name && about.at(token_attribute) == token;
    });
    if (found == held_.end()) throw std::logic_error(std::string(name) + " is not held");
    return found->second;
}

}  // namespace telemetry
