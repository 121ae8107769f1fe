// Headers of a signed request, a line each, and its body: nobody guesses a signature, and our own passes.
// SPDX-License-Identifier: BSL-1.0
#include "fuzz/target.hpp"

#include <dynalease/aws/signature_verifier.hpp>
#include <dynalease/aws/sigv4.hpp>

#include <chrono>
#include <string>
#include <vector>

namespace {

using namespace dynalease;

const credentials keys{"local", "local"};
const aws::wall_time now{std::chrono::seconds(1'800'000'000)};

void guess(fuzz::input in) {
    std::vector<std::string_view> lines;
    aws::request_view request;
    for (auto line = in.line(); !line.empty(); line = in.line()) {
        const auto colon = line.find(':');
        if (colon == std::string_view::npos) continue;
        request.headers.push_back({line.substr(0, colon), line.substr(colon + 1)});
    }
    request.body = in.rest();
    const auto got = aws::signature_verifier(keys).check(request, now);
    fuzz::require(got.verdict != aws::signature_verdict::ok, "a signature cannot be guessed");
    fuzz::require(!got.error.empty() && !got.message.empty(), "a refusal says why");
}

void sign(fuzz::input in) {
    aws::request_view request;
    request.headers = {{"host", "localhost:8000"}, {"x-amz-target", in.line()}};
    request.body = in.rest();
    const auto signature = aws::sigv4_sign(request, keys, now, {.region = "eu-central-1"});
    for (const auto& each : signature.added) request.headers.push_back({each.name, each.value});
    const auto got = aws::signature_verifier(keys).check(request, now);
    fuzz::require(got.verdict == aws::signature_verdict::ok, "what we sign we take");
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    guess({data, size});
    sign({data, size});
    return 0;
}
