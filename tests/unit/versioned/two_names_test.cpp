// Two programs that call the version of one item by different names: one of them writes it, the other one is refused.
// SPDX-License-Identifier: BSL-1.0
#include "book_shop.hpp"

#include "support/histories.hpp"

#include <dynalease/item_lock.hpp>
#include <dynalease/transaction.hpp>

#include <catch2/catch.hpp>

#include <array>
#include <functional>

namespace dynalease::tests {

namespace {

using protocol::test::dice;

enum class step {
    load,
    save,
    save_others,     ///< what the other has loaded
    save_by_others,  ///< by the revision of what the other has loaded
    remove_others,
    blind,
    clobber,
    save_all,
    update_in_transaction,
    put_in_transaction,
    update_under_lock
};
constexpr std::size_t steps = 11;

/// A program that goes by one name, and what it has loaded.
struct keeper {
    keeper(node& in, std::string name, bool stamps)
        : of(in),
          options{.table = "books", .key = "isbn", .version = name, .stamps = stamps},
          books(database(in.network), options),
          several(database(in.network), {.table = table}) {}

    node& of;
    versioned_options options;
    versioned<item> books;
    transactions several;
    std::optional<loaded<item>> kept{};
    int kept_after = 0;  ///< so many writes
};

/// What they both did to one item.
class two_names {
public:
    two_names(std::uint64_t seed, bool stamps)
        : in(seed), stamped(stamps), keepers{{{in.a, "version", stamps}, {in.b, "rev", stamps}}} {}

    /// @returns whether it wrote
    asio::awaitable<bool> take(step what, keeper& by, const keeper& other) {
        item whole{{"isbn", isbn}, {"title", std::to_string(writes)}};
        const auto change = set("title", std::to_string(writes));
        std::function<asio::awaitable<void>(transaction&)> work;
        const auto in_one = [&]() -> asio::awaitable<bool> {
            // Transactions go by stamps.
            if (!stamped) co_return false;
            run_options how;
            how.attempts = 2;
            co_await by.several.run(work, how);
            co_return true;
        };
        switch (what) {
            case step::load: {
                auto found = co_await by.books.load(isbn);
                by.kept = std::move(found);
                by.kept_after = writes;
                co_return false;
            }
            case step::save: {
                if (!by.kept) co_return false;
                auto wanted = *by.kept;
                wanted.value["title"] = std::to_string(writes);
                auto saved = co_await by.books.save(wanted);
                CHECK(by.kept_after == writes);
                by.kept = std::move(saved);
                by.kept_after = writes + 1;
                co_return true;
            }
            case step::save_others:
            case step::save_by_others: {
                if (!other.kept) co_return false;
                auto wanted = *other.kept;
                wanted.value["title"] = std::to_string(writes);
                // Both go by what one of them has loaded: no more than one of its writes passes.
                // One without a birth says no more of an item than its number by one's own name.
                const item_revision base(other.kept->revision());
                if (what == step::save_by_others && !base.state().born) co_return false;
                if (what == step::save_others)
                    co_await by.books.save(wanted);
                else
                    co_await by.books.save(base, wanted.value);
                CHECK(other.kept_after == writes);
                co_return true;
            }
            case step::remove_others:
                if (!other.kept) co_return false;
                co_await by.books.remove(*other.kept);
                CHECK(other.kept_after == writes);
                co_return true;
            case step::blind:
                co_await by.books.blind(isbn, change);
                co_return true;
            case step::clobber:
                co_await by.books.clobber(std::move(whole), {.upsert = true});
                co_return true;
            case step::save_all: {
                versioned_writes all;
                all.blind(by.books, isbn, change);
                co_await dynalease::save_all(database(by.of.network), all);
                co_return true;
            }
            case step::update_in_transaction:
                work = [&](transaction& all) -> asio::awaitable<void> {
                    all.update(by.books, isbn, change);
                    co_return;
                };
                co_return co_await in_one();
            case step::put_in_transaction:
                work = [&](transaction& all) -> asio::awaitable<void> {
                    all.put(by.books, whole);
                    co_return;
                };
                co_return co_await in_one();
            case step::update_under_lock: {
                item_lock lock{*by.of.session, by.books, isbn};
                auto guard = co_await lock.acquire();
                const auto [code, left] = co_await guard.update(change, as_pair);
                co_await guard.release();
                if (code) throw error(code, {});
                co_return true;
            }
        }
        co_return false;
    }

