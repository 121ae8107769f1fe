// Who lives in a process, and what becomes of its requests.
// SPDX-License-Identifier: BSL-1.0
#include "simulation/versioned/process.hpp"

#include <algorithm>
#include <utility>
#include <variant>

namespace dynalease::simulation::versions {

namespace {

bool may_create(const any_request& request) {
    const auto* update = std::get_if<update_item_request>(&request);
    return std::holds_alternative<put_item_request>(request) ||
           (update && update->condition_expression.starts_with("attribute_not_exists("));
}

/// A creation comes at once or not at all.
testing::fault never_late(testing::fault fate) {
    using enum testing::fault::kind;
    fate.before = std::min<clock::duration>(fate.before, std::chrono::milliseconds(50));
    if (fate.what == lose_answer || fate.what == apply_twice || fate.what == answer_copy) fate.what = pass;
    if (fate.what == apply_then_fail) fate.what = fail;
    fate.after = std::min<clock::duration>(fate.after, std::chrono::milliseconds(200));
    return fate;
}

}  // namespace

process::process(version_world& where, std::size_t index)
    : simulation::process(where, where.made_of(), index),
      world_(where),
      recorder_(where.item_history(), name(), [this] { return user_ ? user_->number() : 0; }) {
    auto& coverage = where.run().coverage;
    recorder_.late = [&coverage](const auto&, bool ok) {
        coverage.hit(ok ? "late write applied" : "late write refused");
    };
    recorder_.replayed = [&coverage](const auto&, bool) { coverage.hit("transaction replayed"); };
    recorder_.told = [this](const auto& entry, bool ok) {
        world_.run().trace.add(world_.now(), name(), static_cast<std::uint64_t>(entry.code.value()), [&] {
            return "r " + entry.operation + " " + entry.key + " -> " + (ok ? "ok" : entry.code.message());
        });
    };
    open();
}

testing::fault_plan process::plan() {
    auto otherwise = simulation::process::plan();
    if (!world_.made_of().no_late_creations) return otherwise;
    return [otherwise](const any_request& request, const call_options& options) {
        auto fate = otherwise(request, options);
        return may_create(request) ? never_late(std::move(fate)) : fate;
    };
}

void process::begin() {
    user_ = std::make_shared<user>(*this);
    spawn(user::live(user_));
}

void process::interrupt() {
    if (user_) user_->interrupt();
}

}  // namespace dynalease::simulation::versions
