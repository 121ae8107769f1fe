// The shared configuration and credentials files, parted by a line of dashes.
// SPDX-License-Identifier: BSL-1.0
#include "fuzz/target.hpp"

#include "aws/shared_config.hpp"

using namespace dynalease;

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const fuzz::input in(data, size);
    constexpr std::string_view border = "\n---\n";
    const auto at = in.rest().find(border);
    const auto config = in.rest().substr(0, at);
    const auto keys = at == std::string_view::npos ? std::string_view() : in.rest().substr(at + border.size());
    const auto read = aws::parse_shared_config({config, "config"}, {keys, "credentials"});
    if (!read) {
        fuzz::require(!read.error().details.message.empty(), "a malformed line is named");
        return 0;
    }
    for (const auto& [name, section] : read->profiles) {
        fuzz::require(!name.empty(), "a profile has a name");
        for (const auto& [key, property] : section) {
            fuzz::require(aws::value_of(section, key).size() <= property.value.size(), "a value is within its line");
        }
    }
    return 0;
}
