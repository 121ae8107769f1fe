// Status line and headers.
// SPDX-License-Identifier: BSL-1.0
#include "local/http/response_head.hpp"

#include <zlib.h>
#include <boost/beast/http/status.hpp>

#include <array>
#include <charconv>
#include <cstdio>
#include <initializer_list>

namespace dynalease::local {

namespace {

void append(std::string& out, std::initializer_list<std::string_view> parts) {
    for (const std::string_view part : parts) out.append(part);
}

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
    out.clear();
    append(out, {"HTTP/1.1 "});
    append_number(out, answer.status);
    append(out, {" ", obsolete_reason(static_cast<boost::beast::http::status>(answer.status)),
                 "\r\nServer: Server\r\nDate: ", date_, "\r\nContent-Type: ", answer.content_type});
    if (!answer.content_encoding.empty()) append(out, {"\r\nContent-Encoding: ", answer.content_encoding});
    append(out, {"\r\nContent-Length: "});
    append_number(out, answer.body.size());
    append(out, {"\r\nConnection: ", keep_alive ? "keep-alive" : "close", "\r\nx-amzn-RequestId: "});
    append_request_id(out);
    append(out, {"\r\nx-amz-crc32: "});
    append_number(out, checksum(answer.body));
    append(out, {"\r\n", answer.more_headers, "\r\n"});
    if (!answer.without_body) out.append(answer.body);
}

/// 52 capitals and digits, each id once: a counter, mixed so that ids do not look alike.
void response_writer::append_request_id(std::string& out) {
    constexpr std::string_view alphabet = "0123456789ABCDEFGHIJKLMNOPQRSTUV";
    constexpr std::size_t characters = 13;
    std::array<char, 4 * characters> text;
    std::uint64_t state = next_id_++;
    for (auto word = text.begin(); word != text.end(); word += characters) {
        state += 0x9e3779b97f4a7c15U;
        std::uint64_t mixed = (state ^ (state >> 30U)) * 0xbf58476d1ce4e5b9U;
        mixed = (mixed ^ (mixed >> 27U)) * 0x94d049bb133111ebU;
        mixed ^= mixed >> 31U;
        for (auto at = word; at != word + characters; ++at, mixed >>= 5U) *at = alphabet[mixed & 31U];
    }
    out.append(text.data(), text.size());
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
