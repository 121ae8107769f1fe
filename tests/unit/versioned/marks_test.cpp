// Versioned items under the marks of transactions: who reads sees what is committed, and who writes is held off, whole.
// SPDX-License-Identifier: BSL-1.0
#include "marked_books.hpp"

#include <dynalease/versioned/save_all.hpp>

#include <catch2/catch.hpp>

#include <algorithm>

using namespace dynalease;
using namespace dynalease::tests;

namespace {

bool is_marked(const item& stored) {
    return std::ranges::any_of(stored, [](const auto& entry) { return entry.first.starts_with("_Tx"); });
}

const item_version& state(const item_version& of) {
    return of;
}

}  // namespace

TEST_CASE("what a transaction has changed is read as it was, in one request, and saved from there") {
    const auto kind = GENERATE(mark_kind::updated, mark_kind::to_erase, mark_kind::read);
    const bool commits = GENERATE(true, false);
    shop s;
    s.in_a(
        [](shop& in, mark_kind held, bool committed) -> asio::awaitable<void> {
            auto books = in.books(in.a);
            auto items = in.items(in.a);
            const auto before = co_await a_loaded_book(in);
            const auto raw = co_await items.load(isbn);
            auto transaction = transaction_on(in, of(held));
            transaction.lock();
            REQUIRE(is_marked(in.stored()));

            in.a.network->clear_log();
            auto seen = co_await books.load(isbn);
            CHECK(in.requests(in.a) == 1);
            REQUIRE(seen);
            CHECK(seen->value.title == "Second Edition");
            CHECK(seen->value.pages == 100);
            CHECK(seen->version == 2);
            CHECK(state(*seen) == state(before));
            auto narrow = co_await books.load(isbn, {.members_only = true});
            CHECK(narrow->attributes == seen->attributes);
            CHECK(state(*narrow) == state(before));
            auto raw_now = co_await items.load(isbn);
            CHECK(raw_now->value == raw->value);
            std::vector<key_values> keys{isbn, "another"};
            auto many = co_await items.load_many(std::move(keys));
            CHECK(many[0]->value == raw->value);
            CHECK(state(*many[0]) == state(*raw));
            CHECK_FALSE(many[1]);

            if (committed) {
                transaction.commit();
                auto once_more = co_await books.load(isbn);
                CHECK(state(*once_more) == state(before));
                transaction.finish();
            } else {
                transaction.roll_back();
            }
            seen->value.title = "Third Edition";
            auto [code, told] = co_await books.save(*seen, as_pair);
            const bool over = committed && held != mark_kind::read;
            const auto why = held == mark_kind::updated ? errc::conflict : errc::missing;
            CHECK(code == (over ? make_error_code(why) : error_code{}));
            if (over && told.current) CHECK(told.current->version == 3);
            if (!over) CHECK(told.saved->version == 3);
        },
        s, kind, commits);
}

TEST_CASE("what a transaction inserts is not there yet, and nobody makes it meanwhile") {
    shop s;
    s.in_a(
        [](shop& in) -> asio::awaitable<void> {
            auto books = in.books(in.a);
            auto transaction = transaction_on(in, inserting());
            transaction.lock();
            const auto stands = in.stored();
            auto none = co_await books.load(isbn);
            CHECK_FALSE(none);
            std::vector<key_values> keys{isbn};
            auto many = co_await books.load_many(std::move(keys));
            CHECK_FALSE(many[0]);

            const auto one = a_book();
            auto [created, create_told] = co_await books.create(one, as_pair);
            CHECK(created == errc::locked);
            CHECK(create_told.holder == "transaction 4711");
            CHECK_FALSE(create_told.current);
            CHECK_FALSE(create_told.found);
            const auto change = set("pages", 3);
            auto [blind, blind_told] = co_await books.blind(isbn, change, as_pair);
            CHECK(blind == errc::locked);
            CHECK(blind_told.holder == "transaction 4711");
            auto [clobbered, clobber_told] = co_await books.clobber(one, {.upsert = true}, as_pair);
            CHECK(clobbered == errc::locked);
            auto [removed, remove_told] = co_await books.clobber_remove(isbn, as_pair);
            CHECK(removed == errc::locked);
            versioned_writes writes;
            writes.create(books, one);
            auto [joint, joint_told] = co_await save_all(database(in.a.network), writes, as_pair);
            CHECK(joint == errc::locked);
            CHECK(joint_told.at(0).holder == "transaction 4711");
            CHECK_FALSE(joint_told.at(0).current);
            CHECK(in.stored() == stands);

            transaction.roll_back();
            auto made = co_await books.create(one);
            CHECK(made.version == 1);
        },
        s);
}

