// Who lives in a process, and what its requests do to locks and sessions.
#include "simulation/item_lock/site.hpp"

#include <memory>
#include <utility>
#include <variant>

namespace dynalease::simulation::item_locks {

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

site::site(item_world& where, std::size_t index) : session_process(where, where.made_of(), index), world_(where) {
    open();
}

void site::begin() {
    const auto& made_of = world_.made_of();
    begin_session({.table = coordination,
                   .lease = world_.lease(),
                   .heartbeat = world_.lease() / 4,
                   .clock_drift_ppm = static_cast<std::uint32_t>(made_of.drift_ppm)});
    const auto count = world_.choices().between("users of a node", 1, made_of.most_users);
    for (std::uint64_t i = 0; i < count; ++i) {
        const auto item = world_.choices().choose("item of a user", world_.items());
        const bool saves = world_.choices().choose("user saves", made_of.savers) == 1;
        add(std::make_shared<user>(*this, item, saves));
    }
}

// ---- requests ------------------------------------------------------------------------------------------------

void site::sent(const testing::logged_request& entry, const any_request&) {
    sessions_[&entry] = session() ? session()->id() : std::string();
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
    if (!index) return world_.look_at_session(name(), entry.key);
    const auto number = number_in(*update);
    if (number != 0) world_.ledger().written_by(name(), number, *index, entry.applied.size() > 1);
    world_.lock_written_by(name(), sessions_[&entry], number, *index);
}

void site::answered(const testing::logged_request& entry, const any_request& request,
                    const result<any_response>& answer) {
    world_.run().trace.add(world_.now(), name(), static_cast<std::uint64_t>(entry.code.value()), [&] {
        const auto* update = std::get_if<update_item_request>(&request);
        return "r " + entry.operation + " " + entry.key + (update ? " (" + update->update_expression + ")" : "") +
               " -> " + (answer ? "ok" : entry.code.message());
    });
}

}  // namespace dynalease::simulation::item_locks
