// The engine's face: one request to its operation, and refusals to failures.
// SPDX-License-Identifier: BSL-1.0
#include <dynalease/local/engine.hpp>

#include "local/operations/operations.hpp"
#include "local/values/refusal.hpp"

#include <utility>
#include <variant>

namespace dynalease::local {

struct engine::state : database_state {};

engine::engine() : state_(std::make_unique<state>()) {}
engine::~engine() = default;
engine::engine(engine&&) noexcept = default;
engine& engine::operator=(engine&&) noexcept = default;

void engine::set_write_time(std::chrono::milliseconds duration) {
    state_->work.set_duration(duration);
}

void engine::set_faults(const fault_rates& rates) {
    state_->faults = fault_source(rates);
}

result<any_response> engine::execute(const any_request& request, time now) {
    fault_source::fate fate = state_->faults.next(request);
    if (fate.before) return *std::move(fate.before);
    const context in{*state_, now};
    state_->allowed = {};
    try {
        auto answer = std::visit([&](const auto& each) { return local::execute(in, each); }, request);
        if (answer && fate.after) return *std::move(fate.after);
        return answer;
    } catch (refusal& fault) {
        return std::move(fault.why);
    }
}

}  // namespace dynalease::local
