// One table for several structs: variants told apart by an attribute, and keys made from members.
// SPDX-License-Identifier: BSL-1.0
#include "book_shop.hpp"
#include "unit/versioned/complaint.hpp"

#include <boost/describe/class.hpp>

#include <catch2/catch.hpp>

#include <array>
#include <chrono>
#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace single_table {

struct customer {
    std::string id{};
    std::string name{};
    int version = 0;
    friend bool operator==(const customer&, const customer&) = default;
};
BOOST_DESCRIBE_STRUCT(customer, (), (id, name, version))

struct order {
    std::string customer{};
    std::string number{};
    int total = 0;
    std::optional<std::string> open_since{};
    friend bool operator==(const order&, const order&) = default;
};
BOOST_DESCRIBE_STRUCT(order, (), (customer, number, total, open_since))

using record = std::variant<customer, order>;

struct circle {
    double radius = 0;
    friend bool operator==(const circle&, const circle&) = default;
};
BOOST_DESCRIBE_STRUCT(circle, (), (radius))
struct label {
    std::string text{};
    friend bool operator==(const label&, const label&) = default;
};
BOOST_DESCRIBE_STRUCT(label, (), (text))
using shape = std::variant<circle, label>;

struct drawing {
    std::string id{};
    std::optional<shape> main{};
    std::vector<shape> others{};
    friend bool operator==(const drawing&, const drawing&) = default;
};
BOOST_DESCRIBE_STRUCT(drawing, (), (id, main, others))

struct clashing {
    std::string kind{};
};
BOOST_DESCRIBE_STRUCT(clashing, (), (kind))
using clash = std::variant<clashing>;

struct shadowed {
    std::string pk{};
};
BOOST_DESCRIBE_STRUCT(shadowed, (), (pk))

}  // namespace single_table

template <>
struct dynalease::variant_traits<single_table::record> {
    static constexpr std::string_view discriminator = "entity";
    static constexpr std::array<std::string_view, 2> values{"CUSTOMER", "ORDER"};
};
template <>
struct dynalease::variant_traits<single_table::shape> {
    static constexpr std::string_view discriminator = "kind";
    static constexpr std::array<std::string_view, 2> values{"circle", "label"};
};
template <>
struct dynalease::variant_traits<single_table::clash> {
    static constexpr std::string_view discriminator = "kind";
    static constexpr std::array<std::string_view, 1> values{"clashing"};
};
template <>
struct dynalease::item_traits<single_table::customer> : dynalease::default_item_traits {
    static constexpr auto version_member = &single_table::customer::version;
    static item_members derived(const single_table::customer& who) {
        return item{{"pk", "CUSTOMER#" + who.id}, {"sk", "PROFILE"}, {"entity", "CUSTOMER"}};
    }
};
template <>
struct dynalease::item_traits<single_table::order> : dynalease::default_item_traits {
    /// The index "open" has no more than the orders that are.
    static item_members derived(const single_table::order& what) {
        item_members out(item{{"pk", "CUSTOMER#" + what.customer}, {"sk", "ORDER#" + what.number}});
        if (what.open_since)
            out.present.emplace("open", *what.open_since + "#" + what.number);
        else
            out.absent.emplace_back("open");
        return out;
    }
};
template <>
struct dynalease::item_traits<single_table::shadowed> : dynalease::default_item_traits {
    static item_members derived(const single_table::shadowed&) { return item{{"pk", "x"}}; }
};

