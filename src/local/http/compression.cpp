// Reading Accept-Encoding; zlib in both directions.
// SPDX-License-Identifier: BSL-1.0
#include "local/http/compression.hpp"

#include "aws/text.hpp"

#include <zlib.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>

namespace dynalease::local {

namespace {

std::string_view trimmed(std::string_view text) {
    const auto first = text.find_first_not_of(" \t");
    if (first == std::string_view::npos) return {};
    return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

/// One that is not a number counts as 1, as the service has it.
double quality(std::string_view parameters) {
    const auto mark = parameters.find("q=");
    if (mark == std::string_view::npos) return 1;
    std::string_view text = parameters.substr(mark + 2);
    text = trimmed(text.substr(0, text.find(';')));
    double value = 1;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{} || end != text.data() + text.size()) return 1;
    return std::clamp(value, 0.0, 1.0);
}

struct coding_wish {
    std::string_view name;
    std::optional<double> quality{};
    std::size_t position = 0;
};

/// What `inflate` must be told of the header.
int window_of(std::string_view coding) {
    constexpr int window = 15;
    constexpr int with_gzip_header = 16;
    return coding == "gzip" ? window + with_gzip_header : window;
}

}  // namespace

std::string_view preferred_coding(std::string_view accept_encoding) {
    std::array<coding_wish, 2> wishes{{{"gzip"}, {"deflate"}}};
    coding_wish any{"*"};
    for (std::size_t position = 0; !accept_encoding.empty(); ++position) {
        const auto comma = accept_encoding.find(',');
        const std::string_view part = accept_encoding.substr(0, comma);
        accept_encoding.remove_prefix(comma == std::string_view::npos ? accept_encoding.size() : comma + 1);
        const auto semicolon = part.find(';');
        const std::string_view name = trimmed(part.substr(0, semicolon));
        const double value = semicolon == std::string_view::npos ? 1 : quality(part.substr(semicolon + 1));
        for (coding_wish* each : {&wishes[0], &wishes[1], &any}) {
            if (!aws::equal_ignoring_case(name, each->name) || value <= each->quality.value_or(-1)) continue;
            each->quality = value;
            each->position = position;
        }
    }
    // What is not named is what "*" says, and stands behind what is.
    for (coding_wish& each : wishes) {
        if (each.quality) continue;
        each.quality = any.quality;
        each.position = std::string_view::npos;
    }
    const auto is_better = [](const coding_wish& left, const coding_wish& right) {
        const double one = left.quality.value_or(0);
        const double other = right.quality.value_or(0);
        return one != other ? one > other : left.position < right.position;
    };
    const coding_wish& best = is_better(wishes[1], wishes[0]) ? wishes[1] : wishes[0];
    return best.quality.value_or(0) > 0 ? best.name : std::string_view{};
}

std::string compressed(std::string_view body, std::string_view coding) {
    constexpr int memory = 8;
    z_stream stream{};
    ::deflateInit2(&stream, Z_BEST_SPEED, Z_DEFLATED, window_of(coding), memory, Z_DEFAULT_STRATEGY);
    std::string out(::deflateBound(&stream, body.size()), '\0');
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(body.data()));
    stream.avail_in = static_cast<uInt>(body.size());
    stream.next_out = reinterpret_cast<Bytef*>(out.data());
    stream.avail_out = static_cast<uInt>(out.size());
    ::deflate(&stream, Z_FINISH);
    out.resize(stream.total_out);
    ::deflateEnd(&stream);
    return out;
}

unpacked_body unpacked(std::string_view body, std::string_view coding, std::size_t most) {
    unpacked_body result;
    z_stream stream{};
    ::inflateInit2(&stream, window_of(coding));
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(body.data()));
    stream.avail_in = static_cast<uInt>(body.size());
    int step = Z_OK;
    while (step == Z_OK && result.text.size() <= most) {
        constexpr std::size_t piece = 64 * 1024;
        const std::size_t before = result.text.size();
        result.text.resize(before + piece);
        stream.next_out = reinterpret_cast<Bytef*>(result.text.data() + before);
        stream.avail_out = piece;
        step = ::inflate(&stream, Z_NO_FLUSH);
        result.text.resize(before + piece - stream.avail_out);
        // Gzip may follow gzip; together they are one body.
        constexpr Bytef magic = 0x1f;
        const bool again = step == Z_STREAM_END && coding == "gzip" && stream.avail_in > 0 && *stream.next_in == magic;
        if (again) step = ::inflateReset(&stream);
    }
    ::inflateEnd(&stream);
    result.is_whole = step == Z_STREAM_END;
    result.is_too_large = result.text.size() > most;
    return result;
}

}  // namespace dynalease::local
