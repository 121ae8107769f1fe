// What the mapping keeps exactly, and what it refuses rather than keep something else.
// SPDX-License-Identifier: BSL-1.0
#include "unit/versioned/complaint.hpp"

#include <dynalease/error.hpp>
#include <dynalease/typed_item.hpp>

#include <boost/describe/class.hpp>

#include <catch2/catch.hpp>

#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <ratio>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

namespace edges {

using namespace std::chrono;

template <class Time>
struct timed {
    Time at{};
    BOOST_DESCRIBE_CLASS(timed, (), (at), (), ())
};
template <class Rep, class Period>
using ticks = sys_time<duration<Rep, Period>>;

struct words {
    std::string one{};
    std::vector<std::string> several{};
    std::map<std::string, int> counted{};
    std::set<std::string> all{};
};
BOOST_DESCRIBE_STRUCT(words, (), (one, several, counted, all))

struct single {
    float weight{};
};
BOOST_DESCRIBE_STRUCT(single, (), (weight))

struct twins {
    std::optional<std::string> first{};
    std::optional<std::string> second{};
};
BOOST_DESCRIBE_STRUCT(twins, (), (first, second))

class sealed {
public:
    explicit sealed(int secret = 0) : secret_(secret) {}
    friend bool operator==(const sealed&, const sealed&) = default;

private:
    int secret_;
    BOOST_DESCRIBE_CLASS(sealed, (), (), (), (secret_))
};

struct deep {
    std::optional<std::optional<int>> maybe{};
    friend bool operator==(const deep&, const deep&) = default;
};
BOOST_DESCRIBE_STRUCT(deep, (), (maybe))

struct login {
    std::string id{};
    sys_seconds ttl{};
    std::optional<sys_seconds> opened{};
    friend bool operator==(const login&, const login&) = default;
};
BOOST_DESCRIBE_STRUCT(login, (), (id, ttl, opened))
struct lease {
    std::string id{};
    std::optional<sys_time<milliseconds>> ends{};
};
BOOST_DESCRIBE_STRUCT(lease, (), (id, ends))

struct tag {};
struct base {
    std::string id{};
};
BOOST_DESCRIBE_STRUCT(base, (), (id))
struct listed : tag, base {
    std::string own{};
};
BOOST_DESCRIBE_STRUCT(listed, (base), (own))
struct unlisted : tag, base {
    std::string own{};
};
BOOST_DESCRIBE_STRUCT(unlisted, (), (own))

struct versioned_by_none {
    std::string id{};
    std::int64_t version{};
};
BOOST_DESCRIBE_STRUCT(versioned_by_none, (), (id))
struct versioned_by_one {
    std::string id{};
    std::int64_t version = -1;
};
BOOST_DESCRIBE_STRUCT(versioned_by_one, (), (id, version))

struct sum {
    int cents{};
};
struct priced {
    std::vector<sum> prices{};
};
BOOST_DESCRIBE_STRUCT(priced, (), (prices))

}  // namespace edges

template <>
struct dynalease::item_traits<edges::twins> : dynalease::default_item_traits {
    static constexpr std::string_view attribute_name(std::string_view) { return "same"; }
};
template <>
struct dynalease::item_traits<edges::lease> : dynalease::default_item_traits {
    static constexpr std::string_view time_to_live = "ends";
};
template <>
struct dynalease::item_traits<edges::versioned_by_none> : dynalease::default_item_traits {
    static constexpr auto version_member = &edges::versioned_by_none::version;
};
template <>
struct dynalease::item_traits<edges::versioned_by_one> : dynalease::default_item_traits {
    static constexpr auto version_member = &edges::versioned_by_one::version;
};
template <>
struct dynalease::attribute_traits<edges::sum> {
    static attribute_value to_attribute(const edges::sum& value, const mapping_place&) {
        if (value.cents < 0) throw std::domain_error("a debt");
        return std::to_string(value.cents);
    }
    static edges::sum from_attribute(const attribute_value& stored, const mapping_place&) {
        return {std::stoi(stored.get_if<std::string>() ? *stored.get_if<std::string>() : "")};
    }
};

using namespace dynalease;
using tests::complaint;
using namespace edges;

namespace {

template <class Time>
Time read_time(attribute_value stored) {
    return from_item<timed<Time>>({{"at", std::move(stored)}}).at;
}
template <class Time>
void comes_back(Time at) {
    timed<Time> in{};
    in.at = at;
    CHECK(from_item<timed<Time>>(to_item(in)).at == at);
}
template <class Time>
std::string outside(attribute_value stored) {
    return complaint([&] { read_time<Time>(stored); });
}

}  // namespace

