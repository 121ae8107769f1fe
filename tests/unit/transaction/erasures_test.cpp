// Writes to one item that end in an erasure, or begin with one: what each demands of those before it.
// SPDX-License-Identifier: BSL-1.0
#include "bank.hpp"

#include <dynalease/dynamodb/expression.hpp>

#include <catch2/catch.hpp>

#include <vector>

using namespace dynalease;
using namespace dynalease::tests;

namespace {

constexpr int balance_before = 1;
constexpr int balance_put = 2;

enum class verb { put, insert, update_if_before, update_if_put, erase };

const char* name_of(verb which) {
    constexpr const char* names[] = {"put", "insert", "update if as before", "update if as put", "erase"};
    return names[static_cast<int>(which)];
}

void do_to_ann(transaction& tx, const accounts& book, verb which) {
    switch (which) {
        case verb::put:
            return tx.put(book, worth("ann", balance_put));
        case verb::insert:
            return tx.insert(book, worth("ann", balance_put));
        case verb::update_if_before:
            return tx.update(book, "ann", set("mark", 1), attr("balance") == balance_before);
        case verb::update_if_put:
            return tx.update(book, "ann", set("mark", 1), attr("balance") == balance_put);
        case verb::erase:
            return tx.erase(book, "ann");
    }
}

/// One after the other, as if each happened at once.
struct expected {
    bool was_there;
    std::optional<int> balance;
    bool coloured;  ///< by those who made the item, in an attribute that its struct does not know
    bool marked = false;
    errc refused{};
    bool made = false;  ///< by the transaction, of nothing
    bool erased = false;

    void add(verb which) {
        if (refused != errc{}) return;
        switch (which) {
            case verb::insert:
                if (balance) return refuse(errc::exists);
                [[fallthrough]];
            case verb::put:
                made = !was_there;
                balance = balance_put;
                return;
            case verb::erase:
                if (!balance && !erased) return refuse(errc::missing);
                balance.reset();
                coloured = marked = false;
                erased = true;
                return;
            case verb::update_if_before:
                return update(balance_before);
            case verb::update_if_put:
                return update(balance_put);
        }
    }
    void update(int demanded) {
        if (!balance) return refuse(errc::missing);
        if (made) return refuse(errc::updated_blindly);  // as the header says
        if (*balance != demanded) return refuse(errc::condition_failed);
        marked = true;
    }
    void refuse(errc code) { refused = code; }
};

struct end {
    error_code code{};
    bool before_the_commit = false;
};

asio::awaitable<void> commit(bank& in, transaction_tier tier, std::optional<std::string> id,
                             const std::vector<verb>& verbs, end& told) {
    const auto book = bank::table_of(in.a);
    try {
        auto tx = bank::transactions_of(in.a).begin(by(tier, std::move(id)));
        told.before_the_commit = true;
        for (const auto each : verbs) do_to_ann(tx, book, each);
        told.before_the_commit = false;
        co_await tx.commit();
    } catch (const error& why) {
        told.code = why.code();
    }
}

std::vector<verb> drawn(unsigned number, std::size_t length) {
    std::vector<verb> verbs;
    for (std::size_t i = 0; i < length; ++i, number /= 5) verbs.push_back(static_cast<verb>(number % 5));
    return verbs;
}

}  // namespace

TEST_CASE("whatever a transaction does to one item happens as if one by one, or not at all") {
    const auto tier = tiers();
    const bool named = GENERATE(false, true);
    bank s;
    unsigned count = 0;
    for (const bool there : {false, true}) {
        unsigned all = 1;
        for (std::size_t length = 1; length <= 4; ++length) {
            all *= 5;
            for (unsigned number = 0; number < all; ++number) {
                const auto verbs = drawn(number, length);
                s.where.apply(delete_item_request{.table_name = "accounts", .key = {{"name", "ann"}}});
                const item before{{"name", "ann"}, {"balance", balance_before}, {"colour", "red"}};
                if (there) s.where.apply(put_item_request{.table_name = "accounts", .new_item = before});
                expected wanted{.was_there = there,
                                .balance = there ? std::optional(balance_before) : std::nullopt,
                                .coloured = there};
                std::string words = there ? "an item" : "none";
                for (const auto each : verbs) {
                    wanted.add(each);
                    words += std::string(", ") + name_of(each);
                }
                INFO(words);
                end told;
                std::optional<std::string> id;
                if (named) id = "run-" + std::to_string(++count);
                s.in_a([&](bank& in) { return commit(in, tier, id, verbs, told); });
                INFO(told.code.message());
                if (wanted.refused == errc{} && told.code == errc::updated_blindly) {
                    CHECK(wanted.made);
                    continue;
                }
                // Of two faults the body may be told of the one, and the commit of the other.
                CHECK(bool(told.code) == (wanted.refused != errc{}));
                if (!told.before_the_commit && told.code && told.code != errc::updated_blindly)
                    CHECK(told.code == wanted.refused);
                const auto after = s.stored("ann");
                if (told.code) {
                    CHECK(after == (there ? before : item{}));
                    continue;
                }
                CHECK(find_integer(after, "balance") == wanted.balance);
                CHECK(after.contains("colour") == wanted.coloured);
                CHECK(after.contains("mark") == wanted.marked);
                CHECK_FALSE(s.is_marked("ann"));
            }
        }
    }
}
