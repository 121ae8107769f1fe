// Canonical requests: paths, queries and headers in the one form both ends hash.
// SPDX-License-Identifier: BSL-1.0
#include "aws/canonical.hpp"

#include "aws/text.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace dynalease::aws {

namespace {

std::vector<std::string_view> split(std::string_view text, char separator) {
    std::vector<std::string_view> parts;
    for (;;) {
        const auto end = text.find(separator);
        parts.push_back(text.substr(0, end));
        if (end == std::string_view::npos) return parts;
        text.remove_prefix(end + 1);
    }
}

void append_encoded(std::string& out, std::string_view text, std::string_view also_plain = {}) {
    constexpr std::string_view digits = "0123456789ABCDEF";
    constexpr std::string_view unreserved = "-._~";
    for (const char c : text) {
        if (is_alphanumeric(c) || unreserved.find(c) != std::string_view::npos ||
            also_plain.find(c) != std::string_view::npos) {
            out += c;
        } else {
            const auto byte = static_cast<unsigned char>(c);
            out += '%';
            out += digits[byte >> 4];
            out += digits[byte & 15];
        }
    }
}

int hex_value(char c) noexcept {
    if (is_digit(c)) return c - '0';
    const char small = lower(c);
    return small >= 'a' && small <= 'f' ? small - 'a' + 10 : -1;
}

// Percent signs that start no escape stay as they are.
std::string decoded(std::string_view text) {
    std::string out;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] == '%' && i + 2 < text.size() && hex_value(text[i + 1]) >= 0 && hex_value(text[i + 2]) >= 0) {
            out += static_cast<char>(hex_value(text[i + 1]) * 16 + hex_value(text[i + 2]));
            i += 2;
        } else {
            out += text[i];
        }
    }
    return out;
}

std::string normalized(std::string_view path) {
    if (path == "/") return "/";
    std::vector<std::string_view> kept;
    const auto segments = split(path, '/');
    for (const std::string_view segment : segments) {
        if (segment == "..") {
            if (!kept.empty()) kept.pop_back();
        } else if (!segment.empty() && segment != ".") {
            kept.push_back(segment);
        }
    }
    std::string out;
    for (const std::string_view segment : kept) {
        out += '/';
        out += segment;
    }
    const std::string_view last = segments.back();
    if (kept.empty() || last.empty() || last == "." || last == "..") out += '/';
    return out;
}

// Sorted by encoded name, then by encoded value; not by the joined text, where `=` would sort among the characters.
std::string canonical_query(std::string_view query) {
    if (query.empty()) return {};
    std::vector<std::pair<std::string, std::string>> pairs;
    for (const std::string_view part : split(query, '&')) {
        const auto equals = part.find('=');
        auto& [name, value] = pairs.emplace_back();
        append_encoded(name, decoded(part.substr(0, equals)));
        if (equals != std::string_view::npos) append_encoded(value, decoded(part.substr(equals + 1)));
    }
    std::sort(pairs.begin(), pairs.end());
    std::string out;
    for (const auto& [name, value] : pairs) {
        if (!out.empty()) out += '&';
        out += name;
        out += '=';
        out += value;
    }
    return out;
}

// Ends trimmed, each run of blanks (folded lines too) made one blank.
void append_value(std::string& out, std::string_view value) {
    value = trim(value);
    while (!value.empty()) {
        const auto word = std::ranges::find_if(value, is_blank);
        out.append(value.begin(), word);
        const auto next = std::find_if_not(word, value.end(), is_blank);
        if (next != value.end()) out += ' ';
        value = {next, value.end()};
    }
}

// By name; equal names stay in order of appearance.
void sort(std::vector<header_view>& headers) {
    const auto before = [](std::string_view a, std::string_view b) {
        const auto lowered = [](char c) { return lower(c); };
        return std::ranges::lexicographical_compare(a, b, {}, lowered, lowered);
    };
    // Those of a request that is being verified are in order already.
    if (std::ranges::is_sorted(headers, before, &header_view::name)) return;
    for (auto next = headers.begin(); next != headers.end(); ++next) {
        const auto place = std::ranges::upper_bound(headers.begin(), next, next->name, before, &header_view::name);
        std::rotate(place, next, next + 1);
    }
}

}  // namespace

canonical_form canonicalize(const request_view& request, std::vector<header_view> headers, bool normalize_path,
                            std::string_view body_hash) {
    canonical_form form;
    constexpr std::size_t enough_for_most = 512;
    form.text.reserve(enough_for_most);
    form.signed_headers.reserve(enough_for_most / 8);
    form.text += request.method;
    form.text += '\n';
    append_encoded(form.text, normalize_path ? normalized(request.path) : std::string{request.path}, "/");
    form.text += '\n';
    form.text += canonical_query(request.query);
    form.text += '\n';
    sort(headers);
    for (auto field = headers.begin(); field != headers.end();) {
        const std::string_view name = field->name;
        if (!form.signed_headers.empty()) form.signed_headers += ';';
        const std::size_t start = form.signed_headers.size();
        append_lower(form.signed_headers, name);
        form.text.append(form.signed_headers, start);
        for (char separator = ':'; field != headers.end() && equal_ignoring_case(field->name, name); ++field) {
            form.text += std::exchange(separator, ',');
            append_value(form.text, field->value);
        }
        form.text += '\n';
    }
    form.text += '\n';
    form.text += form.signed_headers;
    form.text += '\n';
    form.text += body_hash;
    return form;
}

std::string percent_encoded(std::string_view text) {
    std::string out;
    append_encoded(out, text);
    return out;
}

bool is_signable(std::string_view name) {
    constexpr std::array<std::string_view, 10> changed_on_the_way{
        "authorization", "connection",        "expect",  "keep-alive", "te",
        "trailer",       "transfer-encoding", "upgrade", "user-agent", "x-amzn-trace-id"};
    const std::string key = lower(name);
    return !key.starts_with("sec-websocket-") && !key.starts_with("proxy-") &&
           std::find(changed_on_the_way.begin(), changed_on_the_way.end(), key) == changed_on_the_way.end();
}

std::string credential_scope(const signing_scope& scope) {
    std::string out{scope.date};
    out.append("/").append(scope.region).append("/").append(scope.service).append("/aws4_request");
    return out;
}

std::string string_to_sign(sha256& hash, std::string_view timestamp, std::string_view scope,
                           std::string_view canonical_request) {
    std::string out;
    constexpr std::size_t enough_for_most = 192;
    out.reserve(enough_for_most);
    out.append(signing_algorithm).append("\n").append(timestamp).append("\n").append(scope).append("\n");
    append_hex(out, hash.of(canonical_request));
    return out;
}

}  // namespace dynalease::aws
