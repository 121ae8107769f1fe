// Revisions: the state of an item as text.
// SPDX-License-Identifier: BSL-1.0
#include "dynamodb/base64.hpp"

#include <dynalease/item/item_version.hpp>

#include <algorithm>
#include <charconv>

namespace dynalease {

std::string item_version::revision() const {
    std::string text = version ? std::to_string(*version) : "";
    text += '-';
    if (born) text += encode_base64(binary(born->begin(), born->end()));
    return text;
}

item_revision::item_revision(std::string_view text) {
    const auto dash = text.rfind('-');  // the version may be negative, and base64 has no dash
    const auto number = text.substr(0, dash == text.npos ? 0 : dash);
    std::int64_t version = 0;
    const auto [stop, fault] = std::from_chars(number.data(), number.data() + number.size(), version);
    const bool has_number = fault == std::errc{} && stop == number.data() + number.size();
    const auto born = dash == text.npos ? std::nullopt : decode_base64(text.substr(dash + 1));
    if (!born || (!number.empty() && !has_number) || (!born->empty() && born->size() != item_stamp{}.size())) {
        diagnostics details;
        details.message = "\"" + std::string(text) + "\" is no revision of an item; pass on what revision() gave";
        throw error(make_error_code(errc::invalid_name), std::move(details));
    }
    if (has_number) state_.version = version;
    if (!born->empty()) std::ranges::copy(*born, state_.born.emplace().begin());
}

}  // namespace dynalease