TEST_CASE("no verb writes what a transaction holds, and each one shows what is committed, and who holds it") {
    const auto kind = GENERATE(mark_kind::updated, mark_kind::to_erase, mark_kind::read);
    const auto removal = GENERATE(removal::erase, removal::tombstone);
    shop s;
    s.in_a(
        [](shop& in, mark_kind held, enum removal removes) -> asio::awaitable<void> {
            auto options = in_books();
            options.removal = removes;
            auto books = in.books(in.a, options);
            auto before = co_await a_loaded_book(in);
            auto transaction = transaction_on(in, of(held));
            transaction.lock();
            const auto stands = in.stored();
            const auto check = [&](const char* verb, const error_code& code, const auto& told, errc expected) {
                INFO(verb);
                CHECK(code == expected);
                CHECK(told.holder == "transaction 4711");
                CHECK(told.found == 2);
                REQUIRE(told.current);
                CHECK(state(*told.current) == state(before));
                CHECK(told.current->value.title == "Second Edition");
                CHECK(in.stored() == stands);
            };
            before.value.pages = 7;
            const auto one = a_book();
            const auto change = set("pages", 3);
            auto [saved, save_told] = co_await books.save(before, as_pair);
            check("save", saved, save_told, errc::locked);
            CHECK(save_told.expected == 2);
            auto [forced, force_told] = co_await books.save(before, {.ignore_lock = true}, as_pair);
            check("save that ignores locks", forced, force_told, errc::locked);
            const item_revision revision(before.revision());
            auto [revised, revised_told] = co_await books.save(revision, one, as_pair);
            check("save by revision", revised, revised_told, errc::locked);
            auto [replaced, replace_told] = co_await books.replace(before, as_pair);
            check("replace", replaced, replace_told, errc::locked);
            auto [touched, touch_told] = co_await books.touch(before, as_pair);
            check("touch", touched, touch_told, errc::locked);
            auto [removed, remove_told] = co_await books.remove(before, as_pair);
            check("remove", removed, remove_told, errc::locked);
            auto [blind, blind_told] = co_await books.blind(isbn, change, as_pair);
            check("blind", blind, blind_told, errc::locked);
            auto [exact, exact_told] = co_await books.blind(isbn, change, {.exact = true}, as_pair);
            check("exact blind", exact, exact_told, errc::locked);
            auto [forced_blind, forced_blind_told] = co_await books.blind(isbn, change, {.ignore_lock = true}, as_pair);
            check("blind that ignores locks", forced_blind, forced_blind_told, errc::locked);
            auto [clobbered, clobber_told] = co_await books.clobber(one, {.upsert = true}, as_pair);
            check("clobber", clobbered, clobber_told, errc::locked);
            auto [erased, erase_told] = co_await books.clobber_remove(isbn, as_pair);
            check("clobber_remove", erased, erase_told, errc::locked);
            auto [updated, update_told] = co_await books.update(isbn, one_more, {.wait = 1s}, as_pair);
            check("update", updated, update_told, errc::locked);
            const bool may_go = held == mark_kind::to_erase;
            auto [created, create_told] = co_await books.create(one, as_pair);
            check("create", created, create_told, may_go ? errc::locked : errc::exists);

            versioned_writes writes;
            writes.save(books, before);
            diagnostics details;
            auto [joint, joint_told] = co_await save_all(database(in.a.network), writes, details, as_pair);
            CHECK(joint == errc::locked);
            CHECK(details.message == "entry 0: held by transaction 4711");
            const auto& refused = joint_told.at(0);
            CHECK(refused.holder == "transaction 4711");
            CHECK(refused.found == 2);
            CHECK(state(*joint_told.current(books, 0)) == state(before));
            CHECK(in.stored() == stands);
        },
        s, kind, removal);
}

TEST_CASE("an old value meets its conflict under a mark, too, with what is committed") {
    shop s;
    s.in_a(
        [](shop& in) -> asio::awaitable<void> {
            auto books = in.books(in.a);
            const auto one = a_book();
            auto first = co_await books.create(one);
            first.value.title = "Second Edition";
            co_await books.save(first);
            auto transaction = transaction_on(in, retitling());
            transaction.lock();
            first.value.title = "Third Edition";
            auto [code, told] = co_await books.save(first, as_pair);
            CHECK(code == errc::conflict);
            CHECK(told.found == 2);
            CHECK(told.current->value.title == "Second Edition");
            transaction.finish();
            auto [later, later_told] = co_await books.save(*told.current, as_pair);
            CHECK(later == errc::conflict);
            CHECK(later_told.current->version == 3);
            CHECK(later_told.current->value.title == "Uncommitted");
        },
        s);
}

