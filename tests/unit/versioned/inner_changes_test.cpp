// Changes inside of attributes: which they are, which of them one request takes, and what the service makes of it.
// SPDX-License-Identifier: BSL-1.0
#include "versioned/protocol/version_requests.hpp"

#include <dynalease/local/engine.hpp>

#include <catch2/catch.hpp>

#include <algorithm>
#include <random>
#include <stdexcept>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace dynalease::protocol::test {

namespace {

const item_layout layout{.table = "people", .key = "id"};

item_stamp stamp(int n) {
    item_stamp s{};
    s[0] = static_cast<std::byte>(n);
    return s;
}

/// As text: "home.street = S", "home.note gone".
std::vector<std::string> texts_of(const std::vector<inner_change>& changes) {
    std::vector<std::string> all;
    for (const auto& [place, value] : changes) {
        std::string text;
        for (const auto& name : place) text += (text.empty() ? "" : ".") + name;
        all.push_back(text + (value ? " = " + std::string(value->type_name()) : std::string(" gone")));
    }
    return all;
}
using texts = std::vector<std::string>;

/// Of the attribute "a", whose reader saw all of it but what begins with "hidden".
attribute_value shown(const attribute_value& stored) {
    if (const auto* list = stored.get_if<attribute_list>()) {
        attribute_list out;
        for (const auto& each : *list) out.push_back(shown(each));
        return out;
    }
    const auto* map = stored.get_if<attribute_map>();
    if (!map) return stored;
    attribute_map out;
    for (const auto& [name, value] : *map) {
        if (!name.starts_with("hidden")) out.emplace(name, shown(value));
    }
    return out;
}
std::optional<texts> ways(const attribute_value& stored, const attribute_value& wanted) {
    const auto changes = changes_inside("a", stored, shown(stored), wanted);
    if (!changes) return std::nullopt;
    return texts_of(*changes);
}

/// What a save of the whole item changes of it.
member_changes changes_of(const item& stored, const item& wanted) {
    const auto seen = *shown(stored).get_if<attribute_map>();
    item_members members(wanted);
    for (const auto& [name, value] : seen) {
        if (!wanted.contains(name)) members.absent.push_back(name);
    }
    const member_view view{.stored = stored, .seen = seen, .wanted = members};
    return narrowed(changed_members(layout, view), view);
}

update_item_request saving(const member_changes& changes) {
    const item_version base{.version = 5, .born = stamp(1), .stamp = stamp(4)};
    const checked_write write{.base = base, .mine = stamp(9), .target = 6};
    return version_requests(layout).save({{"id", "ann"}}, write, changes);
}

/// A table of one item, at version 5.
class store {
public:
    explicit store(item whole) {
        create_table_request table{.table_name = layout.table, .key = {.hash = {layout.key}}};
        execute(std::move(table));
        whole.insert_or_assign("id", "ann");
        whole.insert_or_assign("version", 5);
        whole.insert_or_assign("_born", bytes_of(stamp(1)));
        whole.insert_or_assign("_stamp", bytes_of(stamp(4)));
        execute(put_item_request{.table_name = layout.table, .new_item = std::move(whole)});
    }
    /// Empty, or why not.
    error_code apply(update_item_request request) {
        auto answer = engine_.execute(any_request(std::move(request)), now_);
        return answer ? error_code() : answer.error().code;
    }
    /// Without what is the library's.
    item users() {
        const version_requests requests(layout);
        auto answer = execute(requests.look({{"id", "ann"}}, true));
        auto whole = std::get<get_item_response>(answer).found.value();
        std::erase_if(whole, [](const auto& each) {
            const auto& name = each.first;
            return is_key(layout, name) || is_reserved(layout, name);
        });
        return whole;
    }

private:
    any_response execute(any_request request) {
        auto answer = engine_.execute(std::move(request), now_);
        if (!answer) throw std::logic_error(answer.error().details.message);
        return *std::move(answer);
    }
    local::engine engine_;
    local::engine::time now_{std::chrono::sys_days{std::chrono::year{2026} / 3 / 1}};
};

}  // namespace

