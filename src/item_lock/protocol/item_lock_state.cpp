// Reading and writing of an item lock's attributes.
// SPDX-License-Identifier: BSL-1.0
#include "item_lock/protocol/item_lock_state.hpp"

#include <algorithm>
#include <charconv>
#include <utility>

namespace dynalease::protocol {

namespace {

constexpr std::size_t step_digits = 10;

failure unreadable_lock(const std::string& name, std::string_view expected) {
    failure why(errc::corrupt_row);
    why.details.message = "attribute \"" + name + "\" is not " + std::string(expected);
    return why;
}

bool read_integer(std::string_view digits, std::int64_t& into) {
    if (digits.empty() || digits.front() == '-') return false;
    const auto [end, code] = std::from_chars(digits.data(), digits.data() + digits.size(), into);
    return code == std::errc() && end == digits.data() + digits.size();
}

/// Text of another form is a hold by somebody unknown: its session stays empty.
item_claimant read_claimant(std::string text, bool has_step) {
    item_claimant found{.text = std::move(text)};
    std::string_view rest = found.text;
    if (has_step) {
        const auto dot = rest.rfind('.');
        if (dot == rest.npos || !read_integer(rest.substr(dot + 1), found.step)) return found;
        rest = rest.substr(0, dot);
    }
    const auto dot = rest.rfind('.');
    if (dot == rest.npos || dot == 0 || !read_integer(rest.substr(dot + 1), found.attempt)) return found;
    const auto session = rest.substr(0, dot);
    if (session.find('.') == session.npos) found.session = session;
    return found;
}

}  // namespace

std::string reader_text(std::string_view session, std::int64_t attempt) {
    return std::string(session) + "." + std::to_string(attempt);
}

std::string writer_text(std::string_view session, std::int64_t attempt, std::int64_t step) {
    auto digits = std::to_string(step);
    if (digits.size() < step_digits) digits.insert(0, step_digits - digits.size(), '0');
    return reader_text(session, attempt) + "." + digits;
}

const item_claimant* item_lock_state::held_by(std::string_view session, std::int64_t attempt) const {
    if (writer && writer->is(session, attempt)) return &*writer;
    const auto reader = std::ranges::find_if(readers, [&](const auto& r) { return r.is(session, attempt); });
    return reader == readers.end() ? nullptr : &*reader;
}

const item_claimant* item_lock_state::hold_of(std::string_view session) const {
    if (writer && writer->session == session) return &*writer;
    const auto reader = std::ranges::find(readers, session, &item_claimant::session);
    return reader == readers.end() ? nullptr : &*reader;
}

const item_claimant* item_lock_state::entry_of(std::string_view session) const {
    const auto* hold = hold_of(session);
    return hold || !intended_by(session) ? hold : &*intent;
}

result<item_lock_state> lock_sight_of(const item_layout& layout, const item* shown) {
    item_lock_state sight;
    if (!shown) return sight;
    sight.exists = !shown->contains(item_attribute::gone);
    if (const auto* writer = find(*shown, layout.writer())) {
        const auto* text = writer->get_if<std::string>();
        if (!text) return unreadable_lock(layout.writer(), "a string");
        sight.writer = read_claimant(*text, true);
    }
    if (const auto* readers = find(*shown, layout.readers())) {
        const auto* texts = readers->get_if<string_set>();
        if (!texts) return unreadable_lock(layout.readers(), "a set of strings");
        for (const auto& text : *texts) sight.readers.push_back(read_claimant(text, false));
    }
    if (const auto* intent = find(*shown, layout.intent())) {
        const auto* text = intent->get_if<std::string>();
        if (!text) return unreadable_lock(layout.intent(), "a string");
        sight.intent = read_claimant(*text, false);
    }
    if (shown->contains(layout.floor())) {
        const auto floor = find_integer(*shown, layout.floor());
        if (!floor || *floor < 0 || *floor >= token_limit) return unreadable_lock(layout.floor(), "a token");
        sight.floor = *floor;
    }
    sight.in_transaction = shown->contains(item_attribute::transaction);
    sight.born = birth_of(*shown);
    return sight;
}

bool item_grant::writes(const item_lock_state& sight, std::string_view self) const {
    return sight.writer && sight.writer->is(self, id.attempt) && (!born || sight.born == born);
}

}  // namespace dynalease::protocol