TEST_CASE("a write without an answer is known for ours under a mark that came after it") {
    const auto kind = GENERATE(mark_kind::updated, mark_kind::to_erase, mark_kind::read);
    shop s;
    s.in_a(
        [](shop& in, mark_kind held) -> asio::awaitable<void> {
            auto books = in.books(in.a);
            auto value = co_await a_loaded_book(in);
            in.a.network->set_plan([](const any_request& request, const call_options&) {
                return testing::fault{is_write(request) ? testing::fault::kind::lose_answer
                                                        : testing::fault::kind::lose_request};
            });
            value.value.title = "Third Edition";
            auto [code, told] = co_await books.save(value, as_pair);
            CHECK(code == errc::in_doubt);
            in.a.network->set_plan({});
            auto transaction = transaction_on(in, of(held));
            transaction.lock();
            auto resolved = co_await told.pending.resolve();
            CHECK(resolved.verdict == resolution::applied);
            REQUIRE(resolved.current);
            CHECK(resolved.current->value.title == "Third Edition");
            CHECK(resolved.current->version == 3);
        },
        s, kind);
}

TEST_CASE("a mark that is not as this library writes it is named, and what carries it is not written") {
    shop s;
    s.in_a(
        [](shop& in) -> asio::awaitable<void> {
            auto books = in.books(in.a);
            auto value = co_await a_loaded_book(in);
            auto transaction = transaction_on(in, retitling());
            transaction.lock();
            auto damaged = in.stored();
            damaged.insert_or_assign("_TxP", "text");
            in.put(damaged);

            diagnostics details;
            auto [loaded, nothing] = co_await books.load(isbn, details, as_pair);
            CHECK(loaded == errc::corrupt_row);
            CHECK(details.message.find("\"_TxP\"") != std::string::npos);
            std::vector<key_values> keys{"another", isbn};
            auto [many, none] = co_await books.load_many(std::move(keys), details, as_pair);
            CHECK(many == errc::corrupt_row);
            CHECK(none.empty());
            CHECK(details.key == isbn);
            CHECK(details.message.find("\"_TxP\"") != std::string::npos);
            value.value.pages = 7;
            auto [saved, told] = co_await books.save(value, details, as_pair);
            CHECK(saved == errc::corrupt_row);
            CHECK(details.message.find("\"_TxP\"") != std::string::npos);
            auto [updated, update_told] = co_await books.update(isbn, one_more, as_pair);
            CHECK(updated == errc::corrupt_row);
            versioned_writes writes;
            writes.save(books, value);
            auto [joint, joint_told] = co_await save_all(database(in.a.network), writes, details, as_pair);
            CHECK(joint == errc::corrupt_row);
            CHECK(details.message.find("\"_TxP\"") != std::string::npos);
            CHECK(in.stored() == damaged);
        },
        s);
}

TEST_CASE("no attribute of a mark is shown as the user's, and none is taken for one") {
    const std::string name = GENERATE("_TxId", "_TxP", "_TxB:title", "_TxV:version", "_Tx");
    shop s;
    s.in_a(
        [](shop& in, const std::string& reserved) -> asio::awaitable<void> {
            auto items = in.items(in.a);
            const item whole{{"isbn", isbn}, {"title", "Old Title"}};
            auto made = co_await items.create(whole);
            const auto stands = in.stored();
            auto with = whole;
            with.emplace(reserved, "x");
            auto changed = made;
            changed.value.emplace(reserved, "x");
            in.a.network->clear_log();
            auto [created, create_told] = co_await items.create(with, as_pair);
            CHECK(created == errc::reserved_name);
            auto [saved, save_told] = co_await items.save(changed, as_pair);
            CHECK(saved == errc::reserved_name);
            auto [replaced, replace_told] = co_await items.replace(changed, as_pair);
            CHECK(replaced == errc::reserved_name);
            auto [clobbered, clobber_told] = co_await items.clobber(with, as_pair);
            CHECK(clobbered == errc::reserved_name);
            for (const auto& change : {set(reserved, "x"), dynalease::remove(reserved), set(path(reserved)["m"], 1)}) {
                auto [blind, blind_told] = co_await items.blind(isbn, change, as_pair);
                CHECK(blind == errc::reserved_name);
            }
            CHECK(in.requests(in.a) == 0);
            CHECK(in.stored() == stands);

            // Left there by whoever took a part of a mark off.
            if (reserved == "_TxId") co_return;
            auto left = stands;
            left.emplace(reserved, "x");
            in.put(left);
            auto seen = co_await items.load(isbn);
            CHECK(seen->value == whole);
        },
        s, name);
}