namespace {

using namespace dynalease;
using namespace dynalease::tests;
using namespace single_table;

/// A table with the keys pk and sk.
struct desk : shop {
    desk() {
        where.apply(create_table_request{.table_name = "records",
                                         .key = {.hash = {.name = "pk"}, .range = key_attribute{.name = "sk"}}});
    }
    versioned<record> records() { return {database(a.network), {.table = "records", .key = "pk", .sort_key = "sk"}}; }
    item record_at(const char* pk, const char* sk) {
        auto read = where.apply(get_item_request{.table_name = "records", .key = {{"pk", pk}, {"sk", sk}}});
        return read.found.value_or(item{});
    }
};

TEST_CASE("mapping: a variant is stored as the struct that it holds, and by an attribute tells which") {
    const drawing some{.id = "d", .main = circle{1.5}, .others = {label{"a"}, circle{2}}};
    CHECK(to_item(some) == item{{"id", "d"},
                                {"main", attribute_map{{"kind", "circle"}, {"radius", number("1.5")}}},
                                {"others", attribute_list{attribute_map{{"kind", "label"}, {"text", "a"}},
                                                          attribute_map{{"kind", "circle"}, {"radius", 2}}}}});
    CHECK(from_item<drawing>(to_item(some)) == some);
    CHECK(to_members(drawing{}).absent == std::vector<std::string>{"main"});
}

TEST_CASE("mapping: a discriminator that is not known, absent or no text is told with what it may be") {
    CHECK(complaint([] { from_item<record>({{"entity", "INVOICE"}}); }) ==
          "entity is \"INVOICE\", and must be one of \"CUSTOMER\", \"ORDER\"");
    CHECK(complaint([] { from_item<record>({{"id", "7"}}); }) ==
          "entity is absent in the item, and tells which struct it is: \"CUSTOMER\", \"ORDER\"");
    CHECK(complaint([] { from_item<record>({{"entity", 7}}); }) == "entity is stored as N, and must be S");
    const item odd{{"id", "d"}, {"others", attribute_list{attribute_map{{"kind", "star"}}}}};
    CHECK(complaint([&] { from_item<drawing>(odd); }) ==
          "others[0].kind is \"star\", and must be one of \"circle\", \"label\"");
    CHECK(complaint([] { from_item<record>({{"entity", "CUSTOMER"}, {"name", 5}, {"id", "7"}}); }) ==
          "name is stored as N, and must be S");
}

TEST_CASE("mapping: a struct that is stored alone, too, may give itself the discriminator of its variant") {
    const customer ann{.id = "7", .name = "Ann"};
    CHECK(to_item(ann).at("entity") == attribute_value("CUSTOMER"));
    CHECK(to_item(record(ann)) == to_item(ann));
}

TEST_CASE("mapping: names that would be taken twice are refused") {
    CHECK(complaint([] { to_item(clash{}); }) ==
          "kind tells which struct it is, \"clashing\", and the struct gives it another value");
    CHECK(complaint([] { to_item(shadowed{}); }) == "pk is derived, and has the attribute name of a member");
}

TEST_CASE("a table of a variant keeps several structs, each under the key that it derives") {
    desk d;
    d.in_a(
        [](desk& in) -> asio::awaitable<void> {
            const auto records = in.records();
            const record who = customer{.id = "7", .name = "Ann"};
            co_await records.create(who);
            const record what = order{.customer = "7", .number = "1", .total = 5, .open_since = "2026"};
            co_await records.create(what);

            query_request all{
                .table_name = "records", .key_condition_expression = "pk = :p", .values = {{":p", "CUSTOMER#7"}}};
            loaded_pages found{records, all};
            auto page = co_await found.next();
            REQUIRE(page);
            REQUIRE(page->size() == 2);
            auto& bought = page->front();
            REQUIRE(std::holds_alternative<order>(bought.value));
            const customer told{.id = "7", .name = "Ann", .version = 1};
            CHECK(std::get<customer>(page->back().value) == told);

            std::get<order>(bought.value).open_since.reset();
            auto closed = co_await records.save(bought);
            CHECK(closed.version == 2);
            CHECK_FALSE(in.record_at("CUSTOMER#7", "ORDER#1").contains("open"));
        },
        d);
    CHECK(d.record_at("CUSTOMER#7", "PROFILE").at("entity") == attribute_value("CUSTOMER"));
    CHECK_FALSE(d.record_at("CUSTOMER#7", "ORDER#1").contains("open_since"));
}

TEST_CASE("an item that becomes another struct has none of the members of the first, and keeps what both do not know") {
    shop s;
    s.put({{"isbn", "1"},
           {"entity", "ORDER"},
           {"customer", "7"},
           {"number", "1"},
           {"total", 5},
           {"version", 1},
           {"foreign", "stays"},
           {"pk", "CUSTOMER#7"},
           {"sk", "ORDER#1"}});
    s.in_a(
        [](shop& in) -> asio::awaitable<void> {
            const versioned<record> records{database(in.a.network), in_books()};
            auto found = co_await records.load("1");
            REQUIRE(found);
            found->value = customer{.id = "8", .name = "Bob"};
            co_await records.save(*found);
        },
        s);
    const auto left = s.stored("1");
    CHECK(left.at("entity") == attribute_value("CUSTOMER"));
    CHECK(left.at("foreign") == attribute_value("stays"));
    CHECK(left.at("pk") == attribute_value("CUSTOMER#8"));
    for (const auto* name : {"customer", "number", "total"}) CHECK_FALSE(left.contains(name));
}

TEST_CASE("a page of a variant holds apart what is of no kind that is known") {
    shop s;
    s.put({{"isbn", "1"}, {"entity", "CUSTOMER"}, {"id", "7"}, {"name", "Ann"}});
    s.put({{"isbn", "2"}, {"entity", "INVOICE"}});
    s.in_a(
        [](shop& in) -> asio::awaitable<void> {
            const versioned<record> records{database(in.a.network), in_books()};
            loaded_pages found{records, scan_request{}};
            auto page = co_await found.next_with_misfits();
            REQUIRE(page);
            CHECK(page->values.size() == 1);
            REQUIRE(page->misfits.size() == 1);
            CHECK(page->misfits.front().why.diagnostics().key == "2");
        },
        s);
}

}  // namespace
