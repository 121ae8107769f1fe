// Formatting and strict parsing of the three timestamp forms.
// SPDX-License-Identifier: BSL-1.0
#include <dynalease/aws/timestamp.hpp>

#include <cstddef>

namespace dynalease::aws {

namespace {

using std::chrono::days;
using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;

// Reads a timestamp from left to right; once something did not fit, it stays failed.
class reader {
public:
    explicit reader(std::string_view text) noexcept : rest_(text) {}

    int digits(std::size_t count) noexcept {
        int value = 0;
        for (std::size_t i = 0; i < count; ++i) {
            if (!at_digit()) {
                good_ = false;
                return 0;
            }
            value = value * 10 + (rest_.front() - '0');
            rest_.remove_prefix(1);
        }
        return value;
    }

    void expect(std::string_view literal) noexcept { good_ = accept(literal) && good_; }

    bool accept(std::string_view literal) noexcept {
        if (!rest_.starts_with(literal)) return false;
        rest_.remove_prefix(literal.size());
        return true;
    }

    // The position in `names` (each three letters) of the next three letters, from 1.
    unsigned one_of(std::string_view names) noexcept {
        for (std::size_t at = 0; at < names.size(); at += 3) {
            if (accept(names.substr(at, 3))) return static_cast<unsigned>(at / 3 + 1);
        }
        good_ = false;
        return 0;
    }

    bool at_digit() const noexcept { return !rest_.empty() && rest_.front() >= '0' && rest_.front() <= '9'; }
    bool good() const noexcept { return good_; }
    bool complete() const noexcept { return good_ && rest_.empty(); }

private:
    std::string_view rest_;
    bool good_ = true;
};

struct calendar_fields {
    int year = 0;
    unsigned month = 0;
    unsigned day = 0;
    int hour = 0;
    int minute = 0;
    int second = 0;
};

// A leap second counts as the first of the next minute, as POSIX time does.
std::optional<wall_time> assemble(const calendar_fields& at) noexcept {
    const std::chrono::year_month_day date{std::chrono::year{at.year}, std::chrono::month{at.month},
                                           std::chrono::day{at.day}};
    if (!date.ok() || at.hour > 23 || at.minute > 59 || at.second > 60) return std::nullopt;
    return std::chrono::sys_days{date} + hours{at.hour} + minutes{at.minute} + seconds{at.second};
}

unsigned two_digits(reader& in) noexcept {
    return static_cast<unsigned>(in.digits(2));
}

// The fraction after the dot, cut to milliseconds.
milliseconds fraction(reader& in) noexcept {
    int value = in.digits(1) * 100;
    for (int unit : {10, 1}) {
        if (in.at_digit()) value += in.digits(1) * unit;
    }
    while (in.at_digit()) in.digits(1);
    return milliseconds{value};
}

}  // namespace

amz_timestamp::amz_timestamp(wall_time when) noexcept {
    const auto day = std::chrono::floor<days>(when);
    const std::chrono::year_month_day date{day};
    const std::chrono::hh_mm_ss time{std::chrono::floor<seconds>(when - day)};
    std::size_t at = 0;
    const auto put = [&](unsigned value, std::size_t width) {
        for (std::size_t i = width; i-- > 0; value /= 10) text_[at + i] = static_cast<char>('0' + value % 10);
        at += width;
    };
    put(static_cast<unsigned>(static_cast<int>(date.year())), 4);
    put(static_cast<unsigned>(date.month()), 2);
    put(static_cast<unsigned>(date.day()), 2);
    text_[at++] = 'T';
    put(static_cast<unsigned>(time.hours().count()), 2);
    put(static_cast<unsigned>(time.minutes().count()), 2);
    put(static_cast<unsigned>(time.seconds().count()), 2);
    text_[at] = 'Z';
}

std::optional<wall_time> parse_amz_timestamp(std::string_view text) noexcept {
    reader in{text};
    calendar_fields at;
    at.year = in.digits(4);
    at.month = two_digits(in);
    at.day = two_digits(in);
    in.expect("T");
    at.hour = in.digits(2);
    at.minute = in.digits(2);
    at.second = in.digits(2);
    in.expect("Z");
    if (!in.complete()) return std::nullopt;
    return assemble(at);
}

std::optional<wall_time> parse_http_date(std::string_view text) noexcept {
    reader in{text};
    calendar_fields at;
    in.one_of("MonTueWedThuFriSatSun");
    in.expect(", ");
    at.day = two_digits(in);
    in.expect(" ");
    at.month = in.one_of("JanFebMarAprMayJunJulAugSepOctNovDec");
    in.expect(" ");
    at.year = in.digits(4);
    in.expect(" ");
    at.hour = in.digits(2);
    in.expect(":");
    at.minute = in.digits(2);
    in.expect(":");
    at.second = in.digits(2);
    in.expect(" GMT");
    if (!in.complete()) return std::nullopt;
    return assemble(at);
}

std::optional<wall_time> parse_iso8601(std::string_view text) noexcept {
    reader in{text};
    calendar_fields at;
    at.year = in.digits(4);
    in.expect("-");
    at.month = two_digits(in);
    in.expect("-");
    at.day = two_digits(in);
    in.expect("T");
    at.hour = in.digits(2);
    in.expect(":");
    at.minute = in.digits(2);
    in.expect(":");
    at.second = in.digits(2);
    milliseconds extra{0};
    if (in.accept(".")) extra = fraction(in);
    if (!in.accept("Z")) {
        const bool east = in.accept("+");
        if (!east) in.expect("-");
        const hours offset_hours{in.digits(2)};
        in.expect(":");
        const minutes offset_minutes{in.digits(2)};
        if (offset_hours > hours{23} || offset_minutes > minutes{59}) return std::nullopt;
        const milliseconds offset = offset_hours + offset_minutes;
        extra += east ? -offset : offset;
    }
    if (!in.complete()) return std::nullopt;
    const auto whole = assemble(at);
    if (!whole) return std::nullopt;
    return *whole + extra;
}

}  // namespace dynalease::aws
