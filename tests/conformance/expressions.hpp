// Random expressions of every form, with their placeholders: mostly meaningful, now and then wrong in one place.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "conformance/dice.hpp"

#include <dynalease/dynamodb/operations.hpp>

#include <string>
#include <string_view>

namespace dynalease::conformance {

/// Writes the expressions of one request, which share their names and values.
class expression_writer {
public:
    expression_writer(dice& chance, const key_schema& schema, attribute_names& names, attribute_values& values)
        : chance_(chance), schema_(schema), names_(names), values_(values) {}

    std::string condition();
    std::string update();
    std::string projection();
    /// What a query asks: the whole hash key, and sometimes a beginning of the range key.
    /// @param like an item that it mostly finds, or an empty one
    std::string key_condition(const item& like);

    /// Once a request, after its last expression: sometimes a placeholder too many, or one too few.
    void finish();

private:
    std::string condition(unsigned depth);
    std::string test();
    std::string comparison();
    std::string operand_for(const std::string& attribute);
    std::string size_of(std::string path);

    std::string equality(const key_attribute& of, const item& like);
    std::string key_test(const key_attribute& of, const item& like);
    std::string key_value(const key_attribute& of, const item& like);

    std::string set_action();
    std::string set_operand(const std::string& attribute);
    std::string actions(std::string_view clause);

    std::string path_to(const std::string& attribute);
    std::string any_path() { return path_to(attribute()); }
    std::string attribute();
    std::string name(std::string_view attribute);
    std::string value(attribute_value held);
    /// The keyword in a spelling that the service takes.
    std::string keyword(std::string_view upper);
    /// Sometimes damages the text.
    std::string flawed(std::string text);

    dice& chance_;
    const key_schema& schema_;
    attribute_names& names_;
    attribute_values& values_;
};

}  // namespace dynalease::conformance
