// The compiled part of the mapping between structs and items: messages, numbers and times.
#include "dynamodb/decimal.hpp"

#include <dynalease/error.hpp>
#include <dynalease/mapping/scalars.hpp>

#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <system_error>
#include <utility>

namespace dynalease {

std::string mapping_place::to_string() const {
    if (!outer_) return std::string(name_);
    auto text = outer_->to_string();
    if (name_.empty()) return text + "[" + std::to_string(element_) + "]";
    if (!text.empty()) text += '.';
    text += name_;
    if (!attribute_.empty() && attribute_ != name_) text += " (attribute \"" + std::string(attribute_) + "\")";
    return text;
}

void mapping_place::fail(std::string_view what) const {
    diagnostics details;
    details.operation = "mapping";
    details.message = to_string() + " " + std::string(what);
    throw error(make_error_code(errc::bad_attribute), std::move(details));
}

void mapping_place::expected(std::string_view type, const attribute_value& found) const {
    fail("is stored as " + std::string(found.type_name()) + ", and must be " + std::string(type));
}

namespace mapping {

namespace {

/// Plain digits, whatever form the number came in; empty if it has a fraction.
std::string integer_text(const number& value) {
    const auto exact = decimal::of(value);
    if (exact.count > 0 && exact.exponent < 0) return {};
    return exact.to_string();
}

template <class Integer>
Integer to_integer(const number& value, Integer lowest, Integer highest, const mapping_place& place) {
    const auto text = integer_text(value);
    if (text.empty()) place.fail("is " + value.text() + ", and must be an integer");
    Integer out{};
    const auto [stop, fault] = std::from_chars(text.data(), text.data() + text.size(), out);
    if (fault == std::errc{} && stop == text.data() + text.size() && out >= lowest && out <= highest) return out;
    place.fail("is " + value.text() + ", and must be from " + std::to_string(lowest) + " to " +
               std::to_string(highest));
}

template <class Floating>
number floating_text(Floating value, const mapping_place& place) {
    if (!std::isfinite(value)) place.fail("is not finite, and cannot be stored");
    std::array<char, 64> text{};
    const auto [end, fault] = std::to_chars(text.data(), text.data() + text.size(), value);
    if (fault != std::errc{}) place.fail("has no decimal form");
    return to_number(std::string_view(text.data(), static_cast<std::size_t>(end - text.data())), place);
}

void append_padded(std::string& out, std::int64_t value, std::size_t width) {
    const auto digits = std::to_string(value);
    if (digits.size() < width) out.append(width - digits.size(), '0');
    out += digits;
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

}  // namespace

std::int64_t to_signed(const number& value, std::int64_t lowest, std::int64_t highest, const mapping_place& place) {
    return to_integer<std::int64_t>(value, lowest, highest, place);
}

std::uint64_t to_unsigned(const number& value, std::uint64_t highest, const mapping_place& place) {
    return to_integer<std::uint64_t>(value, 0, highest, place);
}

number to_number(std::string_view text, const mapping_place& place) {
    if (auto parsed = number::parse(text)) return *std::move(parsed);
    const auto why = decimal::parse(text);
    place.fail("is " + std::string(text) + ": " + std::string(describe(why.error())));
}

number from_floating(double value, const mapping_place& place) {
    return floating_text(value, place);
}
number from_floating(float value, const mapping_place& place) {
    return floating_text(value, place);
}

std::string from_time(utc_time time, int digits, const mapping_place& place) {
    const auto day = std::chrono::floor<std::chrono::days>(time.seconds);
    const std::chrono::year_month_day date(day);
    const std::chrono::hh_mm_ss clock(time.seconds - day);
    if (date.year() < std::chrono::year(0) || date.year() > std::chrono::year(9999)) {
        place.fail("lies in a year that has not four digits");
    }
    std::string out;
    append_padded(out, static_cast<int>(date.year()), 4);
    out += '-';
    append_padded(out, static_cast<unsigned>(date.month()), 2);
    out += '-';
    append_padded(out, static_cast<unsigned>(date.day()), 2);
    out += 'T';
    append_padded(out, clock.hours().count(), 2);
    out += ':';
    append_padded(out, clock.minutes().count(), 2);
    out += ':';
    append_padded(out, clock.seconds().count(), 2);
    if (digits > 0) {
        std::string fraction;
        append_padded(fraction, time.fraction.count(), 9);
        out += "." + fraction.substr(0, static_cast<std::size_t>(digits));
    }
    return out + "Z";
}

utc_time to_time(std::string_view text, const mapping_place& place) {
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
    in.expect('Z');
    using namespace std::chrono_literals;
    if (!in.at_end() || !date.ok() || hours >= 24h || minutes >= 60min || seconds >= 60s) in.fail();
    return {std::chrono::sys_days(date) + hours + minutes + seconds, std::chrono::nanoseconds(fraction)};
}

}  // namespace mapping

}  // namespace dynalease