TEST_CASE("mapping: a time that its member cannot hold is refused, not turned into another") {
    constexpr const char* never = "9999-12-31T23:59:59Z";
    CHECK(outside<system_clock::time_point>(never) ==
          "at is \"9999-12-31T23:59:59Z\", and lies beyond what its type can hold");
    CHECK(outside<system_clock::time_point>("1600-01-01T00:00:00Z").find("lies beyond") != std::string::npos);
    CHECK(outside<ticks<std::int32_t, std::ratio<1>>>("2038-01-19T03:14:08Z").find("lies beyond") != std::string::npos);
    CHECK(outside<ticks<std::uint32_t, std::ratio<1>>>("1969-12-31T23:59:59Z").find("lies beyond") !=
          std::string::npos);
    CHECK(outside<ticks<std::int8_t, std::milli>>("1970-01-01T00:00:00.128Z").find("lies beyond") != std::string::npos);
    CHECK(outside<ticks<std::int8_t, std::ratio<86400>>>("1970-05-09T00:00:00Z").find("lies beyond") !=
          std::string::npos);
    CHECK(outside<sys_seconds>(never).empty());
    comes_back(sys_time<nanoseconds>::max());
    comes_back(sys_time<nanoseconds>::min());
    comes_back(ticks<std::int32_t, std::ratio<1>>::max());
    comes_back(ticks<std::int32_t, std::ratio<1>>::min());
    comes_back(ticks<std::int8_t, std::milli>::max());
    comes_back(ticks<std::int8_t, std::milli>::min());
    CHECK(complaint([] {
              to_item(timed<sys_time<hours>>{sys_time<hours>::max()});
          }).find("lies in a year that has not four digits") != std::string::npos);
    CHECK(complaint([] {
              to_item(timed<sys_time<milliseconds>>{sys_time<milliseconds>::min()});
          }).find("lies in a year that has not four digits") != std::string::npos);
}

