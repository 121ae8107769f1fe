// The state of an item as text, as it comes back in an ETag or a form: and the lease in a plain session's identity.
// SPDX-License-Identifier: BSL-1.0
#include "fuzz/target.hpp"

#include "item_lock/protocol/plain_watch.hpp"

#include <dynalease/item/item_version.hpp>

#include <string>

using namespace dynalease;

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const fuzz::input in(data, size);
    try {
        const item_revision read(in.rest());
        const item_revision again(read.state().revision());
        fuzz::require(again.state() == read.state(), "a revision that was taken can be passed on");
    } catch (const error& refused) {
        fuzz::require(refused.code() == errc::invalid_name, "what is none is refused as a name");
    }
    const auto lease = protocol::plain_lease(in.rest());
    fuzz::require(!lease || protocol::is_plain(in.rest()), "only a plain session's name tells its lease");
    fuzz::require(!lease || lease->count() > 0, "a lease takes time");
    return 0;
}
