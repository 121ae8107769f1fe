// What the embedded server reads beside requests: Accept-Encoding, packed bodies, its command line.
// SPDX-License-Identifier: BSL-1.0
#include "fuzz/target.hpp"

#include "local/arguments.hpp"
#include "local/http/compression.hpp"

#include <algorithm>
#include <string>
#include <vector>

namespace {

using namespace dynalease;

void command_line(std::string_view text) {
    std::vector<std::string> words;
    for (std::size_t at = 0; at < text.size();) {
        const auto end = std::min(text.find(' ', at), text.size());
        words.emplace_back(text.substr(at, end - at));
        at = end + 1;
    }
    std::vector<const char*> views;
    for (const auto& each : words) views.push_back(each.c_str());
    const auto read = local::parse_arguments(views);
    if (!read.fault.empty()) return;
    local::warning_of(read.options);
    fuzz::require(read.options.faults.failed >= 0 && read.options.faults.failed <= 1, "a share is a share");
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    fuzz::input in(data, size);
    const auto coding = local::preferred_coding(in.line());
    fuzz::require(coding.empty() || coding == "gzip" || coding == "deflate", "a coding that there is");
    command_line(in.line());
    constexpr std::size_t most = 64 * 1024;
    for (const char* each : {"gzip", "deflate"}) {
        const auto body = local::unpacked(in.rest(), each, most);
        fuzz::require(body.text.size() <= 2 * most, "no more is unpacked than is wanted");
        const auto packed = local::compressed(in.rest(), each);
        const auto again = local::unpacked(packed, each, most);
        fuzz::require(again.is_whole && again.text == in.rest(), "what is packed can be unpacked");
    }
    return 0;
}
