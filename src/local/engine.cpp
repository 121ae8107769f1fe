// The engine's face: one request to its operation, and refusals to failures.
// SPDX-License-Identifier: BSL-1.0
#include <dynalease/local/engine.hpp>

#include "local/operations/operations.hpp"
#include "local/operations/table_keeper.hpp"
#include "local/values/refusal.hpp"

#include <exception>
#include <optional>
#include <utility>
#include <variant>

namespace dynalease::local {

struct engine::state : database_state {
    std::unique_ptr<table_keeper> keeper{};

    result<any_response> carry_out(const any_request& request, time now);
    std::optional<failure> keep();
};

engine::engine() : state_(std::make_unique<state>()) {}
engine::engine(std::unique_ptr<table_keeper> keeper) : engine() {
    keeper->load(*state_);
    state_->keeper = std::move(keeper);
    state_->changed.emplace();
}
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
    auto answer = state_->carry_out(request, now);
    if (auto fault = state_->keep()) return *std::move(fault);
    if (answer && fate.after) return *std::move(fate.after);
    return answer;
}

result<any_response> engine::state::carry_out(const any_request& request, time now) {
    const context in{*this, now};
    allowed = {};
    try {
        return std::visit([&](const auto& each) { return local::execute(in, each); }, request);
    } catch (refusal& fault) {
        return std::move(fault.why);
    }
}

/// What could not be kept is kept with the next change.
std::optional<failure> engine::state::keep() {
    if (!keeper || changed->empty()) return std::nullopt;
    try {
        keeper->save(*this, *changed);
        *changed = {};
        return std::nullopt;
    } catch (const std::exception& fault) {
        failure why(errc::server_error, outcome::unknown);
        why.details.message = fault.what();
        return why;
    }
}

}  // namespace dynalease::local
