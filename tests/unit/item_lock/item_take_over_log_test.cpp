// What the log tells of an item that is taken over from the dead.
// SPDX-License-Identifier: BSL-1.0
#include "tills.hpp"

#include <catch2/catch.hpp>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

using namespace dynalease;
using namespace dynalease::tests;

namespace {

/// One process listens to what its log tells of the item.
struct listened_till : tills_world {
    session_options listening() {
        session_options options{.table = table};
        options.log = [this](severity, std::string_view line) {
            if (line.find("taken over") != line.npos) lines.emplace_back(line);
        };
        return options;
    }
    bool told(const std::string& words) const {
        return lines.size() == 1 && lines.front().find(words) != std::string::npos;
    }
    std::vector<std::string> lines;
    node other{*this, 9, {}, listening()};
    item_guard got;
};

}  // namespace

TEST_CASE("from which writer an item was taken over is told once") {
    listened_till w;
    std::optional<node> writer(std::in_place, w, 1);
    item_guard mine;
    run(w, *writer, take(lock_in(*writer), mine));
    const auto& dead = *writer->session;
    const auto words = "item '" + lock_in(*writer).name() + "': taken over from session " + dead.id() + " of " +
                       dead.options().owner + ", which is over";
    running waits(w, w.other, take(lock_in(w.other), w.got));
    w.scheduler.run_for(2s);
    CHECK(w.lines.empty());
    mine = {};
    writer->crash();
    waits.wait(15s);
    CHECK(w.told(words));
}

TEST_CASE("from which readers an item was taken over is told in one line") {
    listened_till w;
    std::optional<node> one(std::in_place, w, 1);
    std::optional<node> two(std::in_place, w, 2);
    item_guard first;
    item_guard second;
    run(w, *one, share(lock_in(*one), first));
    run(w, *two, share(lock_in(*two), second));
    const auto dead = {one->session->id(), two->session->id()};
    first = {};
    second = {};
    one->crash();
    two->crash();
    const item_acquire_options options{.wait = until_known};
    run(w, w.other, take(lock_in(w.other), w.got, options));
    REQUIRE(w.got.held());
    for (const auto& id : dead) CHECK(w.told("session " + id));
    CHECK(w.told(", and from session "));
}

TEST_CASE("from which plain session an item was taken over is told by its identity") {
    listened_till w;
    const auto a = plain_node(w, 1);
    item_guard mine;
    run(w, *a, take(lock_in(*a), mine));
    const auto dead = a->session->id();
    mine = {};
    a->crash();
    run(w, w.other, take(lock_in(w.other), w.got));
    CHECK(w.told("taken over from session " + dead + ", which is over"));
}

TEST_CASE("from whom several items were taken over at once is told of each that others had") {
    listened_till w;
    std::optional<node> writer(std::in_place, w, 1);
    item_guard mine;
    run(w, *writer, take(lock_of(*writer, "south"), mine));
    const auto dead = writer->session->id();
    const auto name = lock_of(*writer, "south").name();
    mine = {};
    writer->crash();
    std::vector<item_guard> all;
    run(w, w.other, take_all(every_till(w.other), all, {}));
    REQUIRE(all_valid(all));
    CHECK(w.told("item '" + name + "': taken over from session " + dead));
}
