// What the holder of a lock left in its row, in words.
// SPDX-License-Identifier: BSL-1.0
#include "lock/data_words.hpp"

#include <cstddef>
#include <string_view>
#include <utility>
#include <variant>

namespace dynalease::detail {

namespace {

constexpr std::size_t longest = 200;
constexpr unsigned char first_printable = 0x20;
constexpr unsigned char delete_character = 0x7f;

/// Whoever reads it may do so in a line of a log.
std::string in_quotes(std::string_view text) {
    constexpr std::string_view digits = "0123456789abcdef";
    std::string written = "\"";
    for (const auto each : text.substr(0, longest)) {
        const auto code = static_cast<unsigned char>(each);
        if (code < first_printable || code == delete_character) {
            written += "\\u00";
            written += digits[code / digits.size()];
            written += digits[code % digits.size()];
            continue;
        }
        if (each == '"' || each == '\\') written += '\\';
        written += each;
    }
    return written + '"';
}

class text {
public:
    void operator()(const attribute_value& value) { std::visit(*this, value.get()); }
    void operator()(const std::string& value) { written_ += in_quotes(value); }
    void operator()(const number& value) { written_ += value.text(); }
    void operator()(const binary& value) { written_ += '<' + std::to_string(value.size()) + " bytes>"; }
    void operator()(bool value) { written_ += value ? "true" : "false"; }
    void operator()(null) { written_ += "null"; }
    void operator()(const attribute_map& values) {
        list('{', '}', values, [this](const auto& each) {
            written_ += in_quotes(each.first) + ": ";
            (*this)(each.second);
        });
    }
    void operator()(const attribute_list& values) { elements(values); }
    void operator()(const string_set& values) { elements(values); }
    void operator()(const number_set& values) { elements(values); }
    void operator()(const binary_set& values) { elements(values); }

    std::string take() && {
        if (written_.size() <= longest) return std::move(written_);
        auto end = longest;
        // Not within a character of UTF-8.
        while (end > 0 && (static_cast<unsigned char>(written_[end]) & 0xc0U) == 0x80U) --end;
        return written_.substr(0, end) + "…";
    }

private:
    void elements(const auto& values) {
        list('[', ']', values, [this](const auto& each) { (*this)(each); });
    }
    void list(char opens, char closes, const auto& values, const auto& write) {
        written_ += opens;
        bool first = true;
        for (const auto& each : values) {
            if (written_.size() > longest) break;
            if (!first) written_ += ", ";
            first = false;
            write(each);
        }
        written_ += closes;
    }

    std::string written_;
};

}  // namespace

std::string words_of_data(const item& data) {
    text words;
    words(data);
    return std::move(words).take();
}

}  // namespace dynalease::detail
