// The instance metadata service, answer by answer: a byte for the status, and a line. What is asked next stays within
// its paths. The whole is also what STS might say of a failure.
// SPDX-License-Identifier: BSL-1.0
#include "fuzz/target.hpp"

#include "aws/imds.hpp"
#include "aws/sts.hpp"

#include <algorithm>
#include <string>

using namespace dynalease;

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    fuzz::input in(data, size);
    for (const auto status : {200U, 400U, 403U, 503U}) {
        const aws::web_answer answer{status, std::string(in.rest())};
        const bool transient = aws::is_sts_transient(answer);
        fuzz::require(status != 503 || transient, "a server that is ill is asked again");
        fuzz::require(status != 200 || !aws::is_clock_suspect(answer), "an answer is no refusal");
    }
    aws::imds_path path{in.byte() % 2 == 0 ? "" : "chosen"};
    constexpr std::string_view base = "/latest/meta-data/iam/security-credentials";
    while (!in.rest().empty()) {
        path.begin();
        // A fetch asks for the list and the keys, at both paths at most.
        constexpr int most = 5;
        auto step = aws::imds_path::step::ask_again;
        for (int asked = 0; step == aws::imds_path::step::ask_again; ++asked) {
            fuzz::require(asked < most, "a fetch comes to an end");
            const auto where = path.path();
            const auto fits = [](char c) { return c > ' ' && c < '\x7f' && c != '?' && c != '#'; };
            fuzz::require(where.starts_with(base) && std::ranges::all_of(where, fits), "a path is one of ours");
            fuzz::require(std::ranges::count(where, '/') <= 5, "with one name behind it");
            const auto status = in.byte() % 2 == 0 ? 200U : 404U;
            step = path.answered(status, in.line());
        }
    }
    return 0;
}
