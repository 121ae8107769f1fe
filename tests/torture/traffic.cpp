// By the operation's name and the key in the body.
// SPDX-License-Identifier: BSL-1.0
#include "torture/traffic.hpp"

namespace torture {

request_facts facts_of(const http_request& request) {
    const auto target = request["x-amz-target"];
    if (target.find("Get") != target.npos || target.find("Query") != target.npos) return {};
    constexpr std::string_view prefix = "\"session#";
    const std::string_view body = request.body();
    const auto key = body.find(prefix);
    if (key == body.npos) {
        return {.kind = traffic::lock_write, .several = target.find("TransactWriteItems") != target.npos};
    }
    const auto id = body.substr(key + prefix.size());
    return {.kind = traffic::session_write, .session = std::string(id.substr(0, id.find('"')))};
}

}  // namespace torture
