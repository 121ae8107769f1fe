// Who is told of grants: the hook of a session, and those of a handle of it.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <dynalease/grant_report.hpp>

#include <memory>
#include <utility>

namespace dynalease::detail {

struct grant_hooks {
    grant_hook hook;
    std::shared_ptr<const grant_hooks> others;  ///< that were there before it; null: none
};

/// @returns those, and that one. An empty hook is none.
inline std::shared_ptr<const grant_hooks> with_hook(grant_hook hook, std::shared_ptr<const grant_hooks> others) {
    if (!hook) return others;
    return std::make_shared<const grant_hooks>(grant_hooks{std::move(hook), std::move(others)});
}

}  // namespace dynalease::detail
