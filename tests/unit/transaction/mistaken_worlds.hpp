// The small worlds in which the mistakes show.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "transaction_world.hpp"

#include <array>

namespace dynalease::protocol::test {

inline world_setting one_item() {
    return {.name = "one item", .transactions = {{"U", ""}, {"U", ""}}};
}
inline world_setting inserted_and_erased() {
    return {.name = "inserted and erased", .transactions = {{"I", ""}, {"D", ""}}, .exist = {false, true}};
}
inline world_setting two_coordinators() {
    return {.name = "two coordinators", .transactions = {{"U", ""}}, .resolvers = 1, .coordinators = 2};
}
inline world_setting twice() {
    return {.name = "twice", .transactions = {{"UU", ""}, {"U", ""}}};
}
inline world_setting saved() {
    return {.name = "saved", .transactions = {{"U", ""}, {"U", ""}}, .faults = 0, .saves = 1};
}
inline world_setting looked_at(const char* first, const char* second, bool exists) {
    return {.name = "looked at",
            .transactions = {{first, ""}, {second, ""}},
            .exist = {exists, true},
            .faults = 0,
            .readers = 1};
}

inline world_setting surveyed() {
    return {.name = "surveyed",
            .transactions = {{"U", "U"}},
            .faults = 0,
            .resolvers = 0,
            .surveys = 1,
            .surveys_twice = true,
            .native = {true}};
}
inline world_setting surveyed_with_an_insert() {
    auto setting = surveyed();
    setting.transactions = {{"I", "U"}};
    setting.exist = {false, true};
    return setting;
}

inline world_setting paged() {
    return {.name = "paged",
            .transactions = {{"U", "U"}},
            .faults = 0,
            .resolvers = 0,
            .coordinators = 2,
            .sweeps = true,
            .pages = true,
            .dies = true};
}
inline world_setting paged_with_a_fault() {
    return {.name = "paged, with a fault", .transactions = {{"U", ""}}, .resolvers = 0, .pages = true, .give_ups = 1};
}

inline world_setting pinned() {
    return {.name = "pinned", .transactions = {{"pU", ""}, {"U", ""}}, .faults = 0};
}
inline world_setting skew(std::array<bool, 3> native) {
    return {.name = "skew", .transactions = {{"U", "r"}, {"r", "U"}}, .faults = 0, .native = native};
}
inline world_setting guarded() {
    return {.name = "guarded", .transactions = {{"U", ""}}, .faults = 0, .coordinators = 2, .guarded = true};
}
inline world_setting given_up() {
    return {.name = "given up",
            .transactions = {{"U", ""}},
            .resolvers = 0,
            .coordinators = 2,
            .give_ups = 1,
            .rejections = 1};
}
inline world_setting dies() {
    return {.name = "dies", .transactions = {{"U", ""}}, .faults = 0, .coordinators = 2, .sweeps = true, .dies = true};
}
inline world_setting called() {
    return {.name = "called", .transactions = {{"U", ""}, {"U", ""}}, .native = {true}};
}
inline world_setting called_for_ever() {
    auto setting = called();
    setting.keeps_outcome = setting.forgetful = true;
    return setting;
}
inline world_setting called_in_vain() {
    return {.name = "called in vain", .transactions = {{"I", ""}, {"D", ""}}, .exist = {true, true}, .native = {true}};
}

inline world_setting held(const char* also = "") {
    return {
        .name = "held", .transactions = {{"U", also}, {"U", ""}}, .resolvers = 1, .coordinators = 2, .holds = {true}};
}
inline world_setting held_with_an_insert() {
    auto setting = held("I");
    setting.transactions[1] = {"", "I"};
    setting.exist = {true, false};
    return setting;
}

}  // namespace dynalease::protocol::test