TEST_CASE("a change inside of maps is made where it is, and what the writer does not know is no part of it") {
    const attribute_map stored{{"street", "High"}, {"note", "n"}, {"hidden", 1}};
    CHECK(ways(stored, attribute_map{{"street", "Low"}, {"note", "n"}}) == texts{"a.street = S"});
    CHECK(ways(stored, attribute_map{{"street", "High"}}) == texts{"a.note gone"});
    CHECK(ways(stored, attribute_map{{"street", "High"}, {"note", "n"}, {"new", 1}}) == texts{"a.new = N"});
    CHECK(ways(stored, attribute_map{{"street", "High"}, {"note", "n"}}) == texts{});
    const attribute_map deep{{"hidden", 1}, {"in", attribute_map{{"x", 1}, {"y", attribute_map{{"z", 1}}}}}};
    CHECK(ways(deep, attribute_map{{"in", attribute_map{{"x", 2}, {"y", attribute_map{{"z", 2}}}}}}) ==
          texts{"a.in.x = N", "a.in.y.z = N"});
}

TEST_CASE("a map that was not there, or is no map any more, is written whole") {
    const attribute_map some{{"x", 1}};
    // Itself.
    CHECK_FALSE(ways("text", some));
    CHECK_FALSE(ways(some, "text"));
    CHECK_FALSE(ways(null{}, some));
    CHECK_FALSE(changes_inside("a", "as text", some, some));  // which its type's own conversion reads as a map
    // One in it.
    CHECK(ways(attribute_map{}, attribute_map{{"in", some}}) == texts{"a.in = M"});
    CHECK(ways(attribute_map{{"in", null{}}}, attribute_map{{"in", some}}) == texts{"a.in = M"});
    CHECK(ways(attribute_map{{"in", some}}, attribute_map{{"in", 7}}) == texts{"a.in = N"});
    CHECK(ways(attribute_map{{"in", some}}, attribute_map{}) == texts{"a.in gone"});
    // What the reader made up for what is absent, as a member that keeps its default: it is not stored.
    const attribute_map seen{{"in", attribute_map{{"x", 0}}}};
    CHECK(texts_of(changes_inside("a", attribute_map{}, seen, attribute_map{{"in", some}}).value()) ==
          texts{"a.in = M"});
    CHECK(changes_inside("a", attribute_map{}, seen, attribute_map{}).value().empty());
}

TEST_CASE("a map that becomes empty stays, and one that was empty is there to be filled") {
    CHECK(ways(attribute_map{{"x", 1}, {"y", 2}}, attribute_map{}) == texts{"a.x gone", "a.y gone"});
    CHECK(ways(attribute_map{}, attribute_map{{"x", 1}}) == texts{"a.x = N"});
}

TEST_CASE("the way down ends at a list: the number of an element does not say which one it is") {
    const attribute_map stored{{"all", attribute_list{attribute_map{{"id", 1}, {"x", 1}, {"hidden", 7}}}}};
    const attribute_map wanted{{"all", attribute_list{attribute_map{{"id", 1}, {"x", 2}}}}};
    const auto changes = changes_inside("a", stored, shown(stored), wanted).value();
    REQUIRE(texts_of(changes) == texts{"a.all = L"});
    CHECK(changes[0].value == attribute_value(attribute_list{attribute_map{{"id", 1}, {"x", 2}, {"hidden", 7}}}));
}

TEST_CASE("names inside of attributes may have any characters") {
    const item before{{"a", attribute_map{{"b.c", attribute_map{{"#d[0]", 1}, {":x y", 2}}}, {"b", 0}}}};
    const item after{{"a", attribute_map{{"b.c", attribute_map{{"#d[0]", 2}, {"\"", 3}}}, {"b", 0}}}};
    store where(before);
    REQUIRE_FALSE(where.apply(saving(changes_of(before, after))));
    CHECK(where.users() == after);
}

