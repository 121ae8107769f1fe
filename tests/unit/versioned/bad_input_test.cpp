// What cannot be stored or read is told by name, and before anything is sent wherever that can be.
// SPDX-License-Identifier: BSL-1.0
#include "book_shop.hpp"
#include "complaint.hpp"

#include <dynalease/versioned.hpp>

#include <catch2/catch.hpp>

namespace expiring {

using dynalease::attribute_value;

/// Its traits call something `time_to_live` that it has not.
struct misspelt {
    std::string isbn;
    std::chrono::sys_seconds ends;
};
BOOST_DESCRIBE_STRUCT(misspelt, (), (isbn, ends))
/// ... that it writes in a form of its own.
struct by_itself {
    std::string isbn;
    attribute_value end;
};
BOOST_DESCRIBE_STRUCT(by_itself, (), (isbn, end))
/// ... that is derived.
struct derives {
    std::string isbn;
};
BOOST_DESCRIBE_STRUCT(derives, (), (isbn))
/// ... that somebody else writes.
struct reads {
    std::string isbn;
    std::chrono::sys_seconds ends;
};
BOOST_DESCRIBE_STRUCT(reads, (), (isbn, ends))
/// Nothing says by which time its table's TTL goes.
struct unmarked {
    std::string isbn;
    std::chrono::sys_seconds ends;
};
BOOST_DESCRIBE_STRUCT(unmarked, (), (isbn, ends))

}  // namespace expiring

template <>
struct dynalease::item_traits<expiring::misspelt> : dynalease::default_item_traits {
    static constexpr std::string_view time_to_live = "end";
};
template <>
struct dynalease::item_traits<expiring::by_itself> : dynalease::default_item_traits {
    static constexpr std::string_view time_to_live = "end";
};
template <>
struct dynalease::item_traits<expiring::derives> : dynalease::default_item_traits {
    static constexpr std::string_view time_to_live = "end";
    static item_members derived(const expiring::derives&) {
        item_members more;
        more.present.emplace("end", 7);
        return more;
    }
};
template <>
struct dynalease::member_traits<&expiring::reads::ends> : dynalease::default_member_traits {
    static constexpr bool is_written = false;
};

using namespace dynalease;
using namespace dynalease::tests;

namespace {

struct refused {
    error_code code;
    std::string message;
    std::size_t requests;
};

/// What a raw write of the item is told.
refused told(shop& s, item value, bool create = true) {
    refused out;
    s.in_a(
        [](shop& in, const item& what, bool creates, refused& into) -> asio::awaitable<void> {
            auto items = in.items(in.a);
            in.a.network->clear_log();
            diagnostics details;
            if (creates) {
                auto [error, result] = co_await items.create(what, details, as_pair);
                into.code = error;
            } else {
                auto [error, result] = co_await items.clobber(what, {}, details, as_pair);
                into.code = error;
            }
            into.message = details.message;
            into.requests = in.requests(in.a);
        },
        s, value, create, out);
    return out;
}

template <class T>
void check_read(shop& s, item stored, std::string_view named) {
    stored.emplace("isbn", isbn);
    s.put(std::move(stored));
    s.in_a(
        [](shop& in, std::string_view name) -> asio::awaitable<void> {
            versioned<T> table(database(in.a.network), in_books());
            try {
                co_await table.load(isbn);
                FAIL("it was taken");
            } catch (const error& why) {
                INFO(why.what());
                CHECK(why.code() == errc::bad_attribute);
                CHECK(why.condition() == condition::misconfigured);
                CHECK(why.diagnostics().message.find(name) != std::string::npos);
            }
        },
        s, named);
}

}  // namespace

TEST_CASE("bad input: a number of more than 38 digits names its text") {
    CHECK_THROWS_AS(number("123456789012345678901234567890123456789"), error);
    try {
        const mapping_place whole;
        const mapping_place place(whole, "price", "price");
        mapping::to_number("123456789012345678901234567890123456789", place);
        FAIL("it was taken");
    } catch (const error& why) {
        CHECK(why.code() == errc::bad_attribute);
        CHECK(why.diagnostics().message.find("price") == 0);
        CHECK(why.diagnostics().message.find("38") != std::string::npos);
    }
}

TEST_CASE("bad input: an empty set names its attribute, however deep it stands") {
    shop s;
    const auto flat = told(s, {{"isbn", isbn}, {"tags", string_set{}}});
    CHECK(flat.code == errc::bad_attribute);
    CHECK(flat.message.find("\"tags\"") != std::string::npos);
    CHECK(flat.requests == 0);
    const auto deep = told(s, {{"isbn", isbn}, {"a", attribute_list{1, attribute_map{{"b", number_set{}}}}}});
    CHECK(deep.message.find("\"a[1].b\"") != std::string::npos);
}

