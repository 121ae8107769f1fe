// Whatever structs write to one item in a transaction, and in what order: it becomes what they would have made of it
// one by one, and that is what a read in between shows.
// SPDX-License-Identifier: BSL-1.0
#include "bank.hpp"

#include <dynalease/dynamodb/expression.hpp>

#include <catch2/catch.hpp>

#include <algorithm>
#include <chrono>
#include <initializer_list>
#include <map>
#include <optional>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace depot {

struct wide {
    std::string name{};
    int a = 0;
    std::optional<int> b{};
    std::optional<int> c{};
};
BOOST_DESCRIBE_STRUCT(wide, (), (name, a, b, c))

struct narrow {
    std::string name{};
    int a = 0;
    std::optional<int> d{};
};
BOOST_DESCRIBE_STRUCT(narrow, (), (name, a, d))

}  // namespace depot

using namespace dynalease;
using namespace dynalease::tests;
using depot::narrow;
using depot::wide;

namespace {

/// The attributes of an item but its key, and what is the library's own. Empty: there is no item.
using contents = std::optional<std::map<std::string, int>>;

contents contents_of(const std::optional<item>& shown) {
    if (!shown || shown->empty()) return std::nullopt;
    std::map<std::string, int> known;
    for (const auto& [name, value] : *shown) {
        if (name == "name" || name == "version" || name.starts_with('_')) continue;
        known.emplace(name, static_cast<int>(find_integer(*shown, name).value()));
    }
    return known;
}

struct tables {
    explicit tables(node& in) : target(in.network) {}
    dynalease::database target;
    versioned<wide> wides{target, {.table = "accounts", .key = "name"}};
    versioned<narrow> narrows{target, {.table = "accounts", .key = "name"}};
    versioned_items raw{target, {.table = "accounts", .key = "name"}};
};

/// A body that does as it pleases, and what the item has if each of its verbs happens at once.
class body {
public:
    body(unsigned seed, bool there) : random_(seed) {
        if (there) before = now = std::map<std::string, int>{{"a", 1}, {"b", 1}, {"d", 1}, {"e", 1}};
    }

    asio::awaitable<void> run(bank& in, transaction_tier tier) {
        const tables of(in.a);
        auto tx = bank::transactions_of(in.a).begin(by(tier));
        const auto verbs = 1 + draw(6);
        for (int i = 0; i < verbs && refused == errc{}; ++i) {
            const auto which = draw(10);
            if (which < 2) {
                co_await get(tx, of);
            } else {
                write(tx, of, which);
            }
        }
        co_await tx.commit();
    }

    contents before{};
    contents now{};
    errc refused{};  ///< what one of the verbs is to be told, by itself or at the commit
    std::string words{};
    std::string seen_otherwise{};

private:
    int draw(int below) { return static_cast<int>(random_() % static_cast<unsigned>(below)); }
    std::optional<int> maybe() { return draw(2) == 0 ? std::nullopt : std::optional(2 + draw(3)); }

    asio::awaitable<void> get(transaction& tx, const tables& of) {
        contents wanted = now;
        contents seen;
        const auto only = [&](std::initializer_list<const char*> names, auto value) {
            if (value) seen.emplace(std::move(*value));
            if (!wanted) return;
            std::erase_if(*wanted,
                          [&](const auto& each) { return std::ranges::find(names, each.first) == names.end(); });
        };
        read_ = true;
        const auto how = draw(3);
        words += how == 0 ? "get wide, " : how == 1 ? "get narrow, " : "get raw, ";
        if (how == 0) {
            const auto found = co_await tx.get(of.wides, "ann");
            contents shown;
            if (found) shown = {{"a", found->a}};
            if (found && found->b) shown->emplace("b", *found->b);
            if (found && found->c) shown->emplace("c", *found->c);
            only({"a", "b", "c"}, shown);
        } else if (how == 1) {
            const auto found = co_await tx.get(of.narrows, "ann");
            contents shown;
            if (found) shown = {{"a", found->a}};
            if (found && found->d) shown->emplace("d", *found->d);
            only({"a", "d"}, shown);
        } else {
            seen = contents_of(co_await tx.get(of.raw, "ann"));
        }
        if (seen != wanted) seen_otherwise += words;
    }

    void write(transaction& tx, const tables& of, int which) {
        const bool inserts = which >= 8;
        if (which == 7) {
            words += "erase, ";
            if (!now && !erased_ && !read_) refused = errc::missing;
            now.reset();
            erased_ = true;
            return tx.erase(of.raw, "ann");
        }
        if (which == 6) {
            words += "update, ";
            const auto value = 2 + draw(3);
            if (!now) refused = errc::missing;
            if (now) now->insert_or_assign("b", value);
            return tx.update(of.raw, "ann", set("b", value));
        }
        if (inserts && now) refused = errc::exists;
        const int a = 2 + draw(3);
        const auto member = maybe();
        if (which % 3 == 0) {
            words += inserts ? "insert wide, " : "put wide, ";
            const wide value{.name = "ann", .a = a, .b = member, .c = maybe()};
            make({{"a", a}, {"b", value.b}, {"c", value.c}});
            return inserts ? tx.insert(of.wides, value) : tx.put(of.wides, value);
        }
        if (which % 3 == 1) {
            words += "put narrow, ";
            make({{"a", a}, {"d", member}});
            return tx.put(of.narrows, narrow{.name = "ann", .a = a, .d = member});
        }
        words += inserts ? "insert raw, " : "put raw, ";
        item value{{"name", "ann"}, {"a", a}};
        if (member) value.emplace("e", *member);
        now.reset();
        make({{"a", a}, {"e", member}});
        return inserts ? tx.insert(of.raw, value) : tx.put(of.raw, value);
    }

