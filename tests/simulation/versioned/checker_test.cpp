// The checker of versioned items itself: histories of good worlds are accepted, and every way of spoiling them is
// noticed.
// SPDX-License-Identifier: BSL-1.0
#include "simulation/versioned/checker.hpp"
#include "simulation/framework/spoilt_histories.hpp"
#include "simulation/versioned/scenario_config.hpp"
#include "simulation/versioned/world.hpp"

#include <catch2/catch.hpp>

#include <functional>
#include <optional>
#include <utility>

using namespace dynalease;
using namespace dynalease::simulation;
using namespace dynalease::simulation::versions;

namespace {

constexpr std::size_t item_count = 2;

history good_history(std::uint64_t seed) {
    versions::scenario_config made_of;
    made_of.most_items = item_count;
    made_of.nemesis.faults = {nemesis_fault::pause, nemesis_fault::partition, nemesis_fault::crash_new_identity};
    return history_of<version_world, history>(seed, made_of);
}

std::string verdict(const history& seen) {
    checker checked(item_count);
    for (const auto& each : seen) checked.see(each);
    checked.conclude();
    return checked.broken().value_or("");
}

template <class Kind>
std::optional<std::size_t> first(const history& in, const std::function<bool(const Kind&)>& wanted,
                                 std::size_t from = 0) {
    for (auto i = from; i < in.size(); ++i) {
        const auto* event = std::get_if<Kind>(&in[i].what);
        if (event != nullptr && wanted(*event)) return i;
    }
    return std::nullopt;
}

intent kind_of(const history& in, std::int64_t number) {
    const auto at = first<intended>(in, [&](const auto& each) { return each.number == number; });
    return at ? std::get<intended>(in[*at].what).what : intent::foreign;
}

/// A write of that kind after which its item is there, not before the `least`-th event.
std::optional<std::size_t> write_of(const history& in, intent kind, std::size_t least = 0) {
    return first<written>(
        in, [&](const auto& each) { return each.after.there() && kind_of(in, each.number) == kind; }, least);
}

/// Turns a good history into a bad one; false if it has nothing to be spoilt that way.
using spoiling = std::function<bool(history&)>;

void must_be_noticed(const char* promise, const spoiling& spoil) {
    expect_noticed(promise, good_history, verdict, spoil);
}

}  // namespace

TEST_CASE("histories of good worlds of versioned items are accepted") {
    for (std::uint64_t seed = 1; seed <= 12; ++seed) CHECK(verdict(good_history(seed)).empty());
}

TEST_CASE("a save onto a later state than its own is noticed") {
    must_be_noticed("O1", [](history& seen) {
        const auto at = write_of(seen, intent::save);
        if (!at) return false;
        const auto number = std::get<written>(seen[*at].what).number;
        const auto begun = first<intended>(seen, [&](const auto& each) { return each.number == number; });
        auto& base = std::get<intended>(seen[*begun].what).base;
        if (!base || *base < 2) return false;
        --*base;
        return true;
    });
}

TEST_CASE("an entry that another's write swallowed is noticed") {
    must_be_noticed("O1", [](history& seen) {
        const auto at = first<written>(seen, [](const auto& each) { return each.after.entries.size() > 2; });
        if (!at) return false;
        auto& entries = std::get<written>(seen[*at].what).after.entries;
        entries.erase(entries.end() - 2);
        return true;
    });
}

TEST_CASE("a write that happens a second time is noticed") {
    must_be_noticed("O1", [](history& seen) {
        const auto at = write_of(seen, intent::update);
        if (!at) return false;
        auto again = seen[*at];
        auto& after = std::get<written>(again.what).after;
        after.entries.push_back(std::get<written>(again.what).number);
        ++*after.version;
        seen.insert(seen.begin() + static_cast<std::ptrdiff_t>(*at) + 1, again);
        return true;
    });
}

