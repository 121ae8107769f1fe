// A DynamoDB attribute value: what one attribute of an item holds.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#pragma GCC visibility push(default)
namespace dynalease {

namespace detail {
/// Of a number: no truth value, and no character, which would be taken for its code.
template <class T>
concept whole_number =
    std::integral<T> && !std::same_as<T, bool> && !std::same_as<T, char> && !std::same_as<T, wchar_t> &&
    !std::same_as<T, char8_t> && !std::same_as<T, char16_t> && !std::same_as<T, char32_t>;

/// Whether the service takes it as a string: UTF-8 in its shortest form, and no halves of surrogate pairs.
bool is_utf8(std::string_view text) noexcept;
}  // namespace detail

/// A number as DynamoDB keeps it: decimal text, up to 38 significant digits, never rounded by us.
class number {
public:
    number() : text_("0") {}
    template <detail::whole_number Integer>
    number(Integer value) : text_(std::to_string(value)) {}
    /// Of the decimal numbers that read back as this value the shortest: 0.1 is "0.1".
    /// @throws dynalease::error with `errc::validation` if DynamoDB takes no such number, as none without end.
    template <std::floating_point Real>
        requires(!std::same_as<Real, long double>)
    number(Real value) : number(std::string_view(shortest_text(value))) {}
    /// @param text decimal text such as "-12.50" or "1E+3"; kept as given.
    /// @throws dynalease::error with `errc::validation` if it is no number that DynamoDB takes.
    explicit number(std::string_view text);

    /// The same without a throw; empty if the text is no number.
    static std::optional<number> parse(std::string_view text);

    const std::string& text() const noexcept { return text_; }
    /// The one text of the value: no exponent and no needless zero, so that equal numbers have equal texts.
    std::string canonical_text() const;

    /// The value as a 64-bit integer; empty if it has a fraction or does not fit.
    std::optional<std::int64_t> to_integer() const noexcept;
    double to_double() const noexcept;

    /// Equal as numbers: 1, 1.0 and 1E0 are equal.
    friend bool operator==(const number& left, const number& right) noexcept;
    friend std::strong_ordering operator<=>(const number& left, const number& right) noexcept;

private:
    static std::string shortest_text(double value);
    static std::string shortest_text(float value);

    std::string text_;
};
// A declaration as a friend alone is not exported.
bool operator==(const number& left, const number& right) noexcept;
std::strong_ordering operator<=>(const number& left, const number& right) noexcept;

using binary = std::vector<std::byte>;
struct null {
    friend bool operator==(null, null) = default;
};

class attribute_value;
using attribute_list = std::vector<attribute_value>;
using attribute_map = std::map<std::string, attribute_value, std::less<>>;
using string_set = std::set<std::string, std::less<>>;
using number_set = std::set<number>;
using binary_set = std::set<binary>;

class attribute_value {
public:
    using variant = std::variant<std::string, number, binary, bool, null, attribute_list, attribute_map, string_set,
                                 number_set, binary_set>;

    attribute_value() : value_(null{}) {}
    attribute_value(std::string value) : value_(std::move(value)) {}
    attribute_value(std::string_view value) : value_(std::string(value)) {}
    attribute_value(const char* value) : value_(std::string(value)) {}
    attribute_value(std::nullptr_t) = delete;  ///< a NULL is `null{}`
    attribute_value(number value) : value_(std::move(value)) {}
    template <detail::whole_number Integer>
    attribute_value(Integer value) : value_(number(value)) {}
    /// As `number`.
    template <std::floating_point Real>
        requires(!std::same_as<Real, long double>)
    attribute_value(Real value) : value_(number(value)) {}
    template <std::same_as<bool> Bool>
    attribute_value(Bool value) : value_(value) {}
    attribute_value(binary value) : value_(std::move(value)) {}
    attribute_value(null value) : value_(value) {}
    attribute_value(attribute_list value) : value_(std::move(value)) {}
    attribute_value(attribute_map value) : value_(std::move(value)) {}
    attribute_value(string_set value) : value_(std::move(value)) {}
    attribute_value(number_set value) : value_(std::move(value)) {}
    attribute_value(binary_set value) : value_(std::move(value)) {}

    const variant& get() const noexcept { return value_; }
    variant& get() noexcept { return value_; }

    template <class T>
    bool is() const noexcept {
        return std::holds_alternative<T>(value_);
    }
    /// The value as one of the ten types; null pointer if it holds another.
    template <class T>
    const T* get_if() const noexcept {
        return std::get_if<T>(&value_);
    }
    template <class T>
    T* get_if() noexcept {
        return std::get_if<T>(&value_);
    }

    /// The wire name of the type: "S", "N", "B", "BOOL", "NULL", "L", "M", "SS", "NS", "BS".
    std::string_view type_name() const noexcept;

    friend bool operator==(const attribute_value& left, const attribute_value& right) noexcept = default;

private:
    variant value_;
};

}  // namespace dynalease
#pragma GCC visibility pop
