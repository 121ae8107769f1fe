// Every order of a small world of transactions: what was committed stays, what was not never shows, and nothing stays
// held.
// SPDX-License-Identifier: BSL-1.0
#include "every_order.hpp"

#include <catch2/catch.hpp>

#include <string>
#include <utility>
#include <vector>

namespace dynalease::protocol::test {

TEST_CASE("one transaction over two items, in every order, with one fault") {
    check_all({.name = "alone", .transactions = {{"U", "U"}}}, 1);
}

TEST_CASE("two transactions on one item, in every order, with one fault", "[exhaustive]") {
    check_all({.name = "one item", .transactions = {{"U", ""}, {"U", ""}}, .resolvers = 1}, 2);
}

TEST_CASE("two transactions over the same two items, in every order") {
    check_all({.name = "both items", .transactions = {{"U", "U"}, {"U", "U"}}, .faults = 0, .resolvers = 0}, 2);
    check_all(
        {.name = "waiting", .transactions = {{"U", "U"}, {"U", "U"}}, .faults = 0, .resolvers = 0, .patient = true}, 2);
}

TEST_CASE("two coordinators of one transaction, in every order, with one fault", "[exhaustive]") {
    check_all({.name = "two coordinators", .transactions = {{"U", ""}}, .resolvers = 1, .coordinators = 2}, 1);
}

TEST_CASE("sweepers at work while transactions are, in every order") {
    check_all({.name = "swept",
               .transactions = {{"U", ""}, {"D", ""}},
               .faults = 0,
               .resolvers = 0,
               .coordinators = 2,
               .sweeps = true},
              2);
    check_all({.name = "swept, with one fault",
               .transactions = {{"U", ""}},
               .resolvers = 0,
               .coordinators = 2,
               .sweeps = true},
              1);
}

TEST_CASE("a caller that gives up while others may carry its run on, in every order, with one fault", "[long]") {
    check_all({.name = "given up", .transactions = {{"U", ""}}, .resolvers = 0, .coordinators = 2, .give_ups = 1}, 1);
    check_all({.name = "given up, beside another",
               .transactions = {{"U", ""}, {"U", ""}},
               .faults = 0,
               .resolvers = 1,
               .give_ups = 1},
              2);
}

TEST_CASE("a process that dies at any time, and others who end its transaction, in every order: a sweep finds all",
          "[exhaustive]") {
    check_all({.name = "dies, and is taken over",
               .transactions = {{"U", ""}},
               .resolvers = 1,
               .coordinators = 2,
               .dies = true},
              1);
    check_all({.name = "dies, and is swept",
               .transactions = {{"U", "I"}},
               .exist = {true, false},
               .resolvers = 0,
               .coordinators = 2,
               .sweeps = true,
               .dies = true},
              1);
    check_all({.name = "holds, and dies",
               .transactions = {{"U", ""}},
               .resolvers = 0,
               .coordinators = 2,
               .sweeps = true,
               .dies = true,
               .holds = {true}},
              1);
}

TEST_CASE("a process whose requests are rejected after a time, in every order, with one fault", "[exhaustive]") {
    check_all({.name = "rejected",
               .transactions = {{"U", ""}},
               .resolvers = 0,
               .coordinators = 2,
               .give_ups = 1,
               .rejections = 2},
              1);
}

TEST_CASE("inserts and erasures, in every order, with one fault", "[exhaustive]") {
    check_all({.name = "insert and erase", .transactions = {{"I", ""}, {"D", ""}}, .exist = {false, true}}, 2);
    check_all({.name = "inserts together, beside an erasure",
               .transactions = {{"I", "I"}, {"D", ""}},
               .exist = {true, false},
               .resolvers = 0},
              2);
    check_all({.name = "inserts together, beside another",
               .transactions = {{"I", "I"}, {"I", ""}},
               .exist = {false, false},
               .faults = 0,
               .resolvers = 1},
              1);
    check_all({.name = "erase and insert", .transactions = {{"D", ""}, {"I", ""}}}, 2);
}

TEST_CASE("two writes of one transaction to one item, in every order, with one fault", "[long]") {
    check_all({.name = "twice", .transactions = {{"UU", ""}, {"U", ""}}, .resolvers = 0}, 2);
    check_all({.name = "twice, met", .transactions = {{"UU", ""}, {"U", ""}}, .faults = 0}, 2);
}

TEST_CASE("a read lock beside an update, in every order", "[long]") {
    check_all({.name = "read", .transactions = {{"L", "U"}, {"U", ""}}, .faults = 0}, 2);
    check_all({.name = "read, then updated", .transactions = {{"LU", ""}, {"U", ""}}, .faults = 0}, 2);
}

TEST_CASE("a versioned writer who looks under no mark, beside transactions, in every order, with one fault",
          "[exhaustive]") {
    check_all({.name = "saves", .transactions = {{"U", ""}}, .saves = 2}, 1);
    check_all({.name = "saves between two", .transactions = {{"U", ""}, {"U", ""}}, .faults = 0, .saves = 1}, 2);
}

TEST_CASE("a reader of the latest value, beside transactions, in every order", "[exhaustive]") {
    check_all({.name = "reads", .transactions = {{"U", ""}, {"U", ""}}, .faults = 0, .readers = 2}, 2);
    check_all({.name = "reads of inserts",
               .transactions = {{"I", ""}, {"D", ""}},
               .exist = {false, true},
               .faults = 0,
               .readers = 1},
              2);
}

TEST_CASE("transactions that depend on what they saw, in every order", "[long]") {
    check_all({.name = "pinned", .transactions = {{"pU", ""}, {"pU", ""}}, .resolvers = 0}, 1);
    check_all({.name = "pinned, met", .transactions = {{"pU", ""}, {"U", ""}}, .faults = 0, .resolvers = 1}, 2);
    check_all({.name = "pinned, and saved", .transactions = {{"pU", ""}}, .faults = 0, .saves = 1}, 1);
    check_all({.name = "pinned insert", .transactions = {{"pI", ""}, {"I", ""}}, .exist = {false, true}, .faults = 0},
              1);
}

TEST_CASE("two transactions that each read what the other one writes, in every order: only one commits", "[long]") {
    check_all({.name = "skew", .transactions = {{"U", "r"}, {"r", "U"}}, .faults = 0, .resolvers = 0}, 1);
    check_all({.name = "skew, waiting",
               .transactions = {{"U", "r"}, {"r", "U"}},
               .faults = 0,
               .resolvers = 0,
               .patient = true},
              1);
    check_all({.name = "read, with one fault", .transactions = {{"U", "r"}, {"", "U"}}, .resolvers = 0}, 2);
    check_all({.name = "two coordinators of one that reads",
               .transactions = {{"U", "r"}, {"", "U"}},
               .faults = 0,
               .resolvers = 0,
               .coordinators = 2},
              2);
}

TEST_CASE("two transactions that each demand that the other one has not written, in every order: only one commits",
          "[long]") {
    check_all({.name = "demands", .transactions = {{"U", "d"}, {"d", "U"}}, .faults = 0, .resolvers = 0}, 1);
    check_all({.name = "a demand, with one fault", .transactions = {{"U", "d"}, {"", "U"}}, .resolvers = 0}, 2);
    check_all({.name = "demands, native", .transactions = {{"U", "d"}, {"d", "U"}}, .native = {true}}, 1);
}

TEST_CASE("a transaction that depends on a guard, in every order: only its own process commits it") {
    check_all({.name = "guarded", .transactions = {{"U", ""}}, .resolvers = 0, .coordinators = 2, .guarded = true}, 1);
}

TEST_CASE("transactions in one call, beside others, in every order, with one fault", "[long]") {
    check_all({.name = "native", .transactions = {{"U", "U"}, {"U", ""}}, .native = {true}}, 2);
    check_all({.name = "native and native", .transactions = {{"U", "U"}, {"U", "D"}}, .native = {true, true}}, 2);
    check_all({.name = "native, and saved", .transactions = {{"pU", ""}}, .saves = 2, .native = {true}}, 1);
    check_all(
        {.name = "native insert", .transactions = {{"I", ""}, {"D", ""}}, .exist = {false, true}, .native = {true}}, 2);
    check_all({.name = "native erasure", .transactions = {{"D", ""}, {"I", ""}}, .native = {true}}, 2);
    check_all({.name = "skew, native", .transactions = {{"U", "r"}, {"r", "U"}}, .native = {true}}, 1);
    check_all({.name = "guarded, native", .transactions = {{"U", ""}}, .native = {true}, .guarded = true}, 1);
}

TEST_CASE("transactions in one call that keep their outcome, in every order, with no token remembered", "[long]") {
    check_all({.name = "outcome",
               .transactions = {{"U", "U"}, {"U", ""}},
               .faults = 1,
               .native = {true},
               .keeps_outcome = true,
               .forgetful = true},
              2);
    check_all({.name = "outcome, two faults",
               .transactions = {{"pU", ""}, {"U", ""}},
               .faults = 2,
               .resolvers = 0,
               .native = {true, true},
               .keeps_outcome = true,
               .forgetful = true},
              2);
    check_all({.name = "outcome of an insert",
               .transactions = {{"I", ""}, {"D", ""}},
               .exist = {false, true},
               .faults = 2,
               .native = {true, true},
               .keeps_outcome = true,
               .forgetful = true},
              2);
}

TEST_CASE("a transaction that locks first and changes by its commit, beside others, in every order, with one fault",
          "[exhaustive]") {
    check_all({.name = "held", .transactions = {{"U", "U"}}, .holds = {true}}, 1);
    check_all({.name = "held, and marked", .transactions = {{"U", ""}, {"U", ""}}, .resolvers = 1, .holds = {true}}, 2);
    check_all({.name = "held by both", .transactions = {{"U", ""}, {"U", ""}}, .resolvers = 0, .holds = {true, true}},
              2);
    check_all({.name = "held and native",
               .transactions = {{"U", "U"}, {"U", ""}},
               .resolvers = 0,
               .native = {false, true},
               .holds = {true}},
              2);
    check_all({.name = "held, erased and inserted",
               .transactions = {{"D", "I"}, {"U", ""}},
               .exist = {true, false},
               .faults = 0,
               .resolvers = 1,
               .holds = {true}},
              2);
    check_all({.name = "held, and saved", .transactions = {{"pU", ""}}, .saves = 2, .holds = {true}}, 1);
}

TEST_CASE("a transaction that locks first, and what it only reads, in every order", "[exhaustive]") {
    check_all({.name = "skew, held",
               .transactions = {{"pU", "r"}, {"r", "pU"}},
               .faults = 0,
               .resolvers = 0,
               .holds = {true}},
              2);
    check_all({.name = "skew, held by both",
               .transactions = {{"pU", "r"}, {"r", "pU"}},
               .faults = 0,
               .resolvers = 1,
               .holds = {true, true}},
              2);
    check_all({.name = "held, and demanded",
               .transactions = {{"U", "d"}, {"d", "U"}},
               .faults = 0,
               .resolvers = 0,
               .holds = {true}},
              1);
    check_all({.name = "held, and looked at",
               .transactions = {{"U", ""}, {"U", ""}},
               .faults = 0,
               .readers = 2,
               .holds = {true}},
              2);
}

TEST_CASE("a transaction that locks first, and others who end it, in every order, with one fault", "[long]") {
    check_all({.name = "held, and taken over",
               .transactions = {{"U", "U"}},
               .resolvers = 0,
               .coordinators = 2,
               .holds = {true}},
              1);
    check_all({.name = "held, and swept",
               .transactions = {{"U", ""}},
               .resolvers = 0,
               .coordinators = 2,
               .sweeps = true,
               .holds = {true}},
              1);
    check_all({.name = "held, and given up",
               .transactions = {{"U", ""}},
               .resolvers = 1,
               .give_ups = 1,
               .rejections = 1,
               .holds = {true}},
              1);
    check_all({.name = "held, under a guard",
               .transactions = {{"U", ""}},
               .resolvers = 0,
               .coordinators = 2,
               .guarded = true,
               .holds = {true}},
              1);
}

// Minutes each, and a gigabyte: by hand, after a change of the protocol.
TEST_CASE("larger worlds of transactions, in every order", "[.long]") {
    const std::vector<std::pair<world_setting, unsigned>> larger{
        {{.name = "one item, two faults", .transactions = {{"U", ""}, {"U", ""}}, .faults = 2}, 2},
        {{.name = "both items, one fault", .transactions = {{"U", "U"}, {"U", "U"}}, .resolvers = 1}, 2},
        {{.name = "two coordinators and a rival", .transactions = {{"U", ""}, {"U", ""}}, .coordinators = 2}, 2},
        {{.name = "erase, insert, update", .transactions = {{"D", ""}, {"I", ""}, {"U", ""}}, .resolvers = 1}, 3},
        {{.name = "saves between two", .transactions = {{"U", ""}, {"U", ""}}, .saves = 2}, 2},
        {{.name = "swept twice",
          .transactions = {{"U", ""}, {"U", ""}},
          .faults = 0,
          .resolvers = 1,
          .coordinators = 3,
          .sweeps = true},
         2},
        {{.name = "three", .transactions = {{"U", ""}, {"U", ""}, {"U", ""}}, .resolvers = 0}, 3},
        {{.name = "pinned, one fault, met", .transactions = {{"pU", ""}, {"pU", ""}}, .resolvers = 1}, 1},
        {{.name = "skew, one fault", .transactions = {{"U", "r"}, {"r", "U"}}, .resolvers = 0}, 1},
        {{.name = "skew, two coordinators",
          .transactions = {{"U", "r"}, {"r", "U"}},
          .faults = 0,
          .resolvers = 1,
          .coordinators = 2},
         1},
        {{.name = "guarded, beside another",
          .transactions = {{"U", ""}, {"U", ""}},
          .resolvers = 0,
          .coordinators = 2,
          .guarded = true},
         2},
        {{.name = "native, two faults", .transactions = {{"U", "U"}, {"U", ""}}, .faults = 2, .native = {true}}, 2},
        {{.name = "skew, native, two faults", .transactions = {{"U", "r"}, {"r", "U"}}, .faults = 2, .native = {true}},
         1},
        {{.name = "native insert, two faults",
          .transactions = {{"I", ""}, {"D", ""}, {"U", ""}},
          .exist = {false, true},
          .faults = 2,
          .resolvers = 0,
          .native = {true, true}},
         3},
        {{.name = "held by both, both items",
          .transactions = {{"U", "U"}, {"U", "U"}},
          .resolvers = 1,
          .holds = {true, true}},
         2},
        {{.name = "held, marked, and native",
          .transactions = {{"U", "U"}, {"U", ""}, {"", "U"}},
          .resolvers = 0,
          .native = {false, false, true},
          .holds = {true}},
         3},
        {{.name = "outcome, beside two",
          .transactions = {{"U", "U"}, {"U", ""}, {"", "U"}},
          .resolvers = 0,
          .native = {true, false, true},
          .keeps_outcome = true,
          .forgetful = true},
         3},
    };
    for (const auto& [setting, commits] : larger) {
        DYNAMIC_SECTION(setting.name) {
            check_all(setting, commits, 4'000'000);
        }
    }
}

}  // namespace dynalease::protocol::test
