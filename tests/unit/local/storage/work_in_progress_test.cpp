// Which items requests hold that are not answered yet.
// SPDX-License-Identifier: BSL-1.0
#include "local/storage/work_in_progress.hpp"

#include <catch2/catch.hpp>

#include <chrono>
#include <cstdint>

namespace dynalease::local::test {

TEST_CASE("an item is held for as long as its write takes, and not longer than its table stands") {
    using kind = work_in_progress::kind;
    using std::chrono::milliseconds;
    const auto* const table = reinterpret_cast<const local::table*>(std::uintptr_t{64});
    const item_place place(table, {.slot = 1, .hash = "a"});
    const work_in_progress::time start{};
    work_in_progress work;
    work.set_duration(milliseconds(20));
    work.begin(place, kind::write, start);
    CHECK(work.holds(place, kind::write, start + milliseconds(19)));
    CHECK_FALSE(work.holds(place, kind::transaction, start + milliseconds(19)));
    CHECK_FALSE(work.holds(place, kind::write, start + milliseconds(20)));

    work.begin(place, kind::transaction, start);
    CHECK(work.holds(place, kind::transaction, start));
    work.forget(table);
    // Another table may stand in its place.
    CHECK_FALSE(work.holds(place, kind::write, start));
}

}  // namespace dynalease::local::test
