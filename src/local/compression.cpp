// Reading Accept-Encoding, and zlib.
#include "local/compression.hpp"

#include <zlib.h>

#include <algorithm>
#include <charconv>

namespace dynalease::local {

namespace {

std::string_view trimmed(std::string_view text) {
    const auto first = text.find_first_not_of(" \t");
    if (first == std::string_view::npos) return {};
    return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

double quality(std::string_view parameters) {
    const auto mark = parameters.find("q=");
    if (mark == std::string_view::npos) return 1;
    const std::string_view text = trimmed(parameters.substr(mark + 2));
    double value = 0;
    std::from_chars(text.data(), text.data() + text.size(), value);
    return value;
}

}  // namespace

std::string_view preferred_coding(std::string_view accept_encoding) {
    double best = 0;
    std::string_view chosen;
    while (!accept_encoding.empty()) {
        const auto comma = accept_encoding.find(',');
        const std::string_view part = accept_encoding.substr(0, comma);
        accept_encoding.remove_prefix(comma == std::string_view::npos ? accept_encoding.size() : comma + 1);
        const auto semicolon = part.find(';');
        const std::string_view name = trimmed(part.substr(0, semicolon));
        const double value = semicolon == std::string_view::npos ? 1 : quality(part.substr(semicolon + 1));
        if (value <= best) continue;
        if (name == "gzip") chosen = "gzip";
        if (name == "deflate") chosen = "deflate";
        if (name == "identity") chosen = {};
        if (name == "gzip" || name == "deflate" || name == "identity") best = value;
    }
    return chosen;
}

std::string compressed(std::string_view body, std::string_view coding) {
    constexpr int window = 15;
    constexpr int with_gzip_header = 16;
    constexpr int memory = 8;
    z_stream stream{};
    ::deflateInit2(&stream, Z_BEST_SPEED, Z_DEFLATED, coding == "gzip" ? window + with_gzip_header : window, memory,
                   Z_DEFAULT_STRATEGY);
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

}  // namespace dynalease::local
