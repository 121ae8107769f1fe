// Takes on their way, and what their answers show.
#include "simulation/item_lock/open_takes.hpp"

#include "simulation/framework/request_text.hpp"
#include "simulation/versioned/ledger.hpp"

#include <optional>
#include <utility>

namespace dynalease::simulation::item_locks {

namespace {

/// The item and the token of a take by a single claim, or of a hand-over; empty: it is none.
std::optional<std::pair<std::size_t, std::int64_t>> take_in(const any_request& request) {
    const auto* update = std::get_if<update_item_request>(&request);
    if (!update) return std::nullopt;
    const auto index = versions::ledger::item_in(update->key);
    const bool takes = update->values.contains(":w") || update->values.contains(":me");
    const auto token = integer_value(update->values, ":t");
    if (!index || !takes || !token) return std::nullopt;
    return std::pair(*index, *token);
}

}  // namespace

void open_takes::sent(const any_request& request, time_point now) {
    const auto taking = take_in(request);
    if (!taking) return;
    auto& open = by_item_[taking->first][taking->second];
    open.sent = now;
    ++open.under_way;
}

void open_takes::note_floor(const item& shown, std::size_t index) {
    const auto floor = find_integer(shown, "_lockF").value_or(0);
    std::erase_if(by_item_[index], [&](const auto& each) { return each.first <= floor && each.second.under_way == 0; });
}

void open_takes::answered(const any_request& request, const result<any_response>& answer) {
    const auto taking = take_in(request);
    if (taking) {
        auto& takes = by_item_[taking->first];
        const auto known = takes.find(taking->second);
        if (known != takes.end()) {
            auto& open = known->second;
            --open.under_way;
            if (!answer && answer.error().outcome == outcome::unknown) open.unanswered = true;
            if (answer || (open.under_way == 0 && !open.unanswered)) takes.erase(known);
        }
    }
    if (const auto* read = std::get_if<get_item_request>(&request)) {
        const auto index = versions::ledger::item_in(read->key);
        const auto* shown = answer ? std::get_if<get_item_response>(&*answer) : nullptr;
        if (index && shown && shown->found) note_floor(*shown->found, *index);
    }
    if (const auto* update = std::get_if<update_item_request>(&request)) {
        const auto index = versions::ledger::item_in(update->key);
        if (!index) return;
        const auto* done = answer ? std::get_if<update_item_response>(&*answer) : nullptr;
        if (done) note_floor(done->attributes, *index);
        if (!answer && answer.error().current) note_floor(*answer.error().current, *index);
    }
}

bool open_takes::any_since(std::size_t index, time_point began) const {
    const auto found = by_item_.find(index);
    if (found == by_item_.end()) return false;
    for (const auto& [token, open] : found->second) {
        if (open.sent >= began) return true;
    }
    return false;
}

}  // namespace dynalease::simulation::item_locks
