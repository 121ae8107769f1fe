// Points of time as attribute values and back: ISO 8601 in UTC, or seconds since 1970.
// SPDX-License-Identifier: BSL-1.0
#include "dynamodb/time_ticks.hpp"

#include <dynalease/mapping/scalars.hpp>

#include <algorithm>
#include <chrono>
#include <limits>
#include <string>
#include <string_view>

namespace dynalease::mapping {

namespace {

using namespace std::chrono_literals;

/// Seconds since 1970, and a part of the next.
struct utc_time {
    std::chrono::sys_seconds seconds;
    std::chrono::nanoseconds fraction;  ///< from 0 to below a second
};

constexpr std::int64_t second_of(std::chrono::sys_seconds time) {
    return time.time_since_epoch().count();
}
constexpr auto first_second = second_of(std::chrono::sys_days(std::chrono::year(0) / 1 / 1));
constexpr auto last_second = second_of(std::chrono::sys_days(std::chrono::year(10'000) / 1 / 1)) - 1;

constexpr const char* no_such_year = "lies in a year that has not four digits";

std::int64_t floored(std::int64_t value, std::int64_t by) {
    return value / by - (value % by < 0 ? 1 : 0);
}

/// Digits that a part of a second needs.
std::size_t digits_of(time_unit unit) {
    std::size_t digits = 0;
    for (std::int64_t power = 1; power % unit.parts != 0; power *= 10) ++digits;
    return digits;
}

utc_time as_utc(std::int64_t ticks, time_unit unit, const mapping_place& place) {
    const auto whole = floored(ticks, unit.parts);
    if (whole < first_second / unit.seconds || whole > last_second / unit.seconds) {
        place.fail(no_such_year);
    }
    auto rest = ticks % unit.parts;  // ticks - whole * parts would overflow near the least of all ticks
    if (rest < 0) rest += unit.parts;
    return {std::chrono::sys_seconds(std::chrono::seconds(whole * unit.seconds)),
            std::chrono::nanoseconds(rest * (nanoseconds_of_second / unit.parts))};
}

/// Takes so many digits, or fails.
class time_reader {
public:
    time_reader(std::string_view text, const mapping_place& place) : all_(text), rest_(text), place_(place) {}

    int digits(std::size_t count) {
        int value = 0;
        for (std::size_t i = 0; i < count; ++i) value = value * 10 + next_digit();
        return value;
    }
    void expect(char sign) {
        if (!rest_.starts_with(sign)) fail();
        rest_.remove_prefix(1);
    }
    bool take(char sign) {
        const bool found = rest_.starts_with(sign);
        if (found) rest_.remove_prefix(1);
        return found;
    }
    /// "Z", or what the time is ahead of UTC: "+01:00".
    std::chrono::minutes offset() {
        if (take('Z')) return {};
        const bool behind = take('-');
        if (!behind) expect('+');
        const std::chrono::hours hours(digits(2));
        expect(':');
        const std::chrono::minutes minutes(digits(2));
        if (hours > std::chrono::hours(23) || minutes > std::chrono::minutes(59)) fail();
        return behind ? -(hours + minutes) : hours + minutes;
    }
    bool at_digit() const { return !rest_.empty() && rest_.front() >= '0' && rest_.front() <= '9'; }
    bool at_end() const { return rest_.empty(); }
    [[noreturn]] void fail() const {
        place_.fail("is \"" + std::string(all_) + "\", and must be a time such as 2026-11-21T14:55:41.250Z");
    }

private:
    int next_digit() {
        if (!at_digit()) fail();
        const int digit = rest_.front() - '0';
        rest_.remove_prefix(1);
        return digit;
    }

    std::string_view all_;
    std::string_view rest_;
    const mapping_place& place_;
};

utc_time parse_time(std::string_view text, const mapping_place& place) {
    time_reader in(text, place);
    const std::chrono::year year(in.digits(4));
    in.expect('-');
    const std::chrono::month month(static_cast<unsigned>(in.digits(2)));
    in.expect('-');
    const std::chrono::year_month_day date(year, month, std::chrono::day(static_cast<unsigned>(in.digits(2))));
    in.expect('T');
    const std::chrono::hours hours(in.digits(2));
    in.expect(':');
    const std::chrono::minutes minutes(in.digits(2));
    in.expect(':');
    const std::chrono::seconds seconds(in.digits(2));
    std::int64_t fraction = 0;
    if (in.take('.')) {
        int count = 0;
        for (; count < 9 && in.at_digit(); ++count) fraction = fraction * 10 + in.digits(1);
        if (count == 0) in.fail();
        for (; count < 9; ++count) fraction *= 10;
    }
    const auto offset = in.offset();
    if (!in.at_end() || !date.ok() || hours >= 24h || minutes >= 60min || seconds >= 60s) in.fail();
    return {std::chrono::sys_days(date) + hours + minutes + seconds - offset, std::chrono::nanoseconds(fraction)};
}

std::string text_of(const attribute_value& stored) {
    const auto* text = stored.get_if<std::string>();
    return text ? '"' + *text + '"' : stored.get_if<number>()->text();
}

utc_time utc_of(const attribute_value& stored, const mapping_place& place) {
    if (stored.is<number>()) {
        const std::chrono::seconds epoch(to_signed(*stored.get_if<number>(), first_second, last_second, place));
        return {std::chrono::sys_seconds(epoch), 0ns};
    }
    return parse_time(held_as<std::string>(stored, "S", place), place);
}

}  // namespace

attribute_value from_time(std::int64_t ticks, time_unit unit, const mapping_place& place) {
    const auto time = as_utc(ticks, unit, place);
    const auto day = std::chrono::floor<std::chrono::days>(time.seconds);
    const std::chrono::year_month_day date(day);
    const std::chrono::hh_mm_ss clock(time.seconds - day);
    std::string out;
    out += padded(static_cast<int>(date.year()), 4);
    out += '-';
    out += padded(static_cast<unsigned>(date.month()), 2);
    out += '-';
    out += padded(static_cast<unsigned>(date.day()), 2);
    out += 'T';
    out += padded(clock.hours().count(), 2);
    out += ':';
    out += padded(clock.minutes().count(), 2);
    out += ':';
    out += padded(clock.seconds().count(), 2);
    if (const auto digits = digits_of(unit); digits > 0) {
        const std::string fraction = padded(time.fraction.count(), 9);
        out += "." + fraction.substr(0, digits);
    }
    return out + "Z";
}

attribute_value from_epoch_time(std::int64_t ticks, time_unit unit, const mapping_place& place) {
    // A fraction, which TTL does not know, is cut: what was read from a text with one can be saved.
    return second_of(as_utc(ticks, unit, place).seconds);
}

std::int64_t to_time(const attribute_value& stored, time_unit unit, std::int64_t lowest, std::int64_t highest,
                     const mapping_place& place) {
    const auto time = utc_of(stored, place);
    auto seconds = second_of(time.seconds);
    // By its offset a text can lie in another year than it says, which could not be written again.
    if (seconds < first_second || seconds > last_second) place.fail("is " + text_of(stored) + ", and " + no_such_year);
    auto part = time.fraction.count() / (nanoseconds_of_second / unit.parts);
    // Towards zero, so that no sum is beyond what the ticks are.
    if (seconds < 0 && part > 0) {
        ++seconds;
        part -= unit.parts;
    }
    const auto whole = floored(seconds, unit.seconds);
    const auto ticks = ticks_of(whole, part, unit, lowest, highest);
    if (!ticks) place.fail("is " + text_of(stored) + ", and lies beyond what its type can hold");
    return *ticks;
}

}  // namespace dynalease::mapping
