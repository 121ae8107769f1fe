// Conditions, projections and key conditions, and what all expressions have in common.
// SPDX-License-Identifier: BSL-1.0
#include "conformance/expressions.hpp"

#include "conformance/tables.hpp"
#include "conformance/values.hpp"

#include "dynamodb/key_parts.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <utility>
#include <vector>

namespace dynalease::conformance {

namespace {

constexpr std::array<std::string_view, 6> comparators{" = ", " <> ", " < ", "<=", " > ", ">="};

std::string list(std::string first, const std::string& second) {
    return std::move(first) + ", " + second;
}

}  // namespace

std::string expression_writer::name(std::string_view attribute) {
    const bool plain = attribute.find('.') == std::string_view::npos && attribute != "name" && attribute != "size" &&
                       attribute != "any";
    if (chance_.percent(plain ? 60 : 2)) return std::string(attribute);
    for (const auto& [placeholder, known] : names_) {
        if (known == attribute) return placeholder;
    }
    auto placeholder = "#n" + std::to_string(names_.size());
    names_.emplace(placeholder, attribute);
    return placeholder;
}

std::string expression_writer::value(attribute_value held) {
    if (!values_.empty() && chance_.percent(5)) {
        return std::next(values_.begin(), static_cast<std::ptrdiff_t>(chance_.below(values_.size())))->first;
    }
    auto placeholder = ":v" + std::to_string(values_.size());
    values_.emplace(placeholder, std::move(held));
    return placeholder;
}

std::string expression_writer::attribute() {
    if (!chance_.percent(8)) return random_attribute(chance_);
    return schema_.range && chance_.percent(50) ? schema_.range->name : schema_.hash.name;
}

std::string expression_writer::path_to(const std::string& attribute) {
    std::string out = name(attribute);
    const unsigned deeper = attribute == "l1" || attribute == "m1" || attribute == "any" ? 50 : 3;
    if (!chance_.percent(deeper)) return out;
    for (auto steps = 1 + chance_.below(2); steps > 0; --steps) {
        const bool element = attribute == "l1" ? chance_.percent(80) : chance_.percent(25);
        static constexpr std::array<std::string_view, 5> members{"x", "y", "n1", "size", "a.b"};
        out += element ? "[" + std::to_string(chance_.below(5)) + "]" : "." + name(chance_.pick(members));
    }
    return out;
}

std::string expression_writer::keyword(std::string_view upper) {
    std::string out(upper);
    if (chance_.percent(15)) std::ranges::transform(out, out.begin(), [](char c) { return static_cast<char>(c | 32); });
    return out;
}

std::string expression_writer::size_of(std::string path) {
    return "size" + std::string(chance_.percent(10) ? " (" : "(") + std::move(path) + ")";
}

std::string expression_writer::operand_for(const std::string& attribute) {
    const auto kind = chance_.below(100);
    if (kind < 75) return value(random_value_for(chance_, attribute));
    if (kind < 90) return any_path();
    return size_of(chance_.percent(92) ? any_path() : value(random_value(chance_)));
}

std::string expression_writer::comparison() {
    const auto subject = attribute();
    if (chance_.percent(15)) {
        std::string left = size_of(path_to(subject));
        return std::move(left) + std::string(chance_.pick(comparators)) + value(random_number(chance_));
    }
    std::string left = path_to(subject);
    std::string right = operand_for(subject);
    if (chance_.percent(12)) std::swap(left, right);
    return std::move(left) + std::string(chance_.pick(comparators)) + right;
}

std::string expression_writer::test() {
    const auto subject = attribute();
    switch (chance_.below(10)) {
        case 0:
            return "attribute_exists(" + path_to(subject) + ")";
        case 1:
            return "attribute_not_exists (" + path_to(subject) + ")";
        case 2: {
            static constexpr std::array<std::string_view, 12> types{"S", "N",  "B",  "BOOL", "NULL", "L",
                                                                    "M", "SS", "NS", "BS",   "X",    "n"};
            std::string left = path_to(subject);
            return "attribute_type(" + list(std::move(left), value(std::string(chance_.pick(types)))) + ")";
        }
        case 3: {
            std::string left = path_to(subject);
            const bool text = chance_.percent(85);
            return "begins_with(" + list(std::move(left), text ? value(random_text(chance_)) : operand_for(subject)) +
                   ")";
        }
        case 4: {
            std::string left = path_to(subject);
            return "contains(" +
                   list(std::move(left), chance_.percent(70) ? value(random_value(chance_, 2)) : operand_for(subject)) +
                   ")";
        }
        case 5: {
            std::string out = path_to(subject) + " " + keyword("BETWEEN") + " ";
            out += operand_for(subject);
            return out + " " + keyword("AND") + " " + operand_for(subject);
        }
        case 6: {
            std::string out = path_to(subject) + " " + keyword("IN") + " (" + operand_for(subject);
            for (auto more = chance_.below(3); more > 0; --more) out += ", " + operand_for(subject);
            return out + ")";
        }
        default:
            return comparison();
    }
}

std::string expression_writer::condition(unsigned depth) {
    const auto kind = depth == 0 ? 100 : chance_.below(100);
    if (kind < 18) {
        std::string left = condition(depth - 1);
        return std::move(left) + " " + keyword("AND") + " " + condition(depth - 1);
    }
    if (kind < 30) {
        std::string left = condition(depth - 1);
        return std::move(left) + " " + keyword("OR") + " " + condition(depth - 1);
    }
    if (kind < 38) return keyword("NOT") + " " + condition(depth - 1);
    if (kind < 48) return "(" + condition(depth - 1) + ")";
    return test();
}

std::string expression_writer::condition() {
    return flawed(condition(3));
}

std::string expression_writer::projection() {
    std::string out = any_path();
    for (auto more = chance_.below(4); more > 0; --more) out = list(std::move(out), any_path());
    return flawed(std::move(out));
}

std::string expression_writer::key_value(const key_attribute& of, const item& like) {
    return value(chance_.percent(97) ? random_key_value(chance_, of, like) : random_value(chance_));
}

std::string expression_writer::equality(const key_attribute& of, const item& like) {
    std::string out = name(of.name);
    out += chance_.percent(97) ? " = " : " < ";
    return out + key_value(of, like);
}

std::string expression_writer::key_test(const key_attribute& of, const item& like) {
    std::string out = name(of.name);
    switch (chance_.below(4)) {
        case 0:
            return "begins_with(" + list(std::move(out), key_value(of, like)) + ")";
        case 1:
            out += " " + keyword("BETWEEN") + " ";
            out += key_value(of, like);
            return out + " AND " + key_value(of, like);
        default: {
            std::string sign(chance_.pick(comparators));
            if (sign == " <> " && chance_.percent(80)) sign = " = ";
            return out + sign + key_value(of, like);
        }
    }
}

std::string expression_writer::key_condition(const item& like) {
    std::vector<std::string> tests;
    each_hash(schema_, [&](const key_attribute& each) {
        if (chance_.percent(98)) tests.push_back(equality(each, like));
    });
    std::vector<key_attribute> range;
    each_range(schema_, [&](const key_attribute& each) { range.push_back(each); });
    if (range.empty() || chance_.percent(2)) range.push_back({"n1", scalar_type::n});
    const std::size_t tested = chance_.percent(schema_.range ? 65 : 3) ? 1 + chance_.below(range.size()) : 0;
    for (std::size_t i = 0; i < tested; ++i) {
        const bool last = i + 1 == tested;
        if (!last && chance_.percent(3)) continue;
        tests.push_back(last || chance_.percent(3) ? key_test(range[i], like) : equality(range[i], like));
    }
    if (tests.size() > 1 && chance_.percent(15)) std::swap(tests.front(), tests[1 + chance_.below(tests.size() - 1)]);
    std::string out;
    for (auto& each : tests) {
        if (chance_.percent(3)) each = "(" + each + ")";
        out += (out.empty() ? "" : " " + keyword("AND") + " ") + each;
    }
    return flawed(std::move(out));
}

std::string expression_writer::flawed(std::string text) {
    if (!chance_.percent(4)) return text;
    static constexpr std::array<std::string_view, 22> pieces{
        "(",   ")",   ",",     ".",     "[",   "]",   " = ", " AND ", " OR ", "NOT",       " IN ",
        "#zz", ":zz", "size(", " SET ", "[1]", " + ", "n1",  "-",     "\"",   " BETWEEN ", "$"};
    const auto at = chance_.below(text.size() + 1);
    switch (chance_.below(3)) {
        case 0:
            if (at < text.size()) text.erase(at, 1);
            break;
        case 1:
            text.insert(at, chance_.pick(pieces));
            break;
        default:
            text = text.substr(0, at);
    }
    return text;
}

void expression_writer::finish() {
    if (!chance_.percent(3)) return;
    switch (chance_.below(4)) {
        case 0:
            names_.emplace("#unused", "n1");
            break;
        case 1:
            values_.emplace(":unused", 1);
            break;
        case 2:
            if (!names_.empty()) names_.erase(names_.begin());
            break;
        default:
            if (!values_.empty()) values_.erase(values_.begin());
    }
}

}  // namespace dynalease::conformance
