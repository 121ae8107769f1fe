// Points in wall time as AWS and HTTP write them. No locale, no stream.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <array>
#include <chrono>
#include <optional>
#include <string_view>

#pragma GCC visibility push(default)
namespace dynalease::aws {

/// The same type as `clock::wall_time`.
using wall_time = std::chrono::sys_time<std::chrono::milliseconds>;

/// `20260301T000005Z`: how a signature names its second. Fractions are cut off.
class amz_timestamp {
public:
    explicit amz_timestamp(wall_time when) noexcept;

    std::string_view text() const noexcept { return {text_.data(), text_.size()}; }
    /// The UTC day, `20260301`, that the signing key and the credential scope are made for.
    std::string_view date() const noexcept { return {text_.data(), 8}; }

private:
    std::array<char, 16> text_;
};

/// `20260301T000005Z`; empty for anything else.
std::optional<wall_time> parse_amz_timestamp(std::string_view text) noexcept;

/// The `Date` header of HTTP: `Sun, 01 Mar 2026 00:00:05 GMT`. The day of the week is not compared with the date.
std::optional<wall_time> parse_http_date(std::string_view text) noexcept;

/// `2026-03-01T00:00:05Z`, with any number of fraction digits (milliseconds are kept) and `Z` or `+hh:mm`.
std::optional<wall_time> parse_iso8601(std::string_view text) noexcept;

}  // namespace dynalease::aws
#pragma GCC visibility pop