TEST_CASE("a success that never was is noticed, and a refusal that was none") {
    const auto tell_otherwise = [](answer before, answer after) {
        return [=](history& seen) {
            const auto at = first<told>(seen, [&](const auto& each) {
                return each.what == before && each.number > 0 && kind_of(seen, each.number) == intent::save;
            });
            if (!at) return false;
            std::get<told>(seen[*at].what).what = after;
            return true;
        };
    };
    must_be_noticed("O1", tell_otherwise(answer::conflict, answer::applied));
    must_be_noticed("O1", tell_otherwise(answer::applied, answer::conflict));
    must_be_noticed("O3", [](history& seen) {
        const auto at =
            first<told>(seen, [](const auto& each) { return each.what == answer::applied && !each.unanswered; });
        if (!at) return false;
        std::get<told>(seen[*at].what).what = answer::doubt;
        return true;
    });
}

TEST_CASE("a version that does not rise is noticed") {
    must_be_noticed("O2", [](history& seen) {
        const auto at = write_of(seen, intent::update, seen.size() / 2);
        if (!at) return false;
        --*std::get<written>(seen[*at].what).after.version;
        return true;
    });
}

TEST_CASE("a read of what was over is noticed") {
    must_be_noticed("O4", [](history& seen) {
        const auto at = first<loaded_state>(
            seen, [](const auto& each) { return each.consistent && each.shown && *each.shown > 1; });
        if (!at) return false;
        auto& shown = std::get<loaded_state>(seen[*at].what);
        shown.shown = shown.since - 1;
        return true;
    });
}

TEST_CASE("a write through another's lock is noticed") {
    must_be_noticed("L1", [](history& seen) {
        const auto at = write_of(seen, intent::update, seen.size() / 2);
        if (!at) return false;
        auto locked = std::get<written>(seen[*at].what).after;
        const auto item = std::get<written>(seen[*at].what).item;
        const auto before = first<written>(seen, [&](const auto& each) { return each.item == item; });
        if (!before || *before == *at) return false;
        // As it was before that write, but for the lock.
        item_state last;
        for (std::size_t i = 0; i < *at; ++i) {
            if (const auto* each = std::get_if<written>(&seen[i].what); each && each->item == item) last = each->after;
            if (const auto* each = std::get_if<replaced>(&seen[i].what); each && each->item == item) last = each->after;
        }
        last.holder = "somebody";
        seen.insert(seen.begin() + static_cast<std::ptrdiff_t>(*at),
                    event{.at = seen[*at].at, .what = replaced{.item = item, .after = last}});
        return true;
    });
}

TEST_CASE("half of what was to happen together is noticed") {
    must_be_noticed("T1", [](history& seen) {
        // An intent of two parts, of which but one was carried out.
        const auto wrote = write_of(seen, intent::update);
        if (!wrote) return false;
        const auto number = std::get<written>(seen[*wrote].what).number;
        const auto other = 1 - std::get<written>(seen[*wrote].what).item;
        std::erase_if(seen, [&](const auto& each) {
            const auto* said = std::get_if<told>(&each.what);
            return said && said->number == number;
        });
        history spoilt{{.at = seen[0].at, .what = intended{.number = number, .item = other, .what = intent::update}}};
        for (const auto& each : seen) spoilt.push_back(each);
        seen = std::move(spoilt);
        return true;
    });
}

namespace {

/// Write 2 is refused by somebody's lock, and the network's copy of it applied once that is gone. @returns the item
item_state let_in_after_a_refusal(checker& of, intent what) {
    const auto see = [&](auto happened) { of.see({.at = {}, .what = std::move(happened)}); };
    item_state item{.exists = true, .entries = {1}, .version = 1, .life = "first"};
    see(intended{.number = 1, .what = intent::create});
    see(written{.number = 1, .after = item});
    see(told{.number = 1, .what = answer::applied, .shown = 1});
    item.holder = "somebody";
    see(replaced{.after = item});
    see(intended{.number = 2, .what = what});
    see(turned_away{.number = 2});
    item.holder.clear();
    see(replaced{.after = item});
    item.entries.push_back(2);
    item.version = 2;
    see(written{.number = 2, .after = item, .copy = true});
    return item;
}

}  // namespace

