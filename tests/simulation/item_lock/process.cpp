// Who lives in a process, and what its requests do to locks and sessions.
// SPDX-License-Identifier: BSL-1.0
#include "simulation/item_lock/process.hpp"

#include "simulation/framework/request_text.hpp"

#include <algorithm>
#include <memory>
#include <type_traits>
#include <utility>
#include <variant>

namespace dynalease::simulation::item_locks {

namespace {

/// Every write of a user has a list in it that ends with its number, to append it, or to test that it is not there.
std::int64_t number_in(const attribute_values& values) {
    for (const auto& [name, value] : values) {
        const auto* list = value.get_if<attribute_list>();
        if (list && !list->empty()) return std::stoll(list->back().get_if<number>()->text());
    }
    return 0;
}

/// 0: it is no write of a user's.
std::int64_t number_of(const any_request& request) {
    if (const auto* update = std::get_if<update_item_request>(&request)) return number_in(update->values);
    if (const auto* removal = std::get_if<delete_item_request>(&request)) return number_in(removal->values);
    std::int64_t number = 0;
    const auto* all = std::get_if<transact_write_items_request>(&request);
    if (!all) return number;
    for (const auto& action : all->actions) {
        std::visit(
            [&](const auto& each) {
                if constexpr (requires { each.key; }) number = std::max(number, number_in(each.values));
                if constexpr (requires { each.new_item; }) number = find_integer(each.new_item, "writer").value_or(0);
            },
            action);
    }
    return number;
}

const attribute_values* values_of(const any_request& request) {
    if (const auto* update = std::get_if<update_item_request>(&request)) return &update->values;
    const auto* removal = std::get_if<delete_item_request>(&request);
    return removal != nullptr ? &removal->values : nullptr;
}

/// The item that came with the refusal has the writer that was demanded of it, and is in the same life.
bool shows_lock_of(const any_request& request, const failure& why) {
    const auto* values = values_of(request);
    if (values == nullptr || !why.current) return false;
    const auto holds = [&](const char* name) {
        const auto found = why.current->find(name);
        return found != why.current->end() &&
               std::ranges::any_of(*values, [&](const auto& each) { return each.second == found->second; });
    };
    return holds("_lockW") && (!values->contains(":b") || holds("_born"));
}

}  // namespace

process::process(item_world& where, std::size_t index)
    : watched_process(where, where.made_of(), index, where.lease()), world_(where) {
    open();
}

void process::note_life() {
    if (std::exchange(life_, session()->lives()) != session()->lives()) takes_.forget();
}

void process::begin() {
    takes_.forget();
    paused_.clear();
    life_ = 1;
    const auto& made_of = world_.made_of();
    const auto drift = static_cast<std::uint32_t>(made_of.drift_ppm);
    if (made_of.plain) {
        resumed();
        begin_session(plain_session_options{.lease = world_.lease(), .clock_drift_ppm = drift});
    } else {
        begin_watched_session();
    }
    const auto count = world_.choices().between("users of a node", 1, made_of.most_users);
    for (std::uint64_t i = 0; i < count; ++i) {
        const auto item = world_.choices().choose("item of a user", world_.items());
        const bool saves = world_.choices().choose("user saves", made_of.savers) == 1;
        auto habit = saves ? user::habit::saves : user::habit::locks;
        const bool several = made_of.several != 0 && world_.items() > 1 &&
                             world_.choices().choose("user wants several items", made_of.several) == 1;
        if (several) habit = user::habit::locks_several;
        add(std::make_shared<user>(*this, item, habit));
    }
}

bool process::only_one_for(const std::vector<std::size_t>& items, const user& one) const {
    return std::ranges::none_of(users(), [&](const auto& other) {
        const auto is_its = [&](auto item) { return other->wants(item) || other->has(item); };
        return other.get() != &one && std::ranges::any_of(items, is_its);
    });
}

bool process::only_one_for_all(const std::vector<std::size_t>& items, const user& one) const {
    return std::ranges::none_of(users(), [&](const auto& other) {
        return other.get() != &one && other->waits() && other->demanded() == items;
    });
}

std::uint64_t process::demands_for(const std::vector<std::size_t>& items) const {
    const auto any = [&](const auto& each) { return std::ranges::find_first_of(each, items) != each.end(); };
    return static_cast<std::uint64_t>(std::ranges::count_if(demanded_, any));
}

std::uint64_t process::demands_for_all(const std::vector<std::size_t>& items) const {
    return static_cast<std::uint64_t>(std::ranges::count(demanded_, items));
}

// ---- requests ------------------------------------------------------------------------------------------------

void process::sent(const testing::logged_request& entry, const any_request& request) {
    if (session()) note_life();
    sessions_[&entry] = session() ? session()->id() : std::string();
    takes_.sent(request, world_.now());
    if (world_.made_of().plain) {
        count_sent(entry);
    } else {
        watch_sent(entry, request);
    }
}

void process::failed(const testing::logged_request& entry, const any_request& request, const failure& why) {
    // What may have happened stays open until the call has ended.
    if (why.outcome == outcome::unknown) return;
    paused_.insert(&entry);
    if (session() && session()->id() == sessions_[&entry]) takes_.answered(request, why);
}

void process::sent_again(const testing::logged_request& entry, const any_request& request) {
    if (paused_.erase(&entry) == 0) return;
    if (session() && session()->id() == sessions_[&entry]) takes_.sent(request, world_.now());
}

void process::applied(const testing::logged_request& entry, const any_request& request,
                      const result<any_response>& answer) {
    auto& coverage = world_.run().coverage;
    if (const auto* all = std::get_if<transact_write_items_request>(&request)) {
        if (!answer) return coverage.hit("several refused together");
        return done(entry, *all);
    }
    const auto on_item = [&](const auto& write) {
        const auto index = versions::item_history::item_in(write.key);
        const bool late = entry.completed.has_value();
        if (index && late) coverage.hit(answer ? "late item write applied" : "late item write refused");
        const auto number = number_in(write.values);
        if (!answer && index && number != 0) world_.item_history().turned_away(name(), number, *index);
        if (!answer) return;
        if (!index) return world_.look_at_session(name(), entry.key);
        done(entry, *index, number);
    };
    if (const auto* update = std::get_if<update_item_request>(&request)) on_item(*update);
    // A session that begins.
    if (std::holds_alternative<put_item_request>(request) && answer) world_.look_at_session(name(), entry.key);
    if (const auto* removal = std::get_if<delete_item_request>(&request)) on_item(*removal);
}

void process::done(const testing::logged_request& entry, std::size_t index, std::int64_t number) {
    const auto& session = sessions_[&entry];
    const auto& before = world_.item_history().checked().state(index).holder;
    const auto saves_it = [&](const auto& each) { return each->saving() == number; };
    if (number != 0 && before.starts_with(session + ".") && std::ranges::any_of(users(), saves_it))
        world_.run().coverage.hit("saved under its own lock");
    const bool copy = entry.applied.size() > 1;
    const bool repeated = !copy && entry.fate == testing::fault::kind::answer_copy;
    if (number != 0) {
        world_.item_history().written_by(
            name(), {.number = number, .item = index, .copy = copy, .repeated = repeated, .session = session});
    }
    world_.lock_written_by(name(), session, number, index);
    if (number != 0 && !world_.item_history().checked().state(index).exists) world_.arm_birth(index);
}

void process::done(const testing::logged_request& entry, const transact_write_items_request& all) {
    auto& coverage = world_.run().coverage;
    if (!carried_out_.insert(all.client_request_token).second) return coverage.hit("transaction replayed");
    const auto number = number_of(all);
    const bool fenced = std::holds_alternative<transact_put>(all.actions.back());
    coverage.hit(fenced        ? "written behind a fence"
                 : number == 0 ? "several locked together"
                               : "several written together");
    for (const auto& action : all.actions) {
        std::visit(
            [&](const auto& each) {
                if constexpr (requires { each.key; }) {
                    const auto index = versions::item_history::item_in(each.key).value();
                    if constexpr (std::is_same_v<std::decay_t<decltype(each)>, condition_check>) {
                        world_.tell(name(), lock_tested{.item = index, .number = number});
                    } else {
                        done(entry, index, number);
                    }
                }
            },
            action);
    }
}

/// The network may repeat a write, and answer for the copy: what was refused behind a lock that is gone may have been
/// applied under it before. (Not a transaction: the service knows its copies by their token.)
void process::note_unknown(const any_request& request, const failure& why) {
    const auto number = number_of(request);
    const bool gone = why.code == errc::condition_failed && !shows_lock_of(request, why);
    if (number != 0 && (gone || why.outcome == outcome::unknown)) unknown_.insert(number);
}

void process::answered(const testing::logged_request& entry, const any_request& request,
                       const result<any_response>& answer) {
    world_.run().trace.add(world_.now(), name(), static_cast<std::uint64_t>(entry.code.value()), [&] {
        const auto* update = std::get_if<update_item_request>(&request);
        return "r " + entry.operation + " " + entry.key + (update ? " (" + update->update_expression + ")" : "") +
               " -> " + (answer ? "ok" : entry.code.message());
    });
    const bool paused = paused_.erase(&entry) != 0;
    if (session() && session()->id() == sessions_[&entry]) {
        if (paused) takes_.sent(request, world_.now());
        takes_.answered(request, answer);
    }
    if (!answer) note_unknown(request, answer.error());
    if (session()) watch_answered(entry, request, answer);
}

}  // namespace dynalease::simulation::item_locks
