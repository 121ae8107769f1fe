// Who lives in a process, and whose each of its requests is.
// SPDX-License-Identifier: BSL-1.0
#include "simulation/wall_clock/process.hpp"

#include <algorithm>
#include <map>
#include <utility>
#include <variant>

namespace dynalease::simulation::wall_clocks {

namespace {

/// Every write of a user has a list in it that ends with its number.
std::int64_t number_in(const attribute_values& values) {
    for (const auto& [name, value] : values) {
        const auto* list = value.get_if<attribute_list>();
        if (list && !list->empty()) return std::stoll(list->back().get_if<number>()->text());
    }
    return 0;
}

/// The moment that a request is to lock an item with: besides it there is one that is older than the timeout.
std::string claim_in(const update_item_request& request, std::chrono::milliseconds timeout) {
    if (!request.update_expression.starts_with("SET ")) return {};
    std::map<moment, std::string> moments;
    for (const auto& [name, value] : request.values) {
        const auto* text = value.get_if<std::string>();
        const auto when = text ? moment_in(*text) : std::nullopt;
        if (when) moments.emplace(*when, *text);
    }
    const bool claims = moments.size() > 1 && moments.rbegin()->first - moments.begin()->first >= timeout;
    return claims ? moments.rbegin()->second : std::string();
}

}  // namespace

process::process(clock_world& where, std::size_t index)
    : simulation::process(where, where.made_of(), index), world_(where) {
    set_wall_clock();
    open();
}

/// The ends of what is allowed more often than what lies between: that is where it hurts.
void process::set_wall_clock() {
    const auto end = world_.choices().choose("wall at its end", 3);
    if (end == 0) return;
    const auto error = end == 1 ? world_.made_of().wall_error : -world_.made_of().wall_error;
    machine().clock().step_wall(world_.simulated().store_clock().wall() + error - machine().clock().wall());
}

void process::begin() {
    program_ = name() + "." + std::to_string(++programs_);
    const auto& made_of = world_.made_of();
    const auto count = world_.choices().between("users of a node", 1, made_of.most_users);
    for (std::uint64_t i = 0; i < count; ++i) {
        const bool foreign = made_of.strangers != 0 && world_.choices().choose("a stranger", made_of.strangers) == 1;
        const bool wants_nothing = world_.choices().choose("wants what is not there", 20) == 1;
        const auto some = world_.choices().choose("item of a user", world_.items());
        if (foreign) {
            strangers_.push_back(std::make_shared<stranger>(*this, some));
            spawn(stranger::live(strangers_.back()));
        } else {
            users_.push_back(std::make_shared<user>(*this, wants_nothing ? world_.items() : some));
            spawn(user::live(users_.back()));
        }
    }
}

void process::interrupt() {
    for (const auto& each : users_) {
        if (each->waits()) each->interrupt();
    }
}

void process::let_go() {
    for (const auto& each : users_) each->let_go();
    for (const auto& each : strangers_) each->let_go();
}

void process::drop() {
    users_.clear();
    strangers_.clear();
}

std::vector<std::uint64_t> process::believers() const {
    std::vector<std::uint64_t> all;
    for (const auto& each : users_) {
        if (each->believes()) all.push_back(each->handle());
    }
    for (const auto& each : strangers_) {
        if (each->believes()) all.push_back(each->handle());
    }
    return all;
}

// ---- requests ------------------------------------------------------------------------------------------------

void process::sent(const testing::logged_request& entry, const any_request& request) {
    senders_[&entry] = program_;
    const auto* update = std::get_if<update_item_request>(&request);
    const auto claimed = update ? claim_in(*update, world_.bounds().timeout) : std::string();
    if (!claimed.empty()) world_.note_claim(entry.key + " " + claimed);
}

void process::applied(const testing::logged_request& entry, const any_request& request,
                      const result<any_response>& answer) {
    const auto& update = std::get<update_item_request>(request);
    const auto index = clock_world::item_in(update.key);
    const bool late = entry.completed.has_value();
    if (late) world_.run().coverage.hit(answer ? "late write applied" : "late write refused");
    if (!index || !answer) return;
    world_.tell_written(name(), {.item = *index,
                                 .by = senders_[&entry],
                                 .stranger = stranger::sent(update),
                                 .number = number_in(update.values),
                                 .late = late,
                                 .copy = entry.applied.size() > 1});
}

/// The network may repeat a write, and answer for the copy: what was refused for another moment than its own two may
/// have been done before that one came; and whose a claim is that was surely refused, and stands there all the same,
/// nobody can say.
void process::note_refusal(const update_item_request& request, const failure& why) {
    const auto* shown = why.current ? find_string(*why.current, world_.options().attribute) : nullptr;
    const auto is_shown = [&](const auto& each) {
        const auto* text = each.second.template get_if<std::string>();
        return shown && text && *text == *shown;
    };
    const auto number = number_in(request.values);
    const bool certain = why.outcome != outcome::unknown && std::ranges::any_of(request.values, is_shown);
    if (number != 0 && !certain) unknown_.insert(number);
    const auto claimed = claim_in(request, world_.bounds().timeout);
    const auto index = clock_world::item_in(request.key);
    if (index && !claimed.empty() && why.outcome != outcome::unknown)
        world_.tell(name(), unknowable{.item = *index, .text = claimed});
}

void process::answered(const testing::logged_request& entry, const any_request& request,
                       const result<any_response>& answer) {
    world_.run().trace.add(world_.now(), name(), static_cast<std::uint64_t>(entry.code.value()), [&] {
        const auto* update = std::get_if<update_item_request>(&request);
        return "r " + entry.operation + " " + entry.key + (update ? " (" + update->update_expression + ")" : "") +
               " -> " + (answer ? "ok" : entry.code.message());
    });
    const auto* refused = answer ? nullptr : std::get_if<update_item_request>(&request);
    if (refused && !stranger::sent(*refused)) note_refusal(*refused, answer.error());
}

}  // namespace dynalease::simulation::wall_clocks
