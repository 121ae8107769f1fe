// The engine's face: one request to its operation, and refusals to failures.
#include <dynalease/local/engine.hpp>

#include "local/operations.hpp"
#include "local/refusal.hpp"

#include <variant>

namespace dynalease::local {

struct engine::state : database_state {};

engine::engine() : state_(std::make_unique<state>()) {}
engine::~engine() = default;
engine::engine(engine&&) noexcept = default;
engine& engine::operator=(engine&&) noexcept = default;

result<any_response> engine::execute(const any_request& request, time now) {
    const context in{*state_, now};
    try {
        return std::visit([&](const auto& each) { return local::execute(in, each); }, request);
    } catch (refusal& fault) {
        return std::move(fault.why);
    }
}

}  // namespace dynalease::local
