// Moments as text, what they mean, and the writes of a lock by the wall clock.
// SPDX-License-Identifier: BSL-1.0
#include "wall_clock_lock/protocol/wall_clock.hpp"

#include "item/protocol/item_attributes.hpp"
#include "session/protocol/lease_times.hpp"

#include <dynalease/dynamodb/expression.hpp>

#include <algorithm>
#include <string_view>
#include <utility>

namespace dynalease::protocol {

namespace {

void append_digits(std::string& into, std::int64_t value, std::size_t digits) {
    const auto text = std::to_string(value);
    if (text.size() < digits) into.append(digits - text.size(), '0');
    into += text;
}

constexpr std::chrono::milliseconds millisecond{1};

path attribute_of(const wall_clock_place& place) {
    return path(place.attribute);
}

/// True of an item that is there.
condition_expression item_is_there(const wall_clock_place& place) {
    return attribute_exists(place.key.begin()->first) && attribute_not_exists(item_attribute::gone);
}

update_item_request wall_clock_write(const wall_clock_place& place, const update_expression& change,
                                     const condition_expression& condition) {
    update_item_request request{.table_name = place.table, .key = place.key, .current_on_refusal = true};
    apply(request, change);
    apply(request, condition);
    return request;
}

}  // namespace

std::string wall_text(wall_moment when) {
    const auto day = std::chrono::floor<std::chrono::days>(when);
    const std::chrono::year_month_day date(day);
    const std::chrono::hh_mm_ss time(when - day);
    std::string text;
    append_digits(text, int(date.year()), 4);
    const std::pair<char, std::int64_t> parts[] = {{'-', unsigned(date.month())},
                                                   {'-', unsigned(date.day())},
                                                   {'T', time.hours().count()},
                                                   {':', time.minutes().count()},
                                                   {':', time.seconds().count()}};
    for (const auto& [separator, value] : parts) {
        text += separator;
        append_digits(text, value, 2);
    }
    text += '.';
    append_digits(text, time.subseconds().count(), 6);
    return text + "+00:00";
}

wall_moment wall_moment_of(std::chrono::sys_time<std::chrono::milliseconds> now, double unit) {
    constexpr double most = 998;
    return now + std::chrono::microseconds(1 + static_cast<std::int64_t>(unit * most));
}

wall_moment next_moment(wall_moment held) {
    auto next = held + std::chrono::microseconds(1);
    const bool even = next.time_since_epoch() % std::chrono::seconds(1) == std::chrono::microseconds(0);
    return even ? next + std::chrono::microseconds(1) : next;
}

wall_clock_times wall_clock_times_for(std::chrono::milliseconds timeout, std::chrono::milliseconds skew,
                                      std::uint32_t drift_ppm) {
    const auto steady = lease_times_for(timeout, {}, drift_ppm).hold;
    const auto overdue = timeout + 2 * skew;
    // A moment may be a millisecond away from the clock that it was read from.
    return {.overdue = overdue, .over = overdue + 2 * skew, .hold = steady - 2 * skew - millisecond};
}

wall_clock_grant wall_clock_granted(const wall_clock_claim& claim, const wall_clock_times& times) {
    return {.held = claim.mine, .end = claim.sent + times.hold, .over = claim.sent + times.over};
}

std::optional<wall_clock_claim> wall_clock_claim_in(const wall_clock_state& sight,
                                                    const std::vector<wall_clock_claim>& unanswered) {
    const auto landed = std::ranges::find_if(
        unanswered, [&](const wall_clock_claim& each) { return wall_text(each.mine) == sight.text; });
    return landed == unanswered.end() ? std::nullopt : std::optional(*landed);
}

result<wall_clock_state> wall_clock_state_of(const wall_clock_place& place, const item* shown) {
    wall_clock_state sight;
    if (!shown) return sight;
    sight.exists = !shown->contains(item_attribute::gone);
    const auto* stands = find(*shown, place.attribute);
    if (!stands) return sight;
    const auto* text = stands->get_if<std::string>();
    if (!text || text->empty()) {
        failure why(errc::corrupt_row);
        why.details.message = "attribute \"" + place.attribute + "\" is not a moment";
        return why;
    }
    sight.text = *text;
    return sight;
}

update_item_request wall_clock_take(const wall_clock_place& place, wall_moment mine, wall_moment overdue) {
    const auto at = attribute_of(place);
    auto request = wall_clock_write(place, set(at, wall_text(mine)),
                                    item_is_there(place) && attribute_not_exists(item_attribute::transaction) &&
                                        (attribute_not_exists(at) || attr(at) < wall_text(overdue)));
    request.returned = return_values::all_new;
    return request;
}

update_item_request wall_clock_change(const wall_clock_place& place, wall_moment held, const update_expression& change,
                                      const condition_expression& condition) {
    const auto at = attribute_of(place);
    auto request = wall_clock_write(place, change + set(at, wall_text(next_moment(held))),
                                    attr(at) == wall_text(held) && condition);
    request.returned = return_values::all_new;
    return request;
}

update_item_request wall_clock_take_back(const wall_clock_place& place,
                                         const std::vector<wall_clock_claim>& unanswered) {
    const auto at = attribute_of(place);
    std::vector<operand> moments;
    for (const auto& each : unanswered) moments.emplace_back(wall_text(each.mine));
    return wall_clock_write(place, remove(at), in(attr(at), moments));
}

update_item_request wall_clock_release(const wall_clock_place& place, wall_moment held) {
    const auto at = attribute_of(place);
    auto request = wall_clock_write(place, remove(at), in(attr(at), {wall_text(held), wall_text(next_moment(held))}));
    request.returned = return_values::updated_old;
    return request;
}

}  // namespace dynalease::protocol
