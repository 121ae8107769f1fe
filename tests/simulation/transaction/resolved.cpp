// The rule, as the page of the protocol has it.
// SPDX-License-Identifier: BSL-1.0
#include "simulation/transaction/resolved.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

namespace dynalease::simulation::transfers {

namespace {

constexpr std::string_view image = "_TxB:";
constexpr std::string_view next = "_TxV:";
constexpr std::size_t stamp_size = 12;
constexpr std::size_t number_size = 4;
constexpr std::size_t entry_size = number_size + 2 * stamp_size;

binary bytes_in(const item& of, const char* name) {
    const auto* value = find(of, name);
    const auto* bytes = value ? value->get_if<binary>() : nullptr;
    return bytes ? *bytes : binary{};
}

std::string text_in(const item& of, const char* name) {
    const auto* text = find_string(of, name);
    return text ? std::string(*text) : std::string();
}

/// Whether the commit map names the lock that is on the item: by its stamp, and by the one before.
bool named_in_map(const item& row, const item& lies) {
    const auto map = bytes_in(row, "locks");
    auto wanted = bytes_in(lies, "_stamp");
    auto before = bytes_in(lies, "_TxP");
    if (before.size() == 1) before = binary(stamp_size);
    wanted.insert(wanted.end(), before.begin(), before.end());
    for (std::size_t at = 0; at + entry_size <= map.size(); at += entry_size) {
        const auto* entry = map.data() + at + number_size;
        if (std::equal(wanted.begin(), wanted.end(), entry, entry + 2 * stamp_size)) return true;
    }
    return false;
}

bool is_committed(const item& lies, const row_of& row_of_id) {
    const auto owner = text_in(lies, "_TxId");
    const auto slash = owner.rfind('/');
    const auto* row = row_of_id(owner.substr(0, slash));
    if (!row) return false;
    const auto state = state_of_row(*row);
    return state.run == owner.substr(slash + 1) && !state.done && state.state == "C" && named_in_map(*row, lies);
}

/// As it was before the mark, but for stamps, of which promises say nothing.
std::optional<item> undone(const item& lies) {
    if (text_in(lies, "_TxO") == "I") return std::nullopt;
    item was = lies;
    for (const auto& [name, value] : lies) {
        if (!name.starts_with(image)) continue;
        const auto attribute = name.substr(image.size());
        const auto* map = value.get_if<attribute_map>();
        if (map && map->contains("_TxAbsent")) {
            was.erase(attribute);
        } else {
            was.insert_or_assign(attribute, value);
        }
    }
    return was;
}

std::optional<item> kept(const item& lies) {
    if (text_in(lies, "_TxO") == "D") return std::nullopt;
    item is = lies;
    for (const auto& [name, value] : lies) {
        if (name.starts_with(next)) is.insert_or_assign(name.substr(next.size()), value);
    }
    return is;
}

}  // namespace

row_state state_of_row(const item& row) {
    return {.run = text_in(row, "run"), .state = text_in(row, "state"), .done = row.contains("done")};
}

std::string text_of_mark(const item& lies) {
    auto text = text_in(lies, "pk") + " " + text_in(lies, "_TxId") + " ";
    for (const auto* name : {"_stamp", "_TxP"}) {
        for (const auto byte : bytes_in(lies, name)) text += static_cast<char>(byte);
        text += " ";
    }
    return text;
}

bool is_marked(const std::optional<item>& lies) {
    return lies && lies->contains("_TxId");
}

item_state state_of(const std::optional<item>& committed) {
    item_state state;
    if (!committed) return state;
    state.there = true;
    state.balance = find_integer(*committed, "balance").value_or(0);
    state.version = find_integer(*committed, "version");
    const auto* entries = find(*committed, "entries");
    const auto* list = entries ? entries->get_if<attribute_list>() : nullptr;
    for (std::size_t i = 0; list && i < list->size(); ++i) {
        state.entries.push_back(std::stoll((*list)[i].get_if<number>()->text()));
    }
    return state;
}

item_state resolved(const std::optional<item>& lies, const row_of& row) {
    if (!is_marked(lies)) return state_of(lies);
    return state_of(is_committed(*lies, row) ? kept(*lies) : undone(*lies));
}

}  // namespace dynalease::simulation::transfers
