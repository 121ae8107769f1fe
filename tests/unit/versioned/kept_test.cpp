// A save changes what the caller changed and nothing else: not what the struct does not know, however deep it stands,
// and not what the struct would say less exactly.
// SPDX-License-Identifier: BSL-1.0
#include "book_shop.hpp"

#include "versioned/protocol/member_merge.hpp"

#include <dynalease/versioned.hpp>

#include <catch2/catch.hpp>

#include <map>
#include <random>

namespace register_office {

struct address {
    std::string id{};
    std::string street{};
    std::optional<std::string> note{};
};
BOOST_DESCRIBE_STRUCT(address, (), (id, street, note))

/// As an older program knows it: what newer ones keep beside it, on every level, it has no members for.
struct person {
    std::string isbn{};
    std::string name{};
    address home{};
    std::vector<address> others{};
    std::map<std::string, address> by_use{};
    double weight{};
    std::vector<double> readings{};
    std::chrono::sys_seconds seen{};
    std::optional<int> children{};
};
BOOST_DESCRIBE_STRUCT(person, (), (isbn, name, home, others, by_use, weight, readings, seen, children))

struct sheet {
    std::optional<std::string> isbn{};
    int pages{};
};
BOOST_DESCRIBE_STRUCT(sheet, (), (isbn, pages))

}  // namespace register_office

using namespace dynalease;
using namespace dynalease::tests;
using register_office::person;

