// Refusing an argument before anything is sent.
// SPDX-License-Identifier: BSL-1.0
#include "database/argument_check.hpp"

#include <utility>

namespace dynalease::detail {

void argument_check::operator()(bool holds, errc code, std::string message) const {
    if (holds) return;
    diagnostics details;
    details.operation = what_;
    details.message = std::move(message);
    throw error(code, std::move(details));
}

void argument_check::utf8(std::string_view text, errc code, const std::string& whole) const {
    (*this)(is_utf8(text), code, whole + " is no UTF-8, and DynamoDB takes no other strings; encode it");
}

void argument_check::attribute_name(const std::string& option, const std::string& name,
                                    std::set<std::string>& taken) const {
    (*this)(!name.empty() && name.size() <= 255, errc::invalid_name,
            option + " must name an attribute of 1 to 255 bytes");
    utf8(name, errc::invalid_name, option);
    (*this)(taken.insert(name).second, errc::invalid_name, option + ": the name \"" + name + "\" is used twice");
}

}  // namespace dynalease::detail
