// A process begins, dies and begins again; and what its requests do to locks and sessions.
#include "simulation/item_lock/site.hpp"

#include "simulation/framework/machine.hpp"

#include <boost/asio/co_spawn.hpp>

#include <exception>
#include <utility>
#include <variant>

namespace dynalease::simulation::item_locks {

namespace asio = boost::asio;

namespace {

/// Every write of a user appends its number to the item's list: by that it is known, whatever else stands in it.
std::int64_t number_in(const update_item_request& update) {
    for (const auto& [name, value] : update.values) {
        const auto* list = value.get_if<attribute_list>();
        if (list && !list->empty()) return std::stoll(list->back().get_if<number>()->text());
    }
    return 0;
}

}  // namespace

site::site(item_world& where, std::size_t index)
    : world_(where),
      index_(index),
      name_("n" + std::to_string(index)),
      machine_(where.simulated(),
               draw_machine(where.choices(), where.made_of().drift_ppm, where.made_of().wall_error)) {
    where.run().census.fault("drift");
    open();
}

site::~site() = default;

void site::open() {
    machine_.network().set_plan(world_.sky().plan(index_, machine_));
    machine_.network().set_observer(this);
    machine_.network().keep_log(false);
    ++lives_;
    const auto& made_of = world_.made_of();
    session_options options{.table = item_world::coordination,
                            .lease = world_.lease(),
                            .heartbeat = world_.lease() / 4,
                            .clock_drift_ppm = static_cast<std::uint32_t>(made_of.drift_ppm)};
    session_.emplace(machine_.database(), std::move(options));
    const auto count = world_.choices().between("users of a node", 1, made_of.most_users);
    for (std::uint64_t i = 0; i < count; ++i) {
        const auto item = world_.choices().choose("item of a user", world_.items());
        const bool saves = world_.choices().choose("user saves", made_of.savers) == 1;
        users_.push_back(std::make_shared<user>(*this, item, saves));
        asio::co_spawn(machine_.environment().executor, user::live(users_.back()), [](std::exception_ptr thrown) {
            if (thrown) std::rethrow_exception(thrown);
        });
    }
}

void site::crash(clock::duration down) {
    for (const auto& each : users_) each->let_go();
    machine_.crash();
    machine_.network().set_observer(this);
    users_.clear();
    session_.reset();
    if (frames != 0) world_.fail("R1", std::to_string(frames) + " coroutines survived a crash");
    arm_reopening(down);
}

void site::arm_reopening(clock::duration after) {
    world_.simulated().scheduler().add_timer(world_.now() + after, [this, life = lives_] {
        if (life == lives_ && !world_.stopping()) reopen();
    });
}

void site::reopen() {
    if (machine_.crashed()) machine_.restart(world_.choices().choose("seed of a node", ~std::uint64_t{0}));
    for (const auto& each : users_) each->let_go();
    users_.clear();
    session_.reset();
    open();
}

void site::user_gone() {
    for (const auto& each : users_) {
        if (!each->gone()) return;
    }
    if (!world_.stopping()) arm_reopening(std::chrono::milliseconds(500));
}

bool site::live() const {
    if (!session_ || machine_.crashed()) return false;
    const auto state = session_->state();
    return state == session_state::live || state == session_state::jeopardy;
}

void site::close() {
    closed_ = !live();
    if (!closed_) session_->close({}, [this](error_code, const close_report&) { closed_ = true; });
}

void site::shut() {
    users_.clear();
    session_.reset();
}

// ---- requests ------------------------------------------------------------------------------------------------

void site::sent(const testing::logged_request& entry, const any_request&) {
    sessions_[&entry] = session_ ? session_->id() : std::string();
}

void site::applied(const testing::logged_request& entry, const any_request& request,
                   const result<any_response>& answer) {
    auto& census = world_.run().census;
    const auto* update = std::get_if<update_item_request>(&request);
    if (!update) return;
    const auto index = versions::ledger::item_in(update->key);
    const bool late = entry.completed.has_value();
    if (index && late) census.hit(answer ? "late item write applied" : "late item write refused");
    if (!answer) return;
    if (!index) return world_.look_at_session(name_, entry.key);
    const auto number = number_in(*update);
    if (number != 0) world_.ledger().written_by(name_, number, *index, entry.applied.size() > 1);
    world_.lock_written_by(name_, sessions_[&entry], number, *index);
}

void site::answered(const testing::logged_request& entry, const any_request& request,
                    const result<any_response>& answer) {
    world_.run().trace.add(world_.now(), name_, static_cast<std::uint64_t>(entry.code.value()), [&] {
        const auto* update = std::get_if<update_item_request>(&request);
        return "r " + entry.operation + " " + entry.key + (update ? " (" + update->update_expression + ")" : "") +
               " -> " + (answer ? "ok" : entry.code.message());
    });
}

}  // namespace dynalease::simulation::item_locks