TEST_CASE("mapping: times in every unit that digits can tell come back, and no others compile") {
    const timed<sys_time<milliseconds>> before_1970{.at = sys_time<milliseconds>(-1ms)};
    CHECK(*find_string(to_item(before_1970), "at") == "1969-12-31T23:59:59.999Z");
    for (int i = -70; i < 70; ++i) {
        comes_back(ticks<std::int64_t, std::ratio<1, 8>>(duration<std::int64_t, std::ratio<1, 8>>(i)));
        comes_back(ticks<std::int64_t, std::ratio<1, 2>>(duration<std::int64_t, std::ratio<1, 2>>(i)));
        comes_back(sys_time<microseconds>(microseconds(i * 300'001)));
        comes_back(sys_time<minutes>(minutes(i)));
        comes_back(sys_time<weeks>(weeks(i)));
    }
    STATIC_REQUIRE_FALSE(mapping::mappable<sys_time<duration<double>>>);
    STATIC_REQUIRE_FALSE(mapping::mappable<ticks<std::int64_t, std::ratio<1, 60>>>);
    STATIC_REQUIRE_FALSE(mapping::mappable<ticks<std::int64_t, std::ratio<3, 2>>>);
    STATIC_REQUIRE_FALSE(mapping::mappable<ticks<std::int64_t, std::pico>>);
}

TEST_CASE("mapping: a time is read with any offset from UTC") {
    const auto noon = sys_days(year(2026) / 11 / 21) + 12h;
    for (const auto* text : {"2026-11-21T12:00:00Z", "2026-11-21T12:00:00+00:00", "2026-11-21T13:30:00.000+01:30",
                             "2026-11-21T07:00:00-05:00"}) {
        CHECK(read_time<sys_seconds>(text) == noon);
    }
    for (const auto* text : {"2026-11-21T12:00:00", "2026-11-21T12:00:00+24:00", "2026-11-21T12:00:00+0100"}) {
        CHECK(outside<sys_seconds>(text).find("must be a time") != std::string::npos);
    }
    CHECK(outside<sys_seconds>("9999-12-31T23:59:59-05:00") ==
          "at is \"9999-12-31T23:59:59-05:00\", and lies in a year that has not four digits");
    CHECK_FALSE(outside<sys_seconds>("0000-01-01T00:00:00+00:01").empty());
    CHECK(outside<sys_seconds>("0000-01-01T00:00:00-00:01").empty());
}

TEST_CASE("mapping: the time by which TTL goes is stored as seconds since 1970, and read in either form") {
    login one{.id = "1", .ttl = sys_seconds(1'800'000'000s), .opened = sys_seconds(5s)};
    const auto stored = to_item(one);
    CHECK(stored.at("ttl") == attribute_value(1'800'000'000));
    CHECK(stored.at("opened") == attribute_value("1970-01-01T00:00:05Z"));
    CHECK(from_item<login>(stored) == one);
    CHECK(from_item<login>({{"id", "1"}, {"ttl", "2027-01-15T08:00:00Z"}, {"opened", 5}}) == one);

    lease other{.id = "1", .ends = sys_time<milliseconds>(7000ms)};
    CHECK(to_item(other).at("ends") == attribute_value(7));
    for (const auto& [exact, second] : {std::pair(7250ms, 7), std::pair(-250ms, -1)}) {
        other.ends = sys_time<milliseconds>(exact);
        CHECK(to_item(other).at("ends") == attribute_value(second));
    }
    const auto read = from_item<lease>({{"id", "1"}, {"ends", "1970-01-01T00:00:07.250Z"}});
    CHECK(read.ends == sys_time<milliseconds>(7250ms));
    CHECK(to_item(read).at("ends") == attribute_value(7));
    CHECK(to_members(lease{}).absent == std::vector<std::string>{"ends"});
    CHECK(complaint([] { from_item<login>({{"id", "1"}, {"ttl", number("1.5")}}); }).find("ttl is 1.5") == 0);
}

TEST_CASE("mapping: a number beyond a float is refused, and the largest comes back") {
    const auto refused = [](const char* text) {
        return complaint([&] { from_item<single>({{"weight", number(text)}}); });
    };
    CHECK(refused("1E100") == "weight is 1E100, and lies beyond what its type can hold");
    CHECK(refused("-3.5E38").find("lies beyond") != std::string::npos);
    for (const auto weight : {std::numeric_limits<float>::max(), std::numeric_limits<float>::lowest(), 1e-40F}) {
        CHECK(from_item<single>(to_item(single{weight})).weight == weight);
    }
}

TEST_CASE("mapping: two members of one attribute name are refused, empty ones too") {
    for (const auto& value : {twins{"a", "b"}, twins{"a", std::nullopt}, twins{std::nullopt, "b"}, twins{}}) {
        CHECK(complaint([&] { to_item(value); }).find("same") != std::string::npos);
    }
}

TEST_CASE("mapping: private members that are described are stored, and an optional of an optional keeps both") {
    CHECK(to_item(sealed(42)) == item{{"secret_", 42}});
    CHECK(from_item<sealed>({{"secret_", 42}}) == sealed(42));
    for (const auto& value : {deep{}, deep{std::optional<int>()}, deep{std::optional<int>(3)}}) {
        CHECK(from_item<deep>(to_item(value)) == value);
    }
    STATIC_REQUIRE_FALSE(mapping::mappable<std::vector<std::optional<std::optional<int>>>>);
    STATIC_REQUIRE_FALSE(mapping::mappable<std::optional<std::optional<std::optional<int>>>>);
}

TEST_CASE("mapping: bases with members must be listed, and the version's member described") {
    STATIC_REQUIRE(mapping::lists_its_bases<listed>);
    STATIC_REQUIRE(mapping::lists_its_bases<base>);
    STATIC_REQUIRE(mapping::lists_its_bases<priced>);
    STATIC_REQUIRE_FALSE(mapping::lists_its_bases<unlisted>);
    STATIC_REQUIRE(mapping::describes_version<versioned_by_one>);
    STATIC_REQUIRE_FALSE(mapping::describes_version<versioned_by_none>);
    // An item of before it had versions.
    CHECK(from_item<versioned_by_one>({{"id", "x"}}).version == -1);
}

TEST_CASE("mapping: what a trait throws comes with its place") {
    const auto reading = complaint([] { from_item<priced>({{"prices", attribute_list{"7", "x"}}}); });
    CHECK(reading.find("prices[1] does not fit its type: stoi") == 0);
    CHECK(complaint([] { to_item(priced{{{1}, {-1}}}); }) == "prices[1] does not fit its type: a debt");
}

TEST_CASE("mapping: text that is no UTF-8 is refused, and by the place of it") {
    const std::string half = "x\xc3";
    const std::string told = " holds text that is no UTF-8, and DynamoDB takes no other";
    CHECK(complaint([&] { to_item(words{.one = half}); }) == "one" + told);
    CHECK(complaint([&] { to_item(words{.several = {"a", "\xed\xa0\x80"}}); }) == "several[1]" + told);
    CHECK(complaint([&] { to_item(words{.counted = {{half, 1}}}); }) == "counted" + told);
    CHECK(complaint([&] { to_item(words{.all = {half}}); }) == "all" + told);
    CHECK(to_item(words{.one = "\xc3\xa9", .all = {"x"}}).at("one") == attribute_value("\xc3\xa9"));
}

TEST_CASE("mapping: a value by itself is what a member of its type is stored as") {
    CHECK(to_attribute(std::string("x")) == attribute_value("x"));
    CHECK(to_attribute("x") == attribute_value("x"));
    CHECK(to_attribute(std::vector<int>{1, 2}) == attribute_value(attribute_list{1, 2}));
    CHECK(to_attribute(std::optional<int>{}) == attribute_value(null{}));
    CHECK(to_attribute(single{.weight = 2}) == attribute_value(attribute_map{{"weight", 2}}));
}
