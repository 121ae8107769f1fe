// Parsing of small documents, by Boost.PropertyTree.
// SPDX-License-Identifier: BSL-1.0
#include "aws/fields.hpp"

#include <boost/property_tree/json_parser.hpp>
#include <boost/property_tree/ptree.hpp>
#include <boost/property_tree/xml_parser.hpp>

#include <algorithm>
#include <cstddef>
#include <sstream>

namespace dynalease::aws {

namespace {

using boost::property_tree::ptree;

constexpr std::size_t longest_document = 128 * 1024;
// The parsers recurse, so that depth is bounded beforehand: nothing can be nested deeper than there are openings.
constexpr std::ptrdiff_t most_openings = 256;
// A path is kept with each field below it, so that one long name could become gigabytes; none that is asked for is longer.
constexpr std::size_t longest_path = 256;

bool is_small(std::string_view text, std::string_view openings) {
    const auto opens = [&](char c) { return openings.find(c) != std::string_view::npos; };
    return text.size() <= longest_document && std::count_if(text.begin(), text.end(), opens) <= most_openings;
}

void collect(const ptree& from, const std::string& path, fields& into) {
    // PropertyTree does not keep apart null and "null"; no key, token or date is spelled so.
    if (from.empty() && from.data() != "null") into.emplace(path, from.data());
    for (const auto& [name, child] : from) {
        if (path.size() + 1 + name.size() <= longest_path) collect(child, path.empty() ? name : path + '.' + name, into);
    }
}

template <class Parse>
std::optional<fields> parsed(std::string_view text, Parse parse) {
    std::istringstream in{std::string(text)};
    ptree document;
    try {
        parse(in, document);
    } catch (const boost::property_tree::file_parser_error&) {
        return std::nullopt;
    }
    fields out;
    collect(document, {}, out);
    return out;
}

}  // namespace

std::optional<fields> parse_json_fields(std::string_view text) {
    if (!is_small(text, "{[")) return std::nullopt;
    return parsed(text, [](std::istream& in, ptree& out) { boost::property_tree::read_json(in, out); });
}

std::optional<fields> parse_xml_fields(std::string_view text) {
    if (!is_small(text, "<")) return std::nullopt;
    return parsed(text, [](std::istream& in, ptree& out) {
        boost::property_tree::read_xml(in, out, boost::property_tree::xml_parser::trim_whitespace);
    });
}

std::string_view field(const fields& within, std::string_view path) noexcept {
    const auto found = within.find(path);
    return found == within.end() ? std::string_view{} : std::string_view{found->second};
}

}  // namespace dynalease::aws
