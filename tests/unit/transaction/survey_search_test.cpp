// Every order of a small world in which somebody reads both items together: what is shown, was so at one moment.
// SPDX-License-Identifier: BSL-1.0
#include "every_order.hpp"

namespace dynalease::protocol::test {

TEST_CASE("a reader of both items together, beside transactions, in every order", "[exhaustive]") {
    for (const bool twice : {false, true}) {
        check_all({.name = "surveyed",
                   .transactions = {{"U", "U"}},
                   .faults = 0,
                   .resolvers = 1,
                   .surveys = 1,
                   .surveys_twice = twice},
                  1);
        check_all({.name = "surveyed, inserted and erased",
                   .transactions = {{"I", "D"}},
                   .exist = {false, true},
                   .faults = 0,
                   .resolvers = 0,
                   .surveys = 1,
                   .surveys_twice = twice},
                  1);
        check_all({.name = "surveyed, in one call and locked first",
                   .transactions = {{"U", "U"}, {"U", "U"}},
                   .faults = 0,
                   .resolvers = 0,
                   .surveys = 1,
                   .surveys_twice = twice,
                   .native = {true},
                   .holds = {false, true}},
                  2);
        check_all({.name = "surveyed, in one call, there and back",
                   .transactions = {{"I", "U"}, {"D", ""}},
                   .exist = {false, true},
                   .faults = 0,
                   .resolvers = 0,
                   .surveys = 1,
                   .surveys_twice = twice,
                   .native = {true, true}},
                  2);
    }
}

TEST_CASE("a reader of both items together, where copies of locks land late, in every order", "[long]") {
    for (const bool twice : {false, true}) {
        check_all({.name = "surveyed, with one fault",
                   .transactions = {{"U", "U"}},
                   .resolvers = 0,
                   .surveys = 1,
                   .surveys_twice = twice},
                  1);
    }
}

}  // namespace dynalease::protocol::test
