// Who lives in a process.
// SPDX-License-Identifier: BSL-1.0
#include "simulation/transaction/process.hpp"

#include <variant>

namespace dynalease::simulation::transfers {

process::process(transfer_world& where, std::size_t index)
    : simulation::process(where, where.made_of(), index),
      world_(where),
      recorder_(where.item_history(), name(), [this] { return user_ ? user_->attempt() : 0; }) {
    recorder_.carried_out = [this](bool late) {
        if (late) world_.run().coverage.hit("late write applied");
    };
    recorder_.told = [this](const auto& entry, bool ok) {
        world_.run().trace.add(world_.now(), name(), static_cast<std::uint64_t>(entry.code.value()), [&] {
            return "r " + entry.operation + " " + entry.key + " -> " + (ok ? "ok" : entry.code.message());
        });
    };
    open();
}

/// Of a call that does it all, no copy lands whose refusal was answered: on that it rests.
testing::fault_plan process::plan() {
    return [otherwise = simulation::process::plan()](const any_request& request, const call_options& options) {
        auto fate = otherwise(request, options);
        const auto* call = std::get_if<transact_write_items_request>(&request);
        if (call && recorder::is_whole(*call) && fate.what == testing::fault::kind::apply_twice)
            fate.what = testing::fault::kind::pass;
        return fate;
    };
}

void process::begin() {
    // Who but tidies up requires nothing.
    if (world_.made_of().guarded != 0 && !world_.stopping())
        session_.emplace(machine().database(), session_options{.table = coordination, .lease = 1s});
    user_ = std::make_shared<user>(*this);
    if (!world_.stopping()) spawn(user::live(user_));
}

void process::interrupt() {
    if (user_) user_->stop();
}

void process::close() {
    closed_ = !session_ || machine().crashed();
    if (!closed_) session_->close({}, [this](error_code, const close_report&) { closed_ = true; });
}

void process::let_go() {
    world().item_history().died(name());
    if (user_) user_->let_go();
}

void process::drop() {
    user_.reset();
    session_.reset();
}

void process::tidy_up() {
    reopen();
    spawn(user::tidy_up(user_));
}

}  // namespace dynalease::simulation::transfers
