// Requests as the embedded server reads them: head, signature, operation. A head is understood the same however much
// of what follows it has come.
// SPDX-License-Identifier: BSL-1.0
#include "fuzz/target.hpp"

#include "aws/text.hpp"
#include "local/http/request_head.hpp"
#include "local/http/request_service.hpp"

#include <algorithm>
#include <chrono>
#include <memory>
#include <string>

namespace {

using namespace dynalease;
using status = local::request_head::status;

const local::engine::time now{std::chrono::seconds(1'800'000'000)};

/// A body that is not packed as its headers say is answered with 500, as by the service.
bool may_be_badly_packed(const aws::request_view& request) {
    return std::ranges::any_of(
        request.headers, [](const auto& each) { return aws::equal_ignoring_case(each.name, "content-encoding"); });
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    static local::request_service checking(std::make_shared<local::engine>(), credentials{"local", "local"});
    static local::request_service trusting(std::make_shared<local::engine>(), std::nullopt);
    const fuzz::input in(data, size);
    const std::string bytes(in.rest());
    aws::request_view request;
    const auto head = local::parse_head(bytes, request);
    if (head.what != status::complete) return 0;
    fuzz::require(head.size <= bytes.size(), "a head lies within what came");
    aws::request_view again;
    const auto alone = bytes.substr(0, head.size);
    fuzz::require(local::parse_head(alone, again).what == status::complete, "a head needs nothing behind it");
    request.body = std::string_view(bytes).substr(head.size, head.content_length);
    for (auto* service : {&checking, &trusting}) {
        const auto reply = service->answer(request, now);
        const bool is_refusal = reply.status < 500 || (reply.status == 500 && may_be_badly_packed(request));
        fuzz::require(reply.status >= 200 && is_refusal, "no request is our own fault");
    }
    return 0;
}
