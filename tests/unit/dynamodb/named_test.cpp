// The library's enumerations as they are printed.
// SPDX-License-Identifier: BSL-1.0
#include <dynalease/dynamodb/failure.hpp>
#include <dynalease/error.hpp>
#include <dynalease/guard_state.hpp>
#include <dynalease/item/resolution.hpp>
#include <dynalease/log.hpp>
#include <dynalease/session/state.hpp>
#include <dynalease/transaction/transaction_operations.hpp>

#include <catch2/catch.hpp>

#include <set>
#include <sstream>
#include <string>

using namespace dynalease;

namespace {

template <class T>
std::string printed(const T& value) {
    std::ostringstream out;
    out << value;
    return out.str();
}

/// The names of all values from the first to the last; a value beyond has none.
template <named T>
std::set<std::string> names_of(T first, T last) {
    std::set<std::string> names;
    for (auto value = static_cast<int>(first); value <= static_cast<int>(last); ++value) {
        const auto name = printed(static_cast<T>(value));
        CHECK(name == to_string(static_cast<T>(value)));
        names.insert(name);
    }
    CHECK(names.size() == static_cast<std::size_t>(last) - static_cast<std::size_t>(first) + 1);
    CHECK(printed(static_cast<T>(1000)) == "unknown");
    return names;
}
using names = std::set<std::string>;

}  // namespace

TEST_CASE("what users log is printed by the names that it has in the headers") {
    CHECK(names_of(guard_state::empty, guard_state::released) ==
          names{"empty", "held", "jeopardy", "lost", "released"});
    CHECK(names_of(session_state::idle, session_state::closed) ==
          names{"idle", "opening", "live", "jeopardy", "lost", "closed"});
    CHECK(names_of(severity::debug, severity::error) == names{"debug", "info", "warning", "error"});
    CHECK(names_of(resolution::applied, resolution::open) == names{"applied", "not_applied", "open"});
    CHECK(names_of(outcome::applied, outcome::unknown) == names{"applied", "not_applied", "unknown"});
    CHECK(names_of(isolation::uncommitted, isolation::latest) == names{"uncommitted", "committed", "latest"});
    CHECK(names_of(transaction_tier::automatic, transaction_tier::locked_commit) ==
          names{"automatic", "native", "inline_undo", "locked_commit"});
    CHECK(names_of(transaction_state::unknown, transaction_state::rolled_back) ==
          names{"unknown", "pending", "committed", "rolled_back"});
    CHECK(names_of(condition::contended, condition::unreachable) == names{"contended", "conflict", "lost", "throttled",
                                                                          "in_doubt", "cancelled", "denied",
                                                                          "misconfigured", "unreachable"});
    CHECK(names_of(errc::wait_timeout, errc::shut_down).contains("wait_timeout"));
    CHECK(printed(condition{}) == "none");
}

TEST_CASE("diagnostics are printed as the line that they are") {
    diagnostics details;
    details.operation = "lock.acquire";
    details.key = "job";
    CHECK(printed(details) == details.to_string());
}
