// Points in time in all three spellings.
// SPDX-License-Identifier: BSL-1.0
#include "fuzz/target.hpp"

#include <dynalease/aws/timestamp.hpp>

#include <chrono>

using namespace dynalease;

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const fuzz::input in(data, size);
    for (const auto when :
         {aws::parse_amz_timestamp(in.rest()), aws::parse_http_date(in.rest()), aws::parse_iso8601(in.rest())}) {
        // An offset, or a leap second, can lead out of the years that have four digits.
        const std::chrono::sys_days first{std::chrono::year{0} / 1 / 1};
        const std::chrono::sys_days last{std::chrono::year{9999} / 12 / 31};
        if (!when || *when < first || *when > last) continue;
        const aws::amz_timestamp written(*when);
        const auto again = aws::parse_amz_timestamp(written.text());
        fuzz::require(again == std::chrono::floor<std::chrono::seconds>(*when), "a time that was read can be written");
    }
    return 0;
}
