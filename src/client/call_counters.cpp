// Room client: counters.
// SPDX-License-Identifier: BSL-1.0
#include "client/call_counters.hpp"

#include <string>
#include <utility>

namespace dynalease::detail {

namespace {

using names = std::array<std::string_view, std::variant_size_v<any_request>>;

template <std::size_t... Index>
constexpr names names_of(std::index_sequence<Index...>) {
    return {std::variant_alternative_t<Index, any_request>::name...};
}

constexpr names operation_names = names_of(std::make_index_sequence<std::variant_size_v<any_request>>{});

}  // namespace

void call_counters::attempted(std::size_t operation, const attempt& what) {
    auto& of = operations_[operation];
    ++of.attempts;
    if (what.answer) {
        ++of.applied;
        return;
    }
    if (what.why.outcome == outcome::unknown) {
        ++of.unknown;
    } else {
        ++of.not_applied;
    }
    if (what.retry == aws::retry_class::throttling) ++throttled_;
    if (what.bad_checksum) ++bad_checksums_;
}

client_counters call_counters::snapshot(const http::pool_counters& ordinary,
                                        const http::pool_counters& heartbeat) const {
    client_counters result;
    for (std::size_t i = 0; i < operations_.size(); ++i) {
        const auto& of = operations_[i];
        if (of.attempts == 0) continue;
        result.operations.insert({std::string(operation_names[i]),
                                  {.attempts = of.attempts,
                                   .applied = of.applied,
                                   .not_applied = of.not_applied,
                                   .unknown = of.unknown,
                                   .latency = of.latency}});
    }
    result.retries = retries_;
    result.throttled = throttled_;
    result.bad_checksums = bad_checksums_;
    result.skew_corrections = skew_corrections_;
    result.connections_opened = ordinary.opened + heartbeat.opened;
    result.connections_reused = ordinary.reused + heartbeat.reused;
    result.connections_open = ordinary.open + heartbeat.open;
    result.requests_waiting = ordinary.waiting + heartbeat.waiting;
    return result;
}

}  // namespace dynalease::detail