    asio::awaitable<void> take_and_judge(step what, std::size_t which) {
        auto& by = keepers[which];
        const auto& mine = by.options.version;
        const auto before = in.stored();
        const auto owner = name_of(before);
        bool wrote = false;
        error_code code;
        try {
            wrote = co_await take(what, by, keepers[1 - which]);
        } catch (const error& why) {
            code = why.code();
        }
        INFO("step " << static_cast<int>(what) << " of " << std::string(mine) << ", of " << owner
                     << "'s item: " << code.message());
        const bool is_others = !owner.empty() && owner != mine;
        if (is_others) CHECK_FALSE(wrote);
        // What was loaded before may be told as a conflict.
        const bool asks = !is_checked(what) && (stamped || !is_transaction(what));
        if (is_others && asks) CHECK(code == errc::bad_version);
        // Under a lock an item that was stamped and has no such version is refused, too.
        if (code == errc::bad_version && what != step::update_under_lock) CHECK(is_others);
        if (wrote) {
            ++writes;
        } else {
            CHECK(in.stored()["title"] == item(before)["title"]);
        }
    }

    static bool is_checked(step what) {
        return what == step::save || what == step::save_others || what == step::save_by_others ||
               what == step::remove_others;
    }
    static bool is_transaction(step what) {
        return what == step::update_in_transaction || what == step::put_in_transaction;
    }

    /// The name of the item's version; empty: nobody has settled that.
    static std::string name_of(const item& stored) {
        if (const auto by = stored.find("_versioned_by"); by != stored.end()) return *by->second.get_if<std::string>();
        return stored.contains("_born") ? "version" : "";
    }