    void make(const std::vector<std::pair<std::string, std::optional<int>>>& members) {
        if (!now) now.emplace();
        for (const auto& [name, value] : members) {
            now->erase(name);
            if (value) now->emplace(name, *value);
        }
    }

    std::mt19937 random_;
    bool read_ = false;
    bool erased_ = false;
};

asio::awaitable<void> run_one(bank& in, transaction_tier tier, body& of, error_code& told) {
    try {
        co_await of.run(in, tier);
    } catch (const error& why) {
        told = why.code();
    }
}

}  // namespace

TEST_CASE("whatever structs a transaction puts into one item act one after the other, as saves would") {
    const auto tier = tiers();
    bank s;
    unsigned done = 0;
    for (unsigned seed = 0; seed < 6000; ++seed) {
        s.where.apply(delete_item_request{.table_name = "accounts", .key = {{"name", "ann"}}});
        body of(seed, seed % 2 == 1);
        if (of.before) {
            item row{{"name", "ann"}};
            for (const auto& [name, value] : *of.before) row.emplace(name, value);
            s.where.apply(put_item_request{.table_name = "accounts", .new_item = std::move(row)});
        }
        error_code told;
        s.in_a([&](bank& in) { return run_one(in, tier, of, told); });
        INFO(seed << (of.before ? ": an item, " : ": none, ") << of.words << told.message());
        CHECK(of.seen_otherwise.empty());
        // What is known of no item before the commit is refused as the header says.
        const bool blind = told == errc::updated_blindly;
        if (!blind) CHECK(bool(told) == (of.refused != errc{}));
        CHECK(contents_of(s.stored("ann")) == (told ? of.before : of.now));
        done += told ? 0U : 1U;
    }
    CHECK(done > 2000);
}

TEST_CASE("the version of an item that was written to before is not spoken of") {
    const auto tier = tiers();
    bank s;
    s.has("ann", 1);
    const auto commit = [](bank& in, transaction_tier how, condition_expression demand,
                           update_expression change) -> asio::awaitable<void> {
        const auto book = bank::table_of(in.a);
        auto tx = bank::transactions_of(in.a).begin(by(how));
        tx.update(book, "ann", set("note", "x"));
        error_code told;
        try {
            tx.update(book, "ann", std::move(change), std::move(demand));
        } catch (const error& why) {
            told = why.code();
            CHECK(why.diagnostics().message.find("version") != std::string::npos);
        }
        CHECK(told == errc::updated_blindly);
        co_await tx.commit();
    };
    s.in_a(commit, tier, attr("version") >= 1, set("balance", 2));
    s.in_a(commit, tier, condition_expression(), set("seen", attr("version")));
    CHECK(s.balance("ann") == 1);
    const auto inside = [](bank& in, transaction_tier how) -> asio::awaitable<void> {
        const auto book = bank::table_of(in.a);
        auto tx = bank::transactions_of(in.a).begin(by(how));
        tx.update(book, "ann", set("form", attribute_map{{"version", 7}}));
        tx.update(book, "ann", set("balance", 2), attr(path("form")["version"]) == 7);
        co_await tx.commit();
    };
    if (tier != transaction_tier::native) {
        s.in_a(inside, tier);
        CHECK(s.balance("ann") == 2);
    }
    const auto first = [](bank& in, transaction_tier how) -> asio::awaitable<void> {
        const auto book = bank::table_of(in.a);
        auto tx = bank::transactions_of(in.a).begin(by(how));
        tx.update(book, "ann", set("balance", 3), attr("version") >= 1);
        co_await tx.commit();
    };
    s.in_a(first, tier);
    CHECK(s.balance("ann") == 3);
}

TEST_CASE("a body that reads and puts one item again and again does no more work each time") {
    bank s;
    s.has("ann", 0);
    const auto body = [](bank& in) -> asio::awaitable<void> {
        const auto book = bank::table_of(in.a);
        const auto seconds_for = [&](int rounds, transaction& tx) -> asio::awaitable<double> {
            const auto began = std::chrono::steady_clock::now();
            for (int i = 0; i < rounds; ++i) {
                auto mine = co_await tx.get(book, "ann");
                ++mine->balance;
                tx.put(book, *mine);
            }
            co_return std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
        };
        auto few = bank::transactions_of(in.a).begin();
        const auto of_few = co_await seconds_for(500, few);
        auto many = bank::transactions_of(in.a).begin();
        const auto of_many = co_await seconds_for(5000, many);
        CHECK(of_many < 30 * of_few);
        co_await many.commit();
    };
    s.in_a(body);
    CHECK(s.balance("ann") == 5000);
}
