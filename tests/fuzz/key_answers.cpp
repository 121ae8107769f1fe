// The documents in which containers, instances, processes and STS hand out keys. The first byte chooses the reader.
// Keys that were taken can stand in a header, and a refusal is one line.
// SPDX-License-Identifier: BSL-1.0
#include "fuzz/target.hpp"

#include "aws/fields.hpp"
#include "aws/keys_answer.hpp"
#include "aws/sts.hpp"
#include "aws/web.hpp"

#include <algorithm>
#include <array>
#include <string>

namespace {

using namespace dynalease;

bool fits_a_header(std::string_view text) {
    return std::ranges::all_of(text, [](char c) { return c > ' ' && c < '\x7f'; });
}

result<credentials> read(unsigned char reader, std::string_view text) {
    constexpr std::array statuses{200U, 400U, 403U, 503U};
    switch (reader % 3) {
        case 0:
            return aws::parse_service_keys(text, "a service");
        case 1:
            return aws::parse_process_keys(text, "a process");
        default:
            return aws::parse_sts_answer({statuses[reader / 3 % statuses.size()], std::string(text)});
    }
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    fuzz::input in(data, size);
    const auto reader = in.byte();
    const auto keys = read(reader, in.rest());
    if (keys) {
        fuzz::require(!keys->access_key_id.empty() && !keys->secret_access_key.empty(), "keys are whole");
        fuzz::require(fits_a_header(keys->access_key_id) && fits_a_header(keys->session_token), "keys fit a header");
    } else {
        fuzz::require(keys.error().details.message.find_first_of("\r\n") == std::string::npos, "a refusal is one line");
    }
    const auto url = aws::parse_web_url(in.rest(), "URL");
    if (url) fuzz::require(url->target.starts_with('/'), "a target is a path");
    return 0;
}