TEST_CASE("what others have put beside a change since stays, and what they have taken makes it void") {
    const item loaded{{"home", attribute_map{{"street", "High"}, {"where", attribute_map{{"lat", 1}}}}}};
    const item wanted{{"home", attribute_map{{"street", "Low"}, {"where", attribute_map{{"lat", 2}}}}}};
    const auto changes = changes_of(loaded, wanted);
    store beside({{"home", attribute_map{{"street", "High"}, {"zip", 7}, {"where", attribute_map{{"lon", 3}}}}}});
    REQUIRE_FALSE(beside.apply(saving(changes)));
    const attribute_map where{{"lat", 2}, {"lon", 3}};
    CHECK(beside.users() == item{{"home", attribute_map{{"street", "Low"}, {"zip", 7}, {"where", where}}}});

    const auto other =
        GENERATE(item{}, item{{"home", "unknown"}}, item{{"home", null{}}}, item{{"home", attribute_map{}}});
    store gone(other);
    CHECK(gone.apply(saving(changes)) == errc::condition_failed);
    CHECK(gone.users() == other);
    CHECK_FALSE(has_maps(other, changes.inside));
    CHECK(has_maps(loaded, changes.inside));
}

TEST_CASE("the maps that are tested are the last of each way") {
    const std::vector<inner_change> changes{{{"a", "x"}, 1},       {{"a", "b", "x"}, 1}, {{"a", "b", "y"}, 1},
                                            {{"a", "bb", "x"}, 1}, {{"c", "x"}, 1},      {{"a", "b", "c", "x"}, 1}};
    CHECK(maps_needed(changes) == std::vector<inner_place>{{"a", "b", "c"}, {"a", "bb"}, {"c"}});
}

TEST_CASE("too many changes for one request are made by setting attributes whole, those with most first") {
    item stored;
    item wanted;
    for (const auto& [name, members] : {std::pair<std::string, int>{"few", 3}, {"many", 200}}) {
        attribute_map before;
        attribute_map after{};
        for (int i = 0; i < members; ++i) {
            before.emplace("n" + std::to_string(i), 0);
            after.emplace("n" + std::to_string(i), 1);
        }
        before.emplace("hidden", 7);
        stored.emplace(name, before);
        wanted.emplace(name, after);
    }
    const auto changes = changes_of(stored, wanted);
    CHECK(texts_of(changes.inside) == texts{"few.n0 = N", "few.n1 = N", "few.n2 = N"});
    REQUIRE(changes.set.size() == 1);
    CHECK(find_integer(*changes.set.at("many").get_if<attribute_map>(), "hidden") == 7);
}

TEST_CASE("what is the most for one request fits into the service's 4 KB, beside a condition of the caller's") {
    // So many maps and names as there may be, in ways as long, and as many as one name each.
    const auto depth = GENERATE(as<std::size_t>(), 2, 3, 5);
    item stored;
    item wanted;
    for (std::size_t names = depth, i = 0; i < most_maps && names <= most_changes; ++i, names += depth) {
        attribute_value before = attribute_map{{"value", 0}};
        attribute_value after = attribute_map{{"value", 1}};
        for (std::size_t level = 2; level < depth; ++level) {
            const auto name = "way" + std::to_string(i) + "-" + std::to_string(level);
            before = attribute_map{{name, before}};
            after = attribute_map{{name, after}};
        }
        stored.emplace("attribute" + std::to_string(i), before);
        wanted.emplace("attribute" + std::to_string(i), after);
    }
    const auto changes = changes_of(stored, wanted);
    REQUIRE(changes.inside.size() >= 50);
    const auto request = saving(changes);
    CHECK(request.update_expression.size() <= 4096);
    CHECK(request.condition_expression.size() <= 4096 - 1024);
    store where(stored);
    REQUIRE_FALSE(where.apply(request));
    CHECK(where.users() == wanted);
}

TEST_CASE("a save of an empty difference inside of an attribute writes nothing there") {
    const item stored{{"home", attribute_map{{"hidden", 1}}}};
    const item_members wanted{{{"home", attribute_map{}}}};
    // The reader has made up a member, and dropped it again.
    const item seen{{"home", attribute_map{{"made up", 0}}}};
    const member_view view{.stored = stored, .seen = seen, .wanted = wanted};
    CHECK(narrowed(changed_members(layout, view), view).size() == 0);
}

// ---- all of it, at random ------------------------------------------------------------------------------------

namespace {

class random_items {
public:
    explicit random_items(std::uint64_t seed) : random_(seed) {}

    std::uint64_t below(std::uint64_t end) { return random_() % end; }