namespace {

using people = versioned<person>;

/// More digits than a double has.
number exact(std::mt19937_64& random) {
    return number("0." + std::to_string(random() % 9 + 1) + "234567890123456789012345678901234567");
}

attribute_map stored_address(std::mt19937_64& random) {
    static int count = 0;
    attribute_map out{{"id", "a" + std::to_string(++count)}, {"street", "Street " + std::to_string(count)}};
    if (random() % 2 == 0) out.emplace("zip", std::to_string(random() % 90'000));
    if (random() % 3 == 0) out.emplace("where", attribute_map{{"lat", exact(random)}, {"lon", exact(random)}});
    if (random() % 3 == 0) out.emplace("note", random() % 2 == 0 ? attribute_value("n") : attribute_value(null{}));
    return out;
}

item stored_person(std::mt19937_64& random) {
    attribute_list others;
    attribute_list readings;
    attribute_map by_use{{"post", stored_address(random)}};
    for (auto count = random() % 5; count > 0; --count) others.push_back(stored_address(random));
    for (auto count = random() % 4; count > 0; --count) readings.push_back(exact(random));
    if (random() % 2 == 0) by_use.emplace("bills", stored_address(random));
    item out{{"isbn", isbn},
             {"version", 1},
             {"name", "Ann"},
             {"home", stored_address(random)},
             {"others", others},
             {"by_use", by_use},
             {"weight", exact(random)},
             {"readings", readings},
             {"seen", "2026-11-21T14:55:41.250Z"},
             {"member_since", "of a newer program"}};
    if (random() % 2 == 0) out.emplace("children", null{});
    return out;
}

attribute_map& map_in(item& whole, const std::string& name) {
    return *whole.at(name).get_if<attribute_map>();
}
attribute_list& list_in(item& whole, const std::string& name) {
    return *whole.at(name).get_if<attribute_list>();
}

/// One change of a person, made twice: in the struct, and by hand in what is stored.
struct change {
    void (*of_struct)(person& who, std::size_t place);
    void (*of_item)(item& stored, std::size_t place);
    /// Which list it needs something in; null: none.
    const char* of = nullptr;
};

const change changes[] = {
    {[](person& who, std::size_t) { who.name = "Anne"; }, [](item& stored, std::size_t) { stored["name"] = "Anne"; }},
    {[](person& who, std::size_t) { who.home.street = "High Street"; },
     [](item& stored, std::size_t) { map_in(stored, "home")["street"] = "High Street"; }},
    {[](person& who, std::size_t) { who.home.note = "new"; },
     [](item& stored, std::size_t) { map_in(stored, "home")["note"] = "new"; }},
    {[](person& who, std::size_t at) { who.others[at].street = "Side Street"; },
     [](item& stored, std::size_t at) {
         (*list_in(stored, "others")[at].get_if<attribute_map>())["street"] = "Side Street";
     },
     "others"},
    {[](person& who, std::size_t at) { who.others.erase(who.others.begin() + static_cast<std::ptrdiff_t>(at)); },
     [](item& stored, std::size_t at) {
         auto& others = list_in(stored, "others");
         others.erase(others.begin() + static_cast<std::ptrdiff_t>(at));
     },
     "others"},
    {[](person& who, std::size_t) { who.others.push_back({.id = "last", .street = "Last"}); },
     [](item& stored, std::size_t) {
         list_in(stored, "others").push_back(attribute_map{{"id", "last"}, {"street", "Last"}});
     }},
    {[](person& who, std::size_t) { who.others.insert(who.others.begin(), {.id = "first", .street = "First"}); },
     [](item& stored, std::size_t) {
         auto& others = list_in(stored, "others");
         others.insert(others.begin(), attribute_map{{"id", "first"}, {"street", "First"}});
     }},
    {[](person& who, std::size_t at) { std::swap(who.others.front(), who.others[at]); },
     [](item& stored, std::size_t at) { std::swap(list_in(stored, "others").front(), list_in(stored, "others")[at]); },
     "others"},
    {[](person& who, std::size_t) { who.by_use["post"].street = "Post Street"; },
     [](item& stored, std::size_t) {
         (*map_in(stored, "by_use")["post"].get_if<attribute_map>())["street"] = "Post Street";
     }},
    {[](person& who, std::size_t) { who.by_use.erase("bills"); },
     [](item& stored, std::size_t) { map_in(stored, "by_use").erase("bills"); }},
    {[](person& who, std::size_t) { who.by_use["gifts"] = {.id = "g", .street = "Gift Street"}; },
     [](item& stored, std::size_t) {
         map_in(stored, "by_use").insert_or_assign("gifts", attribute_map{{"id", "g"}, {"street", "Gift Street"}});
     }},
    {[](person& who, std::size_t) { who.weight = 71.5; },
     [](item& stored, std::size_t) { stored["weight"] = number("71.5"); }},
    {[](person& who, std::size_t at) { who.readings[at] = 0.5; },
     [](item& stored, std::size_t at) { list_in(stored, "readings")[at] = number("0.5"); }, "readings"},
    {[](person& who, std::size_t) { who.seen += 1s; },
     [](item& stored, std::size_t) { stored["seen"] = "2026-11-21T14:55:42Z"; }},
    {[](person& who, std::size_t) { who.children = 2; }, [](item& stored, std::size_t) { stored["children"] = 2; }},
};

/// Some changes at random, no more than one of a list: of two, nobody could tell which element is which.
struct edit {
    std::vector<std::pair<const change*, std::size_t>> made;

    edit(std::mt19937_64& random, const item& stored) {
        for (const auto& each : changes) {
            if (random() % 4 != 0) continue;
            const auto* list = each.of ? stored.at(each.of).get_if<attribute_list>() : nullptr;
            if (each.of && list->empty()) continue;
            made.emplace_back(&each, list ? random() % list->size() : 0);
            if (each.of && each.of == std::string("others")) break;
        }
    }
    person operator()(person who) const {
        for (const auto& [each, place] : made) each->of_struct(who, place);
        return who;
    }
    item operator()(item stored) const {
        for (const auto& [each, place] : made) each->of_item(stored, place);
        return stored;
    }
};

enum class way { save, whole, update, promoted, together };

asio::awaitable<void> change_by(shop& in, way how, const edit& wanted) {
    people table{database(in.a.network), in_books()};
    if (how == way::update || how == way::promoted) {
        bool raced = how == way::update;
        update_options options;
        if (!raced) options.promote = promotion{.with = &*in.a.session, .after = 1};
        auto make = [&](person who) {
            // Whoever reads first meets a conflict, and goes on under the item's lock.
            if (!std::exchange(raced, true)) {
                auto now = in.stored();
                now["version"] = 2;
                in.put(now);
            }
            return wanted(std::move(who));
        };
        co_await table.update(isbn, make, options);
        co_return;
    }
    auto found = co_await table.load(isbn);
    found->value = wanted(std::move(found->value));
    if (how == way::together) {
        versioned_writes writes;
        writes.save(table, *found);
        co_await save_all(database(in.a.network), writes);
        co_return;
    }
    const save_options options{.scope = how == way::whole ? save_scope::whole : save_scope::changed};
    auto saved = co_await table.save(*found, options);
    CHECK(saved.attributes == in.stored());
}

/// Without what is the library's.
item users(item stored) {
    for (const auto* name : {"version", "_born", "_stamp", "_trail", "_lockF"}) stored.erase(name);
    return stored;
}

}  // namespace

TEST_CASE("a save changes what the caller changed and nothing else, whatever newer programs keep beside it") {
    for (std::uint64_t seed = 1; seed <= 400; ++seed) {
        std::mt19937_64 random(seed);
        shop s(seed);
        const auto before = stored_person(random);
        const edit wanted(random, before);
        const auto how = static_cast<way>(seed % 5);
        s.put(before);
        s.in_a(change_by, s, how, wanted);
        INFO("seed " << seed << ", by way " << seed % 5);
        REQUIRE(users(s.stored()) == users(wanted(before)));
    }
}

TEST_CASE("an update whose function changes nothing writes nothing, though the struct does not know all") {
    shop s;
    std::mt19937_64 random(3);
    const auto before = stored_person(random);
    s.put(before);
    s.in_a(
        [](shop& in) -> asio::awaitable<void> {
            people table{database(in.a.network), in_books()};
            co_await table.update(isbn, [](person who) { return who; });
            CHECK(in.requests(in.a, "UpdateItem") == 0);
        },
        s);
    CHECK(s.stored() == before);
}

TEST_CASE("a replacement drops what the struct does not know, inside its members too") {
    shop s;
    std::mt19937_64 random(4);
    s.put(stored_person(random));
    s.in_a(
        [](shop& in) -> asio::awaitable<void> {
            people table{database(in.a.network), in_books()};
            auto found = co_await table.load(isbn);
            co_await table.replace(*found);
            auto left = to_item(found->value);
            CHECK(users(in.stored()) == left);
        },
        s);
}

TEST_CASE("a key that the caller's value has no longer stays what it is") {
    const auto scope = GENERATE(save_scope::changed, save_scope::whole);
    shop s;
    s.put({{"isbn", isbn}, {"version", 1}, {"pages", 1}});
    const auto empty_and_save = [](shop& in, save_scope how) -> asio::awaitable<void> {
        const versioned<register_office::sheet> sheets{database(in.a.network), in_books()};
        auto found = co_await sheets.load(isbn);
        found->value = {.isbn = std::nullopt, .pages = 2};
        co_await sheets.save(*found, {.scope = how});
    };
    s.in_a(empty_and_save, s, scope);
    CHECK(users(s.stored()) == item{{"isbn", isbn}, {"pages", 2}});
}

namespace {

attribute_map line(const char* name, int count, const char* colour) {
    return {{"name", name}, {"count", count}, {"colour", colour}};
}
attribute_map with(attribute_map shown, const char* hidden, int value) {
    shown.emplace(hidden, value);
    return shown;
}
attribute_map address(int id, const char* street, const char* town) {
    return {{"id", id}, {"street", street}, {"town", town}};
}

/// A list whose reader sees nothing of what stands under this name.
attribute_value merged_list(const attribute_list& stored, const char* hidden, const attribute_list& wanted) {
    auto seen = stored;
    for (auto& each : seen) each.get_if<attribute_map>()->erase(hidden);
    return protocol::merged(stored, seen, wanted);
}

}  // namespace

TEST_CASE("what the reader of a list does not see stays with the element that is most like it") {
    const auto apple = line("apple", 1, "red");
    const auto more = line("apple", 2, "red");
    const auto plum = line("plum", 1, "blue");
    CHECK(merged_list({with(apple, "discount", 50)}, "discount", {plum, more}) ==
          attribute_value(attribute_list{plum, with(more, "discount", 50)}));
    // One element went and another came.
    const auto fig = line("fig", 7, "green");
    CHECK(merged_list({with(apple, "discount", 50)}, "discount", {fig}) == attribute_value(attribute_list{fig}));
    // Elements that only changed places.
    CHECK(merged_list({with(apple, "discount", 50), with(plum, "discount", 60)}, "discount", {plum, apple}) ==
          attribute_value(attribute_list{with(plum, "discount", 60), with(apple, "discount", 50)}));
}

TEST_CASE("elements of a list that were changed where they stand keep what its reader does not see") {
    const attribute_list stored{with(address(1, "High Street", "York"), "zip", 11),
                                with(address(2, "Low Street", "Bath"), "zip", 22)};
    const auto first = address(1, "Low Street", "Bath");
    const auto second = address(2, "High Street", "York");
    CHECK(merged_list(stored, "zip", {first, second}) ==
          attribute_value(attribute_list{with(first, "zip", 11), with(second, "zip", 22)}));
}

TEST_CASE("a list too long to compare all its elements keeps by place what its reader does not see") {
    constexpr int count = 1'000;
    attribute_list stored;
    attribute_list wanted;
    attribute_list expected;
    for (int i = 0; i < count; ++i) {
        attribute_map numbers{{"id", i}};
        for (int k = 0; k < 11; ++k) numbers.emplace("n" + std::to_string(k), k);
        stored.push_back(with(numbers, "zip", i));
        numbers["n0"] = i + 1;
        wanted.push_back(numbers);
        expected.push_back(with(numbers, "zip", i));
    }
    CHECK(merged_list(stored, "zip", wanted) == attribute_value(expected));
}
