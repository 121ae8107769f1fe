// Room client: from what is configured to what is connected to.
// SPDX-License-Identifier: BSL-1.0
#include "client/proxy.hpp"

#include "aws/proxy.hpp"

#include <utility>

namespace dynalease::detail {

result<std::optional<http::proxy>> proxy_to(const aws::endpoint& service, const std::string& chosen,
                                            const aws::config_source& source) {
    auto found = aws::resolve_proxy(service, chosen, source);
    if (!found) return std::move(found).error();
    std::optional<http::proxy> way;
    if (*found) way = http::proxy{{false, (*found)->host, (*found)->port}, std::move((*found)->authorization)};
    return way;
}

}  // namespace dynalease::detail
