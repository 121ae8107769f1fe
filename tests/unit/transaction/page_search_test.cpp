// Every order of a small world in which a row cannot keep what its run wants.
// SPDX-License-Identifier: BSL-1.0
#include "every_order.hpp"

namespace dynalease::protocol::test {

TEST_CASE("a transaction whose row cannot keep what it wants, in every order, with one fault", "[exhaustive]") {
    check_all({.name = "paged", .transactions = {{"U", "U"}}, .resolvers = 1, .pages = true}, 1);
    check_all({.name = "paged, and given up",
               .transactions = {{"U", "U"}},
               .resolvers = 0,
               .pages = true,
               .give_ups = 1,
               .rejections = 1},
              1);
    check_all({.name = "paged, beside another",
               .transactions = {{"U", "U"}, {"U", ""}},
               .faults = 0,
               .resolvers = 1,
               .pages = true},
              2);
}

TEST_CASE("others who end a transaction whose row cannot keep what it wants, in every order", "[exhaustive]") {
    check_all({.name = "paged, and taken over",
               .transactions = {{"U", "U"}},
               .faults = 0,
               .resolvers = 0,
               .coordinators = 2,
               .pages = true},
              1);
    check_all({.name = "paged, and dies, and is swept",
               .transactions = {{"U", "I"}},
               .exist = {true, false},
               .faults = 0,
               .resolvers = 0,
               .coordinators = 2,
               .sweeps = true,
               .pages = true,
               .dies = true},
              1);
    check_all({.name = "paged, and dies, with one fault",
               .transactions = {{"U", ""}},
               .resolvers = 0,
               .coordinators = 2,
               .pages = true,
               .dies = true},
              1);
}

}  // namespace dynalease::protocol::test
