// The small documents in which other services hand out keys, as plain fields: JSON of containers, instances and
// processes, XML of STS.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace dynalease::aws {

/// Texts by path: "Credentials.AccessKeyId". JSON's numbers and booleans are texts too; null is no field.
using fields = std::map<std::string, std::string, std::less<>>;

/// Empty if the text is no such document, or larger or more nested than any that holds keys.
std::optional<fields> parse_json_fields(std::string_view text);
std::optional<fields> parse_xml_fields(std::string_view text);

/// The field's text; empty if there is none.
std::string_view field(const fields& within, std::string_view path) noexcept;

}  // namespace dynalease::aws
