// Compares the requests that a protocol's page shows with those that its code builds.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <dynalease/dynamodb/operations.hpp>

#include <catch2/catch.hpp>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <variant>

namespace dynalease::protocol::test {

inline std::string kind_of(const condition_check&) {
    return "ConditionCheck";
}
inline std::string kind_of(const transact_put&) {
    return "Put";
}
inline std::string kind_of(const transact_update&) {
    return "Update";
}
inline std::string kind_of(const transact_delete&) {
    return "Delete";
}
template <class Request>
std::string kind_of(const Request& request) {
    return std::string(operation_name(any_request(request)));
}

/// A request as a page shows it: its kind and what it asks for in return, then its expressions, each in a line.
template <class Request>
std::string text_of(const Request& request) {
    auto text = kind_of(request);
    const auto line = [&](std::string_view name, const std::string& content) {
        if (!content.empty()) text += "\n" + std::string(name) + " " + content;
    };
    if constexpr (requires { request.consistent_read; }) {
        text += request.consistent_read ? ", consistent" : ", eventually consistent";
    }
    if constexpr (requires { request.returned; }) {
        if (request.returned == return_values::all_new) text += ", returns ALL_NEW";
        if (request.returned == return_values::updated_old) text += ", returns UPDATED_OLD";
        if (request.returned == return_values::updated_new) text += ", returns UPDATED_NEW";
    }
    if constexpr (requires { request.current_on_refusal; }) {
        const bool conditional = !request.condition_expression.empty();
        if (conditional && !request.current_on_refusal) text += ", shows nothing when it is refused";
    }
    if constexpr (requires { request.new_item; }) {
        std::string names;
        for (const auto& [name, value] : request.new_item) names += (names.empty() ? "" : ", ") + name;
        line("item", names);
    }
    if constexpr (requires { request.key_condition_expression; }) line("key", request.key_condition_expression);
    if constexpr (requires { request.condition_expression; }) line("condition", request.condition_expression);
    if constexpr (requires { request.update_expression; }) line("update", request.update_expression);
    if constexpr (requires { request.filter_expression; }) line("filter", request.filter_expression);
    if constexpr (requires { request.projection_expression; }) line("projection", request.projection_expression);
    if constexpr (std::is_same_v<Request, transact_write_items_request>) {
        for (const auto& action : request.actions) {
            text += "\n" + std::visit([](const auto& each) { return text_of(each); }, action);
        }
    }
    return text;
}

/// By name; "take, from whoever is over" is a form of what the code calls `take`.
using request_texts = std::map<std::string, std::string>;

inline std::filesystem::path protocol_folder(const std::string& slice) {
    const auto tests = std::filesystem::path(DYNALEASE_TEST_DATA).parent_path();
    return tests.parent_path() / "src" / slice / "protocol";
}

/// The blocks of a page that begin with "```request NAME". A line that is indented goes on with the one before.
inline request_texts requests_in_page(const std::string& slice) {
    constexpr std::string_view fence = "```request ";
    std::ifstream page(protocol_folder(slice) / "README.md");
    if (!page) throw std::runtime_error("no page for " + slice);
    request_texts found;
    std::string* block = nullptr;
    for (std::string line; std::getline(page, line);) {
        if (line.starts_with(fence)) {
            const auto name = line.substr(fence.size());
            if (found.contains(name)) throw std::runtime_error("the page shows twice: " + name);
            block = &found[name];
        } else if (line.starts_with("```")) {
            block = nullptr;
        } else if (block) {
            const auto begin = line.find_first_not_of(' ');
            if (!block->empty()) *block += begin == 0 ? "\n" : " ";
            *block += line.substr(std::min(begin, line.size()));
        }
    }
    return found;
}

/// The functions that the slice's headers declare and that build a request, but the private ones.
inline std::set<std::string> builders_of(const std::string& slice) {
    std::set<std::string> found;
    for (const auto& entry : std::filesystem::directory_iterator(protocol_folder(slice))) {
        if (entry.path().extension() != ".hpp") continue;
        std::ifstream header(entry.path());
        bool is_private = false;
        for (std::string line; std::getline(header, line);) {
            if (line.starts_with("private:")) is_private = true;
            if (line.starts_with("};")) is_private = false;
            const auto type = line.find_first_not_of(' ');
            const auto name = line.find(' ', type == line.npos ? 0 : type);
            const auto open = line.find('(');
            if (is_private || name == line.npos || open == line.npos || name > open) continue;
            const auto returned = std::string_view(line).substr(type, name - type);
            const bool builds = returned.ends_with("_request") || returned == "condition_check";
            if (builds) found.insert(line.substr(name + 1, open - name - 1));
        }
    }
    return found;
}

/// @param built every request that the code of the slice can build, in each form that the page tells apart.
inline void check_page(const std::string& slice, const request_texts& built) {
    const auto shown = requests_in_page(slice);
    for (const auto& [name, text] : built) {
        INFO("request " << name);
        CHECK((shown.contains(name) ? shown.at(name) : "not in the page") == text);
    }
    for (const auto& [name, text] : shown) {
        INFO("the page shows what no code builds: " << name);
        CHECK(built.contains(name));
    }
    for (const auto& builder : builders_of(slice)) {
        INFO("nothing is shown of what is built by " << builder);
        CHECK(std::ranges::any_of(built, [&](const auto& each) {
            const auto& name = each.first;
            return name.substr(0, name.find(',')) == builder;
        }));
    }
}

}  // namespace dynalease::protocol::test