TEST_CASE("bad input: a version of another type names it, and is never written over") {
    shop s;
    s.put({{"isbn", isbn}, {"title", "x"}, {"pages", 1}, {"version", "seven"}});
    s.in_a(
        [](shop& in) -> asio::awaitable<void> {
            auto books = in.books(in.a);
            try {
                co_await books.load(isbn);
                FAIL("it was taken");
            } catch (const error& why) {
                CHECK(why.code() == errc::bad_version);
                CHECK(why.diagnostics().message.find("\"version\"") != std::string::npos);
            }
            auto [error, result] = co_await books.update(isbn, [](book value) { return value; }, as_pair);
            CHECK(error == errc::bad_version);
        },
        s);
    CHECK(*find_string(s.stored(), "version") == "seven");
}

TEST_CASE("bad input: a missing or empty key names it") {
    shop s;
    const auto missing = told(s, {{"title", "x"}});
    CHECK(missing.code == errc::bad_attribute);
    CHECK(missing.message.find("\"isbn\"") != std::string::npos);
    const auto empty = told(s, {{"isbn", ""}});
    CHECK(empty.message.find("\"isbn\"") != std::string::npos);
    CHECK(empty.requests == 0);
}

TEST_CASE("bad input: the key of a loaded item cannot be changed") {
    shop s;
    s.in_a(
        [](shop& in) -> asio::awaitable<void> {
            auto books = in.books(in.a);
            const auto one = a_book();
            auto first = co_await books.create(one);
            first.value.isbn = "another";
            auto [error, result] = co_await books.save(first, as_pair);
            CHECK(error == errc::bad_attribute);
        },
        s);
}

