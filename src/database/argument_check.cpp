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

}  // namespace dynalease::detail