    attribute_value value(int depth) {
        switch (below(depth > 0 ? 7 : 3)) {
            case 0:
                return static_cast<int>(below(5));
            case 1:
                return std::string("s" + std::to_string(below(5)));
            case 2:
                return null{};
            case 3: {
                attribute_list list;
                for (auto count = below(3); count > 0; --count) list.push_back(value(depth - 1));
                return list;
            }
            default:
                return map(depth - 1);
        }
    }
    attribute_map map(int depth) {
        attribute_map out;
        for (auto count = below(6); count > 0; --count) {
            const auto* prefix = below(3) == 0 ? "hidden" : "m";
            out.insert_or_assign(prefix + std::to_string(below(6)), value(depth));
        }
        return out;
    }
    /// Some members otherwise, gone or new, at any depth.
    attribute_map edited(attribute_map map, int depth) {
        for (auto at = map.begin(); at != map.end();) {
            auto* inner = at->second.get_if<attribute_map>();
            const auto fate = below(24);
            if (fate == 0) {
                at = map.erase(at);
                continue;
            }
            if (fate == 1)
                at->second = shown(value(depth));
            else if (inner)
                at->second = edited(std::move(*inner), depth - 1);
            ++at;
        }
        if (below(4) == 0) map.insert_or_assign("m" + std::to_string(below(9)), shown(value(depth)));
        return map;
    }
    /// What others put into the maps that are there, under names that nobody else has.
    attribute_map written_aside(attribute_map map, int depth = 0) {
        for (auto& [name, each] : map) {
            if (auto* inner = each.get_if<attribute_map>()) each = written_aside(std::move(*inner), depth + 1);
        }
        if (depth > 0) map.insert_or_assign("aside", static_cast<int>(below(1000)));
        return map;
    }

private:
    std::mt19937_64 random_;
};

/// Puts in each map what stands aside in the same map of the other, where there is such.
attribute_map with_asides(attribute_map map, const attribute_map& from) {
    for (auto& [name, each] : map) {
        const auto* other = find(from, name);
        auto* inner = each.get_if<attribute_map>();
        const auto* beside = other ? other->get_if<attribute_map>() : nullptr;
        if (inner && beside) each = with_asides(std::move(*inner), *beside);
    }
    if (const auto* aside = find(from, "aside")) map.insert_or_assign("aside", *aside);
    return map;
}
/// Whether each map that the reader saw is one still: else it goes, with all that stands in it.
bool keeps_maps(const attribute_map& seen, const attribute_map& wanted) {
    return std::ranges::all_of(seen, [&](const attribute_map::value_type& each) {
        const auto* before = each.second.get_if<attribute_map>();
        if (!before) return true;
        const auto* after = find(wanted, each.first);
        const auto* map = after ? after->get_if<attribute_map>() : nullptr;
        return map && keeps_maps(*before, *map);
    });
}

}  // namespace

TEST_CASE("changes inside of attributes make what was meant, whatever stands there") {
    std::size_t inside = 0;
    std::size_t beside = 0;
    for (std::uint64_t seed = 1; seed <= 3'000; ++seed) {
        random_items random(seed);
        const auto stored = random.map(4);
        const auto seen = *shown(stored).get_if<attribute_map>();
        const auto wanted = random.edited(seen, 3);
        INFO("seed " << seed);
        const auto changes = changes_of(stored, wanted);
        inside += changes.inside.size();

        // As the merged attributes, written whole, would.
        item_members members(wanted);
        for (const auto& [name, value] : seen) {
            if (!wanted.contains(name)) members.absent.push_back(name);
        }
        const auto whole = changed_members(layout, {.stored = stored, .seen = seen, .wanted = members});
        const auto meant = changed(stored, whole);
        REQUIRE(changed(stored, changes) == meant);
        store alone(stored);
        REQUIRE_FALSE(alone.apply(saving(changes)));
        REQUIRE(alone.users() == meant);

        // And beside what others have written meanwhile, into each map that is there still.
        if (!keeps_maps(seen, wanted)) continue;
        ++beside;
        const auto now = random.written_aside(stored);
        store shared(now);
        REQUIRE_FALSE(shared.apply(saving(changes)));
        REQUIRE(shared.users() == with_asides(meant, now));
    }
    CHECK(inside > 1'000);
    CHECK(beside > 1'000);
}

}  // namespace dynalease::protocol::test