TEST_CASE("bad input: an item above 400 KB names its size and its largest attribute") {
    shop s;
    const auto refusal = told(s, {{"isbn", isbn}, {"title", "x"}, {"scan", std::string(410'000, 'x')}});
    CHECK(refusal.code == errc::item_too_large);
    CHECK(refusal.message.find("\"scan\"") != std::string::npos);
    CHECK(refusal.requests == 0);
}

TEST_CASE("bad input: names that belong to the library are refused") {
    const std::string name = GENERATE("version", "_stamp", "_born", "_trail", "_gone", "_lockW", "_TxId");
    shop s;
    const auto refusal = told(s, {{"isbn", isbn}, {name, "x"}});
    CHECK(refusal.code == errc::reserved_name);
    CHECK(refusal.message.find("\"" + name + "\"") != std::string::npos);
    s.in_a(
        [](shop& in, const std::string& attribute) -> asio::awaitable<void> {
            auto books = in.books(in.a);
            const auto change = set(attribute, 1);
            auto [error, result] = co_await books.blind(isbn, change, as_pair);
            CHECK(error == errc::reserved_name);
        },
        s, name);
    CHECK(s.requests(s.a) == 0);
}

TEST_CASE("bad input: more attributes than an update takes") {
    shop s;
    item wide{{"isbn", isbn}};
    for (int i = 0; i < 251; ++i) wide.emplace("a" + std::to_string(i), i);
    const auto refusal = told(s, wide, false);
    CHECK(refusal.code == errc::too_many_members);
    CHECK(refusal.requests == 0);
}

TEST_CASE("bad input: the most attributes that an update takes are taken") {
    shop s;
    s.in_a(
        [](shop& in) -> asio::awaitable<void> {
            auto items = in.items(in.a);
            item wide{{"isbn", isbn}};
            auto first = co_await items.create(wide);
            for (int i = 0; i < 250; ++i) first.value.emplace("a" + std::to_string(i), i);
            auto saved = co_await items.save(first);
            CHECK(saved.value.size() == 251);
        },
        s);
}

TEST_CASE("bad input: a member that is absent in the item, of another type, or too large for it") {
    shop s;
    check_read<book>(s, {{"title", "x"}}, "pages");
    check_read<book>(s, {{"title", 7}, {"pages", 1}}, "title is stored as N");
    check_read<book>(s, {{"title", "x"}, {"pages", 3'000'000'000}}, "pages is 3000000000");
    check_read<book>(s, {{"title", "x"}, {"pages", number("1.5")}}, "pages is 1.5");
}

TEST_CASE("bad input: what cannot be read says so in the diagnostics before a token, too") {
    shop s;
    s.put({{"isbn", isbn}, {"title", 7}, {"pages", 1}});
    diagnostics details;
    error_code code;
    s.books(s.a).load(isbn, details, [&code](error_code end, const auto&) { code = end; });
    s.where.scheduler.run_for(std::chrono::seconds(1));
    CHECK(code == errc::bad_attribute);
    CHECK(details.message.find("title is stored as N") != std::string::npos);
    CHECK(details.key == isbn);
    CHECK_FALSE(details.operation.empty());
}

TEST_CASE("bad input: an update of no try is refused") {
    shop s;
    s.in_a(
        [](shop& in) -> asio::awaitable<void> {
            const auto books = in.books(in.a);
            const auto one = a_book("old", 1);
            co_await books.create(one);
            const auto same = [](book before) { return before; };
            diagnostics details;
            auto done = co_await books.update(isbn, same, update_options{.tries = 0}, details, as_pair);
            CHECK(std::get<0>(done) == errc::invalid_option);
            CHECK(details.message.find("update_options::tries") != std::string::npos);
        },
        s);
}

TEST_CASE("bad input: an update that would wait less than no time is refused, and one may wait for ever") {
    shop s;
    s.in_a(
        [](shop& in) -> asio::awaitable<void> {
            const auto books = in.books(in.a);
            const auto one = a_book("old", 1);
            co_await books.create(one);
            const auto same = [](book before) { return before; };
            diagnostics details;
            const update_options too_short{.wait = std::chrono::milliseconds(-1)};
            auto refused = co_await books.update(isbn, same, too_short, details, as_pair);
            CHECK(std::get<0>(refused) == errc::invalid_option);
            CHECK(details.message.find("update_options::wait") != std::string::npos);
            const update_options for_ever{.wait = std::chrono::milliseconds::max()};
            auto done = co_await books.update(isbn, same, for_ever, details, as_pair);
            CHECK_FALSE(std::get<0>(done));
        },
        s);
}

TEST_CASE("bad input: options that make no sense name themselves") {
    const auto [change, word] = GENERATE(Catch::Generators::table<void (*)(versioned_options&), std::string>({
        {[](auto& o) { o.table = ""; }, "table"},
        {[](auto& o) { o.key = ""; }, "key"},
        {[](auto& o) { o.version = "isbn"; }, "version"},
        {[](auto& o) { o.stamp = "_born"; }, "stamp"},
        {[](auto& o) { o.step = 0; }, "step"},
        {[](auto& o) { o.tombstone_lifetime = std::chrono::seconds(60); }, "tombstone_lifetime"},
        {[](auto& o) { o.version_limit = 0; }, "first_version"},
    }));
    shop s;
    auto options = in_books();
    change(options);
    try {
        s.books(s.a, options);
        FAIL("it was taken");
    } catch (const error& why) {
        CHECK(why.condition() == condition::misconfigured);
        CHECK(why.diagnostics().message.find(word) != std::string::npos);
    }
}

TEST_CASE("bad input: an item whose version goes by another name is neither read nor written by its versions") {
    shop s;
    s.put({{"isbn", isbn}, {"copies", 1}, {"rev", 7}, {"version", 2}, {"_versioned_by", "rev"}});
    s.in_a(
        [](shop& in) -> asio::awaitable<void> {
            versioned<item> table(database(in.a.network), in_books());
            const auto refused = [](error_code code, const diagnostics& why) {
                INFO(why.message);
                CHECK(code == errc::bad_version);
                CHECK(why.message.find(R"(attribute "rev", and not "version")") != std::string::npos);
                CHECK(why.advice.find("versioned_options::version") != std::string::npos);
            };
            diagnostics why;
            auto [unread, none] = co_await table.load(isbn, why, as_pair);
            refused(unread, why);
            auto [unmade, nothing] = co_await table.update(isbn, [](item now) { return now; }, why, as_pair);
            refused(unmade, why);
        },
        s);
    versioned_options by_rev = in_books();
    by_rev.version = "rev";
    s.in_a(
        [](shop& in, versioned_options how) -> asio::awaitable<void> {
            versioned<item> table(database(in.a.network), std::move(how));
            const auto loaded = co_await table.load(isbn);
            REQUIRE(loaded);
            CHECK(loaded->version == 7);
        },
        s, by_rev);
}

TEST_CASE("bad input: the time by which a table's TTL goes is not stored as a text") {
    shop s;
    const database to(s.a.network);
    auto by_end = in_books();
    by_end.time_to_live = "ends";
    CHECK(complaint([&] { const versioned<expiring::misspelt> none(to, in_books()); }).find(R"("end")") !=
          std::string::npos);
    const auto as_text = complaint([&] { const versioned<expiring::unmarked> none(to, by_end); });
    CHECK(as_text.find(R"("ends", by which the table's TTL goes, as S)") != std::string::npos);
    CHECK(as_text.find("item_traits") != std::string::npos);
    CHECK(complaint([&] { const versioned<expiring::unmarked> plain(to, in_books()); }).empty());

    // Of these it is not known that they would.
    CHECK(complaint([&] { const versioned<expiring::by_itself> kept(to, in_books()); }).empty());
    CHECK(complaint([&] { const versioned<expiring::derives> kept(to, in_books()); }).empty());
    CHECK(complaint([&] { const versioned<expiring::reads> kept(to, by_end); }).empty());
}
