// The page of the versioned items' protocol shows the requests as they are built.
// SPDX-License-Identifier: BSL-1.0
#include "support/protocol_page.hpp"
#include "versioned/protocol/version_requests.hpp"

namespace dynalease::protocol::test {

TEST_CASE("the page of the versioned items' protocol shows each request as it is built") {
    const item_layout layout{.table = "books", .key = "isbn"};
    const version_requests requests(layout);
    const item_key key{{"isbn", "1"}};
    const item_stamp stamp{};
    const checked_write write{.base = {.version = 5, .born = stamp, .stamp = stamp}, .mine = stamp, .target = 6};
    const auto from = [&](const item_version& base) { return checked_write{.base = base, .mine = stamp, .target = 6}; };
    auto by_revision = write;
    by_revision.knows_stamps = false;
    const member_changes changes{{{"title", "x"}}, {"note"}};
    const member_changes inside{{}, {}, {{{"home", "street"}, "Low"}, {{"home", "note"}, {}}}};
    check_page("versioned", {{"look", text_of(requests.look(key, true))},
                             {"create", text_of(requests.create(key, stamp))},
                             {"create_over", text_of(requests.create_over(key, write, changes))},
                             {"create_in_place", text_of(requests.create_in_place(write, key, key))},
                             {"save", text_of(requests.save(key, write, changes))},
                             {"save, inside of a map", text_of(requests.save(key, write, inside))},
                             {"save, by revision", text_of(requests.save(key, by_revision, changes))},
                             {"save, onto a foreign item", text_of(requests.save(key, from({.version = 5}), changes))},
                             {"save, onto an item without version", text_of(requests.save(key, from({}), changes))},
                             {"erase", text_of(requests.erase(key, write))},
                             {"bury", text_of(requests.bury(key, write, {{}, {"title"}}, 0))},
                             {"clear", text_of(requests.clear(key, write, {"note"}))},
                             {"blind", text_of(requests.blind(key, add("visits", 1), stamp, false))},
                             {"clobber", text_of(requests.clobber(key, changes, stamp, false, false))},
                             {"clobber_erase", text_of(requests.clobber_erase(key, false))},
                             {"check", text_of(requests.check(key, write))}});
}

}  // namespace dynalease::protocol::test
