// Takes on their way, and what their answers show.
// SPDX-License-Identifier: BSL-1.0
#include "simulation/item_lock/open_takes.hpp"

#include "simulation/framework/request_text.hpp"
#include "simulation/versioned/item_history.hpp"

#include <algorithm>
#include <limits>
#include <optional>

namespace dynalease::simulation::item_locks {

namespace {

struct taking {
    std::vector<std::size_t> items{};
    std::int64_t token = 0;
    bool intends = false;  ///< it only keeps others out
};

void note_take(const item_key& key, const attribute_values& values, bool intends, taking& into) {
    const auto index = versions::item_history::item_in(key);
    const bool takes = values.contains(":w") || values.contains(":me");
    const auto token = integer_value(values, ":t");
    if (!index || !token || !(takes || intends)) return;
    into.intends = !takes;
    into.items.push_back(*index);
    into.token = *token;
}

/// The items and the token of a take, by one claim on one item or on several, of a hand-over, or of an intent; no
/// items: it is none.
taking take_in(const any_request& request) {
    taking found;
    if (const auto* update = std::get_if<update_item_request>(&request)) {
        note_take(update->key, update->values, update->update_expression == "SET #I = :mine", found);
    }
    if (const auto* all = std::get_if<transact_write_items_request>(&request)) {
        for (const auto& action : all->actions) {
            const auto* update = std::get_if<transact_update>(&action);
            if (update) note_take(update->key, update->values, false, found);
        }
    }
    return found;
}

/// A hand-over was refused since the grant that it is handed over from is over. Grants do not come again, so no other
/// copy of it can land either.
bool comes_too_late(const any_request& request, const result<any_response>& answer) {
    const auto* update = std::get_if<update_item_request>(&request);
    const auto from = update ? update->values.find(":k") : attribute_values::const_iterator{};
    if (!update || from == update->values.end() || answer || answer.error().code != errc::condition_failed)
        return false;
    const auto& shown = answer.error().current;
    const auto* holder = shown ? find_string(*shown, "_lockW") : nullptr;
    const auto& handed_from = *from->second.get_if<std::string>();
    const auto grant_of = [](const std::string& writer) { return writer.substr(0, writer.rfind('.')); };
    return !holder || grant_of(*holder) != grant_of(handed_from);
}

}  // namespace

void open_takes::sent(const any_request& request, time_point now) {
    const auto found = take_in(request);
    if (found.items.empty()) return;
    const std::pair name(found.token, found.items.size() > 1);
    auto known = by_item_[found.items.front()][name];
    if (!known) known = std::make_shared<take>(take{.items = found.items, .token = found.token});
    for (const auto index : found.items) by_item_[index][name] = known;
    known->sent = now;
    ++known->under_way;
}

void open_takes::close(const std::shared_ptr<take>& what) {
    for (const auto index : what->items) by_item_[index].erase({what->token, what->items.size() > 1});
}

void open_takes::note_floor(const item& shown, std::size_t index) {
    shut_out_up_to(index, find_integer(shown, "_lockF").value_or(0));
}

void open_takes::note_sight(const std::optional<item>& shown, std::size_t index) {
    if (shown) return note_floor(*shown, index);
    // No claim lands where there is no item; one that is born again begins another story.
    shut_out_up_to(index, std::numeric_limits<std::int64_t>::max());
}

void open_takes::shut_out_up_to(std::size_t index, std::int64_t token) {
    const auto open = by_item_[index];
    for (const auto& [name, each] : open) {
        if (each->token > token) continue;
        each->shut_out = true;
        if (each->under_way == 0) close(each);
    }
}

void open_takes::note_shown(const any_request& request, const result<any_response>& answer) {
    if (const auto* read = std::get_if<get_item_request>(&request)) {
        const auto index = versions::item_history::item_in(read->key);
        const auto* shown = answer ? std::get_if<get_item_response>(&*answer) : nullptr;
        if (index && shown) note_sight(shown->found, *index);
    }
    if (const auto* update = std::get_if<update_item_request>(&request)) {
        const auto index = versions::item_history::item_in(update->key);
        if (!index) return;
        const auto* done = answer ? std::get_if<update_item_response>(&*answer) : nullptr;
        if (done) note_floor(done->attributes, *index);
        if (!answer && answer.error().code == errc::condition_failed) note_sight(answer.error().current, *index);
    }
    const auto* all = std::get_if<transact_write_items_request>(&request);
    if (!all || answer) return;
    const auto& reasons = answer.error().reasons;
    for (std::size_t i = 0; i < std::min(reasons.size(), all->actions.size()); ++i) {
        const auto* update = std::get_if<transact_update>(&all->actions[i]);
        const auto index = update ? versions::item_history::item_in(update->key) : std::nullopt;
        if (index && reasons[i].code == "ConditionalCheckFailed") note_sight(reasons[i].current, *index);
    }
}

void open_takes::answered(const any_request& request, const result<any_response>& answer) {
    const auto found = take_in(request);
    if (!found.items.empty()) {
        const auto& takes = by_item_[found.items.front()];
        const auto known = takes.find({found.token, found.items.size() > 1});
        if (known != takes.end()) {
            const auto open = known->second;
            --open->under_way;
            if (!answer && answer.error().outcome == outcome::unknown) open->unanswered = true;
            open->shut_out = open->shut_out || comes_too_late(request, answer);
            const bool granted = answer && !found.intends;
            const bool resolved = open->shut_out || !open->unanswered;
            if (granted || (open->under_way == 0 && resolved)) close(open);
        }
    }
    note_shown(request, answer);
}

bool open_takes::any_since(const std::vector<std::size_t>& items, time_point began) const {
    const auto found = by_item_.find(items.front());
    if (found == by_item_.end()) return false;
    return std::ranges::any_of(
        found->second, [&](const auto& each) { return each.second->items == items && each.second->sent >= began; });
}

}  // namespace dynalease::simulation::item_locks
