// The service's model of its requests as data: types, limits and enumerations of every member. The embedded server
// checks a body against it before anything is read, in the service's order and words.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "dynamodb/json_memory.hpp"
#include "local/codec/wording.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace dynalease::codec {

enum class shape_kind { text, boolean, integer, long_integer, structure, list, map, value };

enum class presence {
    optional,
    not_null,  ///< missed among the other faults: "Value null at …"
    required,  ///< missed before all other faults: "The parameter … is required"; so is a name's length
    created,   ///< the same, but that a name is too short is told among the others
};

struct shape;

struct shape_member {
    std::string_view name;
    const shape* type;
    dynalease::codec::presence presence = presence::optional;
};

struct shape {
    shape_kind kind;
    std::string_view type_name{};             ///< the service's own for a structure
    std::span<const shape_member> members{};  ///< of a structure
    const shape* element = nullptr;           ///< of a list or map
    std::optional<std::int64_t> least{};      ///< of the value or the length
    std::optional<std::int64_t> most{};
    std::span<const std::string_view> words{};  ///< all values of a text
    bool is_name = false;                       ///< of letters, digits, '_', '.' and '-'; or an ARN of any length
    bool has_table_keys = false;                ///< a map by table name
    bool newer = false;                         ///< limits told in words of their own since there are newer ones
    bool table_first = false;                   ///< a fault of the table's name is told alone since then
    std::optional<std::int64_t> most_each{};    ///< of the lengths of a map's lists, which are at least 1
};

/// The request of an operation; a null pointer if there is no such operation.
const shape* shape_of_request(std::string_view operation) noexcept;

/// More than any structure has.
inline constexpr std::size_t most_members = 24;

/// What an object has of each member of the model; a null pointer where it has nothing, or JSON's null.
std::array<const json_value*, most_members> members_of(const json_value& object, const shape& model);

/// @throws malformed with `errc::bad_response` for a value of another type than the model's.
void check_types(const json_value& body, const shape& model);

/// Needs a body that `check_types` passed.
/// @throws malformed with `errc::validation` for what is missing or beyond its limits: up to ten faults at once.
void check_limits(const json_value& body, const shape& model, wording words);

}  // namespace dynalease::codec