    shop in;
    const bool stamped;
    std::array<keeper, 2> keepers;
    int writes = 0;
};

}  // namespace

TEST_CASE("an item whose version two programs call differently loses no write, and keeps the name that it has") {
    constexpr std::uint64_t histories = 600;
    unsigned written = 0;
    for (std::uint64_t seed = 0; seed < histories; ++seed) {
        dice choose(seed);
        two_names both(seed, seed % 3 != 0);
        // Made by nobody of ours: with no version, with one of either name, or with both.
        item foreign{{"isbn", isbn}};
        if (seed % 2 == 0) foreign.emplace("version", 3);
        if (seed % 4 < 2) foreign.emplace("rev", 7);
        // Without stamps a blind change of such an item leaves nothing that the other name's base could tell it by.
        if (both.stamped && seed % 5 != 0) both.in.put(std::move(foreign));
        INFO("history " << seed);
        run(both.in.where, both.in.a, [](two_names& of, dice& by) -> asio::awaitable<void> {
            for (int i = 0; i < 7; ++i) {
                const auto which = by(2, 0);
                co_await of.take_and_judge(static_cast<step>(by(steps, 0)), which);
            }
        }(both, choose));
        written += static_cast<unsigned>(both.writes);
    }
    // The histories must be worth looking at.
    CHECK(written > histories);
}

TEST_CASE("a blind change that was made is told so, though another has named the item's version since") {
    two_names both(1, true);
    both.in.put({{"isbn", isbn}});
    auto& [by_version, by_rev] = both.keepers;
    error_code code;
    write_result<item> end;
    running changes(both.in.where, both.in.a,
                    [](keeper& by, error_code& to, write_result<item>& told) -> asio::awaitable<void> {
                        testing::fault twice{testing::fault::kind::answer_copy};
                        twice.copy = 300ms;
                        by.of.network->set_plan(testing::scripted_faults({twice}));
                        const auto change = set("title", "mine");
                        std::tie(to, told) = co_await by.books.blind(isbn, change, as_pair);
                    }(by_version, code, end));
    run(both.in.where, both.in.b, [](keeper& by) -> asio::awaitable<void> {
        co_await sleep(by.of, 100ms);
        auto found = co_await by.books.load(isbn);
        found->value["pages"] = 5;
        co_await by.books.save(*found);
    }(by_rev));
    changes.wait();
    CHECK_FALSE(code);
    CHECK_FALSE(end.saved);
    CHECK(end.unread.find(R"("rev")") != std::string::npos);
    CHECK(*find_string(both.in.stored(), "title") == "mine");
}

TEST_CASE("a row of one's own that shows no name of its version is read, and saved") {
    two_names both(1, true);
    const auto save_again = [](two_names& in, keeper& by) -> asio::awaitable<void> {
        const item whole{{"isbn", isbn}, {"title", "old"}};
        co_await by.books.create(whole);
        auto row = in.in.stored();
        row.erase("_versioned_by");
        auto mine = by.books.from(std::move(row));
        REQUIRE(mine);
        mine->value["title"] = "new";
        co_await by.books.save(*mine);
    };
    run(both.in.where, both.in.b, save_again(both, both.keepers[1]));
    CHECK(*find_string(both.in.stored(), "title") == "new");
}

TEST_CASE("who removes an item whatever its version is, is told of its lock, and not of its name") {
    two_names both(1, true);
    error_code code;
    run(both.in.where, both.in.b, [](two_names& of, error_code& told) -> asio::awaitable<void> {
        auto& [by_version, by_rev] = of.keepers;
        const item whole{{"isbn", isbn}};
        co_await by_rev.books.create(whole);
        auto row = of.in.stored();
        row["_lockW"] = "other.1.0000000000";
        of.in.put(row);
        std::tie(told, std::ignore) = co_await by_version.books.clobber_remove(isbn, as_pair);
        row.erase("_lockW");
        of.in.put(std::move(row));
        co_await by_version.books.clobber_remove(isbn);
    }(both, code));
    CHECK(code == errc::locked);
    CHECK(both.in.stored().empty());
}

TEST_CASE("two handles of one item that disagree are told so in a transaction, and nothing is written") {
    two_names both(1, true);
    auto& by_version = both.keepers[0];
    const versioned<item> other{database(by_version.of.network), both.keepers[1].options};
    const auto way = GENERATE(0, 1, 2);
    const auto body = [&](transaction& all) -> asio::awaitable<void> {
        all.update(by_version.books, isbn, set("title", "mine"));
        if (way == 0) all.update(other, isbn, set("pages", 1));
        if (way == 1) all.check(other, isbn, attr("title") == "old");
        if (way == 2) co_await all.get(other, isbn);
    };
    both.in.put({{"isbn", isbn}, {"title", "old"}});
    const auto works = [&]() -> asio::awaitable<void> {
        try {
            co_await by_version.several.run(body);
            FAIL("it was committed");
        } catch (const error& why) {
            CHECK(why.code() == errc::invalid_option);
            CHECK(why.diagnostics().key == isbn);
            CHECK(why.diagnostics().message.find(R"(has its version in "version", and this one in "rev")") !=
                  std::string::npos);
        }
    };
    run(both.in.where, both.in.a, works());
    CHECK(*find_string(both.in.stored(), "title") == "old");
}

TEST_CASE("so are two handles whose locks stand elsewhere, or that count otherwise") {
    two_names both(1, true);
    auto& keeper = both.keepers[0];
    const bool of_locks = GENERATE(true, false);
    auto options = keeper.options;
    if (of_locks) options.lock_prefix = "_lk";
    if (!of_locks) options.step = 2;
    const versioned<item> other{database(keeper.of.network), options};
    auto tx = keeper.several.begin();
    tx.check(keeper.books, isbn);
    try {
        tx.update(other, isbn, set("pages", 1));
        FAIL("it was taken");
    } catch (const error& why) {
        CHECK(why.code() == errc::invalid_option);
        const auto* words =
            of_locks ? R"(has its lock in "_lock", and this one in "_lk")" : "counts its version otherwise";
        CHECK(why.diagnostics().message.find(words) != std::string::npos);
    }
}

}  // namespace dynalease::tests
