// Who lives in a process.
// SPDX-License-Identifier: BSL-1.0
#include "simulation/transaction/process.hpp"

#include <variant>

namespace dynalease::simulation::transfers {

site::site(transfer_world& where, std::size_t index)
    : process(where, where.made_of(), index),
      world_(where),
      witness_(where.ledger(), name(), [this] { return caller_ ? caller_->attempt() : 0; }) {
    witness_.carried_out = [this](bool late) {
        if (late) world_.run().census.hit("late write applied");
    };
    witness_.told = [this](const auto& entry, bool ok) {
        world_.run().trace.add(world_.now(), name(), static_cast<std::uint64_t>(entry.code.value()), [&] {
            return "r " + entry.operation + " " + entry.key + " -> " + (ok ? "ok" : entry.code.message());
        });
    };
    open();
}

/// Of a call that does it all, no copy lands whose refusal was answered: on that it rests.
testing::fault_plan site::plan() {
    return [otherwise = process::plan()](const any_request& request, const call_options& options) {
        auto fate = otherwise(request, options);
        const auto* call = std::get_if<transact_write_items_request>(&request);
        if (call && witness::is_whole(*call) && fate.what == testing::fault::kind::apply_twice)
            fate.what = testing::fault::kind::pass;
        return fate;
    };
}

void site::begin() {
    caller_ = std::make_shared<caller>(*this);
    if (!world_.stopping()) spawn(caller::live(caller_));
}

void site::interrupt() {
    if (caller_) caller_->stop();
}

void site::tidy_up() {
    reopen();
    spawn(caller::tidy_up(caller_));
}

}  // namespace dynalease::simulation::transfers
