// Status line and headers.
#include "local/response_head.hpp"

#include <zlib.h>
#include <boost/beast/http/status.hpp>

#include <array>
#include <charconv>
#include <cstdio>

namespace dynalease::local {

namespace {

void append_number(std::string& out, std::uint64_t value) {
    std::array<char, 20> digits{};
    const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), value).ptr;
    out.append(digits.data(), end);
}

std::uint32_t checksum(const std::string& body) {
    return static_cast<std::uint32_t>(::crc32_z(0, reinterpret_cast<const Bytef*>(body.data()), body.size()));
}

}  // namespace

void response_writer::write(const reply& answer, bool keep_alive, engine::time now, std::string& out) {
    refresh_date(now);
    out.assign("HTTP/1.1 ");
    append_number(out, answer.status);
    out.push_back(' ');
    out.append(boost::beast::http::obsolete_reason(static_cast<boost::beast::http::status>(answer.status)));
    out.append("\r\nServer: Server\r\nDate: ").append(date_);
    out.append("\r\nContent-Type: ").append(answer.content_type);
    if (!answer.content_encoding.empty()) out.append("\r\nContent-Encoding: ").append(answer.content_encoding);
    out.append("\r\nContent-Length: ");
    append_number(out, answer.body.size());
    out.append(keep_alive ? "\r\nConnection: keep-alive" : "\r\nConnection: close");
    out.append("\r\nx-amzn-RequestId: ");
    append_request_id(out);
    out.append("\r\nx-amz-crc32: ");
    append_number(out, checksum(answer.body));
    out.append("\r\n").append(answer.more_headers).append("\r\n").append(answer.body);
}

/// 52 capitals and digits, each id once: a counter, mixed so that ids do not look alike.
void response_writer::append_request_id(std::string& out) {
    constexpr std::string_view alphabet = "0123456789ABCDEFGHIJKLMNOPQRSTUV";
    constexpr int words = 4;
    constexpr int characters = 13;
    std::uint64_t state = next_id_++;
    for (int word = 0; word < words; ++word) {
        state += 0x9e3779b97f4a7c15U;
        std::uint64_t mixed = (state ^ (state >> 30U)) * 0xbf58476d1ce4e5b9U;
        mixed = (mixed ^ (mixed >> 27U)) * 0x94d049bb133111ebU;
        mixed ^= mixed >> 31U;
        for (int i = 0; i < characters; ++i, mixed >>= 5U) out.push_back(alphabet[mixed & 31U]);
    }
}

void response_writer::refresh_date(engine::time now) {
    const auto second = std::chrono::floor<std::chrono::seconds>(now);
    if (second == date_at_) return;
    date_at_ = second;
    constexpr std::array<const char*, 7> weekdays{"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"};
    constexpr std::array<const char*, 12> months{"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                                 "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
    const auto day = std::chrono::floor<std::chrono::days>(second);
    const std::chrono::year_month_day date(day);
    const std::chrono::hh_mm_ss time(second - day);
    std::array<char, 40> text{};
    std::snprintf(text.data(), text.size(), "%s, %02u %s %04d %02d:%02d:%02d GMT",
                  weekdays[std::chrono::weekday(day).c_encoding()], static_cast<unsigned>(date.day()),
                  months[static_cast<unsigned>(date.month()) - 1], static_cast<int>(date.year()),
                  static_cast<int>(time.hours().count()), static_cast<int>(time.minutes().count()),
                  static_cast<int>(time.seconds().count()));
    date_ = text.data();
}

}  // namespace dynalease::local