TEST_CASE("a copy of a refused update, made by the network, is excused where the item has forgotten it") {
    const auto checked = [](bool stamps) {
        checker of(1, stamps);
        const auto see = [&](auto what) { of.see({.at = {}, .what = std::move(what)}); };
        auto item = let_in_after_a_refusal(of, intent::update);
        see(intended{.number = 3, .what = intent::remove, .base = 2});
        item.gone = true;
        item.version = 3;
        see(written{.number = 3, .after = item});
        see(told{.number = 3, .what = answer::applied});
        see(turned_away{.number = 2});
        see(told{.number = 2, .what = answer::missing, .since = 1});
        return of.broken().value_or("");
    };
    CHECK(checked(false) == "");
    CHECK(checked(true) == "O1: write 2 was reported as refused, and it was applied");
}

TEST_CASE("a copy that the network makes is excused where it was let in after a refusal, and nobody can know of it") {
    const auto checked = [](intent what, bool erased) {
        checker of(1, true);
        const auto see = [&](auto happened) { of.see({.at = {}, .what = std::move(happened)}); };
        let_in_after_a_refusal(of, what);
        if (erased) see(intended{.number = 3, .what = intent::clobber_remove});
        if (erased) see(written{.number = 3, .after = item_state{}});
        see(told{.number = 2, .what = answer::missing, .since = 1});
        return of.broken().value_or("");
    };
    const std::string broken = "O1: write 2 was reported as refused, and it was applied";
    CHECK(checked(intent::blind, false).starts_with("O4"));
    CHECK(checked(intent::update, false) == broken);
    CHECK(checked(intent::update, true) == "");
    CHECK(checked(intent::blind, true) == "");
}

TEST_CASE("a write whose answer was another copy's is excused where a removal cut what the item knew of it") {
    const auto checked = [](intent removal) {
        checker of(1, true);
        const auto see = [&](auto what) { of.see({.at = {}, .what = std::move(what)}); };
        item_state item{.exists = true, .entries = {1}, .version = 1, .life = "first"};
        const auto next = [&](std::int64_t number, intent what, std::optional<serial> base, bool repeated = false) {
            see(intended{.number = number, .what = what, .base = base});
            see(written{.number = number, .after = item, .repeated = repeated});
        };
        next(1, intent::create, std::nullopt);
        item.version = 2;
        next(2, intent::touch, 1, true);
        item.version = 3;
        next(3, intent::touch, 2);
        item.version = 4;
        item.gone = true;
        next(4, removal, 3);
        see(turned_away{.number = 2});
        see(told{.number = 2, .what = answer::missing, .since = 1});
        return of.broken().value_or("");
    };
    CHECK(checked(intent::remove_revision) == "");
    CHECK(checked(intent::remove) == "O1: write 2 was reported as refused, and it was applied");
}

TEST_CASE("a write may be in doubt where what closed another cut what the item knew, as it came from a text") {
    const auto checked = [](intent closes) {
        checker of(1, true);
        const auto see = [&](auto what) { of.see({.at = {}, .what = std::move(what)}); };
        item_state item{.exists = true, .entries = {1}, .version = 1, .life = "first"};
        const auto next = [&](std::int64_t number, intent what, std::optional<serial> base) {
            see(intended{.number = number, .what = what, .base = base});
            see(written{.number = number, .after = item});
        };
        next(1, intent::create, std::nullopt);
        see(intended{.number = 2, .what = intent::touch, .base = 1});
        item.version = 2;
        next(3, intent::touch, 1);
        item.version = 3;
        next(4, closes, 2);
        see(turned_away{.number = 2});
        see(told{.number = 2, .what = answer::doubt, .since = 1, .unanswered = true, .last_refusal = 3});
        return of.broken().value_or("");
    };
    CHECK(checked(intent::close_revision) == "");
    CHECK(checked(intent::close) == "O3: write 2 is in doubt though the item still knows who wrote");
}
