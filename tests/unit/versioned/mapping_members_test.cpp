// What users say of single members, of enumerations that grow and of structs that grow; durations and containers.
// SPDX-License-Identifier: BSL-1.0
#include "unit/versioned/complaint.hpp"

#include <dynalease/typed_item.hpp>

#include <boost/describe/class.hpp>
#include <boost/describe/enum.hpp>

#include <catch2/catch.hpp>

#include <array>
#include <chrono>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace depot {

enum class state { open, sold, other };
BOOST_DESCRIBE_ENUM(state, open, sold, other)
enum class crate_size { small, large };
BOOST_DESCRIBE_ENUM(crate_size, small, large)

struct crate {
    std::string id{};
    std::string shelf{"A1"};
    int weight = 7;
    std::string seen_by{};
    std::chrono::sys_seconds opened{};
    std::optional<std::chrono::sys_seconds> closes{};
    std::string colour{};
    void* handle = nullptr;
    friend bool operator==(const crate&, const crate&) = default;
};
BOOST_DESCRIBE_STRUCT(crate, (), (id, shelf, weight, seen_by, opened, closes, colour, handle))

struct grown {
    std::string id{};
    int added = 5;
    std::string later{"new"};
};
BOOST_DESCRIBE_STRUCT(grown, (), (id, added, later))

struct shift_plan {
    std::chrono::milliseconds pause{};
    std::chrono::hours shift{};
    std::chrono::nanoseconds exact{};
    std::chrono::duration<double> about{};
    std::optional<std::chrono::seconds> maybe{};
    friend bool operator==(const shift_plan&, const shift_plan&) = default;
};
BOOST_DESCRIBE_STRUCT(shift_plan, (), (pause, shift, exact, about, maybe))

struct boxes {
    std::array<int, 3> three{};
    std::map<int, std::string> by_number{};
    std::map<crate_size, int> by_size{};
    std::unordered_map<std::string, double> loose{};
    std::set<crate_size> sizes{crate_size::small};
    std::unordered_set<std::string> words{"a"};
    friend bool operator==(const boxes&, const boxes&) = default;
};
BOOST_DESCRIBE_STRUCT(boxes, (), (three, by_number, by_size, loose, sizes, words))

}  // namespace depot

template <>
struct dynalease::enum_traits<depot::state> {
    static constexpr depot::state unknown = depot::state::other;
};
template <>
struct dynalease::item_traits<depot::grown> : dynalease::default_item_traits {
    static constexpr bool keeps_defaults = true;
};
template <>
struct dynalease::member_traits<&depot::crate::shelf> : dynalease::default_member_traits {
    static constexpr std::string_view attribute = "Shelf";
    static constexpr bool keeps_default = true;
};
template <>
struct dynalease::member_traits<&depot::crate::seen_by> : dynalease::default_member_traits {
    static constexpr bool is_written = false;
    static constexpr bool keeps_default = true;
};
template <>
struct dynalease::member_traits<&depot::crate::opened> : dynalease::as_epoch_seconds {};
template <>
struct dynalease::member_traits<&depot::crate::closes> : dynalease::as_epoch_seconds {};
template <>
struct dynalease::member_traits<&depot::crate::colour> : dynalease::default_member_traits {
    static attribute_value to_attribute(const std::string& value, const mapping_place&) { return "colour:" + value; }
    static std::string from_attribute(const attribute_value& stored, const mapping_place& place) {
        const auto* text = stored.get_if<std::string>();
        if (!text || !text->starts_with("colour:")) place.fail("is no colour");
        return text->substr(7);
    }
};
template <>
struct dynalease::member_traits<&depot::crate::handle> : dynalease::default_member_traits {
    static constexpr bool is_stored = false;
};

