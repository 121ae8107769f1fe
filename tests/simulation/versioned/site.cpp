// A process begins, dies and begins again.
#include "simulation/versioned/site.hpp"

#include "simulation/framework/machine.hpp"

#include <boost/asio/co_spawn.hpp>

#include <algorithm>
#include <exception>
#include <utility>
#include <variant>

namespace dynalease::simulation::versions {

namespace asio = boost::asio;

namespace {

/// A creation comes at once or not at all.
testing::fault never_late(testing::fault fate) {
    using enum testing::fault::kind;
    fate.before = std::min<clock::duration>(fate.before, std::chrono::milliseconds(50));
    if (fate.what == lose_answer || fate.what == apply_twice) fate.what = pass;
    if (fate.what == apply_then_fail) fate.what = fail;
    fate.after = std::min<clock::duration>(fate.after, std::chrono::milliseconds(200));
    return fate;
}

}  // namespace

site::site(version_world& where, std::size_t index)
    : world_(where),
      index_(index),
      name_("n" + std::to_string(index)),
      machine_(where.simulated(), draw_machine(where.choices(), where.made_of().drift_ppm, where.made_of().wall_error)),
      witness_(where.ledger(), name_, [this] { return caller_ ? caller_->number() : 0; }) {
    auto& census = where.run().census;
    census.fault("drift");
    witness_.late = [&census](const auto&, bool ok) { census.hit(ok ? "late write applied" : "late write refused"); };
    witness_.replayed = [&census](const auto&, bool) { census.hit("transaction replayed"); };
    witness_.told = [this](const auto& entry, bool ok) {
        world_.run().trace.add(world_.now(), name_, static_cast<std::uint64_t>(entry.code.value()), [&] {
            return "r " + entry.operation + " " + entry.key + " -> " + (ok ? "ok" : entry.code.message());
        });
    };
    open();
}

site::~site() = default;

void site::open() {
    auto plan = world_.sky().plan(index_, machine_);
    if (world_.made_of().no_late_creations) {
        plan = [plan](const any_request& request, const call_options& options) {
            auto fate = plan(request, options);
            return std::holds_alternative<put_item_request>(request) ? never_late(std::move(fate)) : fate;
        };
    }
    machine_.network().set_plan(std::move(plan));
    machine_.network().set_observer(&witness_);
    machine_.network().keep_log(false);
    ++lives_;
    caller_ = std::make_shared<caller>(*this);
    asio::co_spawn(machine_.environment().executor, caller::live(caller_), [](std::exception_ptr thrown) {
        if (thrown) std::rethrow_exception(thrown);
    });
}

void site::crash(clock::duration down) {
    machine_.crash();
    machine_.network().set_observer(&witness_);
    caller_.reset();
    if (frames != 0) world_.fail("R1", std::to_string(frames) + " coroutines survived a crash");
    world_.simulated().scheduler().add_timer(world_.now() + down, [this, life = lives_] {
        if (life == lives_ && !world_.stopping()) reopen();
    });
}

void site::reopen() {
    if (machine_.crashed()) machine_.restart(world_.choices().choose("seed of a node", ~std::uint64_t{0}));
    caller_.reset();
    open();
}

}  // namespace dynalease::simulation::versions
