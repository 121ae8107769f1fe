// Random update expressions.
// SPDX-License-Identifier: BSL-1.0
#include "conformance/expressions.hpp"
#include "conformance/values.hpp"

#include <array>
#include <utility>
#include <vector>

namespace dynalease::conformance {

std::string expression_writer::set_operand(const std::string& attribute) {
    const auto kind = chance_.below(100);
    if (kind < 55) return value(random_value_for(chance_, attribute));
    if (kind < 75) return chance_.percent(70) ? path_to(attribute) : any_path();
    if (kind < 90) {
        std::string path = path_to(attribute);
        return "if_not_exists(" + std::move(path) + ", " + value(random_value_for(chance_, attribute)) + ")";
    }
    std::string first = chance_.percent(60) ? path_to("l1") : value(random_list(chance_));
    return "list_append(" + std::move(first) + ", " + value(random_list(chance_)) + ")";
}

std::string expression_writer::set_action() {
    const auto subject = attribute();
    std::string out = path_to(subject) + (chance_.percent(20) ? "=" : " = ");
    out += set_operand(subject);
    if (chance_.percent(subject.front() == 'n' ? 45 : 3)) {
        out += chance_.percent(50) ? " + " : " - ";
        out += set_operand(subject);
    }
    return out;
}

std::string expression_writer::actions(std::string_view clause) {
    std::string out = keyword(clause);
    for (auto count = 1 + chance_.below(2) * chance_.below(3); count > 0; --count) {
        out += ' ';
        if (clause == "SET") {
            out += set_action();
        } else if (clause == "REMOVE") {
            out += any_path();
        } else {
            static constexpr std::array<std::string_view, 6> fitting{"ss1", "ns1", "bs1", "n1", "n2", "any"};
            const std::string subject(chance_.percent(90) ? std::string(chance_.pick(fitting)) : attribute());
            const bool set = subject.front() == 'a' || subject == "bs1" || (clause == "DELETE" && chance_.percent(70));
            std::string path = path_to(subject);
            out += std::move(path) + " " + value(set ? random_set(chance_) : random_value_for(chance_, subject));
        }
        if (count > 1) out += ',';
    }
    return out;
}

std::string expression_writer::update() {
    std::vector<std::string_view> clauses{"SET", "REMOVE", "ADD", "DELETE"};
    std::string out;
    for (auto count = 1 + chance_.below(2) * chance_.below(3); count > 0; --count) {
        const auto chosen = chance_.percent(45) ? 0 : chance_.below(clauses.size());
        if (!out.empty()) out += ' ';
        out += actions(clauses[chosen]);
        // The service takes each clause once.
        if (!chance_.percent(3)) clauses.erase(clauses.begin() + static_cast<std::ptrdiff_t>(chosen));
    }
    return flawed(std::move(out));
}

}  // namespace dynalease::conformance