namespace {

using namespace dynalease;
using namespace dynalease::tests;
using namespace depot;
using namespace std::chrono_literals;

crate a_crate() {
    crate made{.id = "c1"};
    made.seen_by = "ann";
    made.opened = std::chrono::sys_seconds(1'800'000'000s);
    made.colour = "red";
    return made;
}

TEST_CASE("mapping: a member's own name, form and place in the item") {
    auto one = a_crate();
    one.closes = one.opened + 1h;
    CHECK(to_item(one) == item{{"id", "c1"},
                               {"Shelf", "A1"},
                               {"weight", 7},
                               {"opened", 1'800'000'000},
                               {"closes", 1'800'003'600},
                               {"colour", "colour:red"}});
    one.closes.reset();
    CHECK(to_members(one).absent == std::vector<std::string>{"closes"});
    auto stored = to_item(one);
    stored.emplace("seen_by", "ann");
    stored.emplace("handle", "what another has put there");
    CHECK(from_item<crate>(stored) == one);
}

TEST_CASE("mapping: a member that keeps its default may be absent, and no other") {
    auto stored = to_item(a_crate());
    stored.erase("Shelf");
    CHECK(from_item<crate>(stored).shelf == "A1");
    CHECK(from_item<crate>(stored).seen_by.empty());
    stored.erase("weight");
    CHECK(complaint([&] { from_item<crate>(stored); }) ==
          "weight is absent in what was read; if it may be, or an index does not project it, make the member a "
          "std::optional, or let it keep what the struct makes it with: keeps_default in its dynalease::member_traits, "
          "keeps_defaults in the struct's item_traits");
}

TEST_CASE("mapping: what a member's own form does not take is told with its place") {
    auto stored = to_item(a_crate());
    stored.insert_or_assign("colour", "red");
    CHECK(complaint([&] { from_item<crate>(stored); }) == "colour is no colour");
}

TEST_CASE("mapping: a struct that keeps its defaults reads items from before it grew") {
    const auto old = from_item<grown>({{"id", "g"}});
    CHECK(old.added == 5);
    CHECK(old.later == "new");
    CHECK(complaint([] { from_item<grown>({{"id", "g"}, {"added", "text"}}); }) ==
          "added is stored as S, and must be N");
}

TEST_CASE("mapping: an enumerator that is not known yet is read as the one for that, if there is one") {
    CHECK(mapping::read<state>("returned", mapping_place("now")) == state::other);
    CHECK(mapping::read<state>("sold", mapping_place("now")) == state::sold);
    CHECK(complaint([] { mapping::read<crate_size>("huge", mapping_place("size")); }) ==
          "size is \"huge\", which is no name of the enumeration");
}

TEST_CASE("mapping: durations are exact seconds, and come back") {
    const shift_plan some{
        .pause = 1500ms, .shift = 8h, .exact = -1ns, .about = std::chrono::duration<double>(0.1), .maybe = 3s};
    CHECK(to_item(some) == item{{"pause", number("1.5")},
                                {"shift", 28'800},
                                {"exact", number("-0.000000001")},
                                {"about", number("0.1")},
                                {"maybe", 3}});
    CHECK(from_item<shift_plan>(to_item(some)) == some);
    const shift_plan none{};
    CHECK(from_item<shift_plan>(to_item(none)) == none);
    shift_plan ends{};
    ends.exact = std::chrono::nanoseconds::min();
    CHECK(from_item<shift_plan>(to_item(ends)) == ends);
    ends.exact = std::chrono::nanoseconds::max();
    CHECK(from_item<shift_plan>(to_item(ends)) == ends);
}

TEST_CASE("mapping: a duration that its type does not hold exactly is refused, as std::chrono refuses it") {
    using std::chrono::minutes;
    const auto told = [](const char* text, auto like) {
        return complaint([&] { mapping::read<decltype(like)>(number(text), mapping_place("pause")); });
    };
    CHECK(mapping::read<minutes>(number("120"), mapping_place("pause")) == 2min);
    CHECK(told("90", minutes{}) == "pause is 90 s, and no whole number of its ticks of 60 s; make it a finer duration");
    CHECK(told("-90", minutes{}) ==
          "pause is -90 s, and no whole number of its ticks of 60 s; make it a finer duration");
    CHECK(told("60.000000001", minutes{}).starts_with("pause is 60.000000001 s, and no whole number"));
    CHECK(told("1.9999", std::chrono::seconds{}) ==
          "pause is 1.9999 s, and no whole number of its ticks of 1 s; make it a finer duration");
    CHECK(told("0.0015", std::chrono::milliseconds{}) ==
          "pause is 0.0015 s, and no whole number of its ticks of 1/1000 s; make it a finer duration");
    CHECK(told("-0.0015", std::chrono::milliseconds{}).starts_with("pause is -0.0015 s, and no whole number"));
    CHECK(told("0.0000000001", std::chrono::nanoseconds{}).starts_with("pause is 0.0000000001 s, and no whole number"));
    // What counts in fractions of a tick takes all.
    CHECK(mapping::read<std::chrono::duration<double, std::ratio<60>>>(number("90"), mapping_place("pause")).count() ==
          1.5);
}

TEST_CASE("mapping: a duration beyond what its type can hold is refused") {
    using std::chrono::seconds;
    const auto read = [](const char* text, auto like) {
        return mapping::read<decltype(like)>(number(text), mapping_place("pause"));
    };
    CHECK(read("1.50", std::chrono::milliseconds{}) == 1500ms);
    CHECK(read("5400", std::chrono::minutes{}) == 90min);
    CHECK(read("1E+3", std::chrono::milliseconds{}) == 1000s);
    const std::string beyond = "pause is 1E+30 s, and lies beyond what its type can hold";
    CHECK(complaint([&] { read("1E+30", seconds{}); }) == beyond);
    CHECK(complaint([&] { read("10000000000", std::chrono::nanoseconds{}); }) ==
          "pause is 10000000000 s, and lies beyond what its type can hold");
    CHECK(complaint([&] { read("300", std::chrono::duration<std::int8_t>{}); }) ==
          "pause is 300 s, and lies beyond what its type can hold");
    CHECK(complaint([] { mapping::read<seconds>("5", mapping_place("pause")); }) ==
          "pause is stored as S, and must be N");
    CHECK(complaint([] { mapping::write(std::chrono::hours::max(), mapping_place("shift")); }) ==
          "shift is more seconds than can be stored");
}

TEST_CASE("mapping: arrays, maps by number or enumerator, and unordered containers come back") {
    const boxes some{.three = {1, 2, 3},
                     .by_number = {{-5, "a"}, {10, "b"}},
                     .by_size = {{crate_size::large, 1}},
                     .loose = {{"x", 0.5}},
                     .sizes = {crate_size::small, crate_size::large},
                     .words = {"a", "b"}};
    const auto stored = to_item(some);
    CHECK(stored.at("three") == attribute_value(attribute_list{1, 2, 3}));
    CHECK(stored.at("by_number") == attribute_value(attribute_map{{"-5", "a"}, {"10", "b"}}));
    CHECK(stored.at("by_size") == attribute_value(attribute_map{{"large", 1}}));
    CHECK(stored.at("sizes") == attribute_value(string_set{"large", "small"}));
    CHECK(from_item<boxes>(stored) == some);
}

TEST_CASE("mapping: an array of another size, and keys that are one number, are refused") {
    auto stored = to_item(boxes{});
    stored.insert_or_assign("three", attribute_list{1, 2});
    CHECK(complaint([&] { from_item<boxes>(stored); }) == "three has 2 elements, and must have 3");
    stored = to_item(boxes{});
    stored.insert_or_assign("by_number", attribute_map{{"1", "a"}, {"1.0", "b"}});
    CHECK(complaint([&] { from_item<boxes>(stored); }) == "by_number.1.0 has the key of another entry");
    stored.insert_or_assign("by_number", attribute_map{{"x", "a"}});
    CHECK_FALSE(complaint([&] { from_item<boxes>(stored); }).empty());
}

}  // namespace
