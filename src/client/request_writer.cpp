// Room client: HTTP requests of DynamoDB's one shape.
// SPDX-License-Identifier: BSL-1.0
#include "client/request_writer.hpp"

#include <array>
#include <charconv>
#include <utility>

namespace dynalease::detail {

namespace {

constexpr std::string_view content_type = "application/x-amz-json-1.0";
constexpr std::string_view target_prefix = "DynamoDB_20120810.";

template <class... Parts>
void append(std::string& into, const Parts&... parts) {
    (into.append(parts), ...);
}

}  // namespace

request_writer::request_writer(const aws::endpoint& endpoint, std::string user_agent)
    : host_(endpoint.host_header), user_agent_(std::move(user_agent)), signer_(endpoint.signing_region) {}

void request_writer::write(std::string& into, std::string_view operation, std::string_view body, const credentials& who,
                           aws::wall_time now) {
    target_.assign(target_prefix).append(operation);
    const auto signed_as = signer_.sign(who, now, {host_, content_type, target_, body});

    std::array<char, 20> digits;
    const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), body.size()).ptr;
    const std::string_view length(digits.data(), static_cast<std::size_t>(end - digits.data()));

    into.clear();
    append(into, "POST / HTTP/1.1\r\nHost: ", host_, "\r\nUser-Agent: ", user_agent_,
           "\r\nContent-Type: ", content_type, "\r\nX-Amz-Target: ", target_, "\r\nX-Amz-Date: ", signed_as.amz_date);
    if (!who.session_token.empty()) append(into, "\r\nX-Amz-Security-Token: ", who.session_token);
    append(into, "\r\nAuthorization: ", signed_as.authorization, "\r\nContent-Length: ", length, "\r\n\r\n", body);
}

}  // namespace dynalease::detail
