// Codes, conditions and exceptions, as a caller branches on them.
// SPDX-License-Identifier: BSL-1.0
#include <dynalease/dynamodb/failure.hpp>
#include <dynalease/error.hpp>

#include <boost/system/errc.hpp>

#include <catch2/catch.hpp>

#include <set>

namespace dynalease {

namespace {

constexpr int first_code = static_cast<int>(errc::wait_timeout);
constexpr int last_code = static_cast<int>(errc::shut_down);

}  // namespace

TEST_CASE("every code has one condition and words of its own") {
    std::set<std::string> words;
    for (int value = first_code; value <= last_code; ++value) {
        const error_code code = static_cast<errc>(value);
        INFO(value << ": " << code.message());
        const auto meant = condition_of(code);
        CHECK(meant != condition{});

        CHECK(words.insert(code.message()).second);
        for (int other = static_cast<int>(condition::contended); other <= static_cast<int>(condition::unreachable);
             ++other) {
            CHECK((code == static_cast<condition>(other)) == (static_cast<condition>(other) == meant));
        }
    }
    CHECK(words.count("unknown error") == 0);
}

TEST_CASE("codes fall under the condition a caller acts upon") {
    const auto [code, expected] = GENERATE(table<errc, condition>({
        {errc::wait_timeout, condition::contended},
        {errc::transaction_conflict, condition::contended},
        {errc::condition_failed, condition::conflict},
        {errc::transaction_canceled, condition::conflict},
        {errc::session_lost, condition::lost},
        {errc::lock_lost, condition::lost},
        {errc::not_held, condition::lost},
        {errc::in_doubt, condition::in_doubt},
        {errc::cancelled, condition::cancelled},
        {errc::shut_down, condition::cancelled},
        {errc::throttled, condition::throttled},
        {errc::limit_exceeded, condition::throttled},
        {errc::access_denied, condition::denied},
        {errc::no_credentials, condition::denied},
        {errc::table_not_found, condition::misconfigured},
        {errc::invalid_option, condition::misconfigured},
        {errc::timeout, condition::unreachable},
        {errc::tls_failed, condition::unreachable},
        {errc::bad_response, condition::unreachable},
        {errc::server_error, condition::unreachable},
    }));
    CHECK(condition_of(code) == expected);
}

TEST_CASE("every code has a name of its own") {
    std::set<std::string_view> names;
    for (int value = 1; value <= static_cast<int>(errc::shut_down); ++value) {
        names.insert(to_string(static_cast<errc>(value)));
    }
    CHECK(names.size() == static_cast<std::size_t>(errc::shut_down));
    CHECK_FALSE(names.contains("unknown"));
    CHECK(to_string(errc::in_doubt) == "in_doubt");
    CHECK(to_string(static_cast<errc>(1000)) == "unknown");
}

TEST_CASE("an operation that Asio aborted counts as cancelled") {
    const error_code aborted(boost::system::errc::operation_canceled, boost::system::system_category());
    CHECK(aborted == condition::cancelled);
    CHECK(aborted != condition::lost);
    CHECK(condition_of(aborted) == condition::cancelled);
}

TEST_CASE("what is cancelled or timed out says so to those who know only the generic conditions") {
    namespace generic = boost::system::errc;
    const auto [code, expected] = GENERATE(table<errc, generic::errc_t>({
        {errc::cancelled, generic::operation_canceled},
        {errc::shut_down, generic::operation_canceled},
        {errc::wait_timeout, generic::timed_out},
        {errc::timeout, generic::timed_out},
    }));
    const error_code ec = code;
    CHECK(ec == expected);
    CHECK(ec == condition_of(ec));
    CHECK(ec != (expected == generic::timed_out ? generic::operation_canceled : generic::timed_out));
    CHECK(error_code(errc::session_lost) != expected);
    CHECK(error_code(errc::in_doubt) != expected);
    CHECK(error_code(errc::in_doubt) != boost::system::error_condition());
}

TEST_CASE("success and foreign errors have no condition") {
    CHECK(condition_of({}) == condition{});
    CHECK(error_code{} != condition::cancelled);
    CHECK(condition_of(make_error_code(boost::system::errc::no_such_file_or_directory)) == condition{});
}

TEST_CASE("a failed result throws its code and what is known") {
    failure why(errc::table_not_found);
    why.details.operation = "GetItem";
    why.details.table = "coordination";
    why.details.attempts = 1;
    result<int> refused(why);
    try {
        refused.value();
        FAIL("no throw");
    } catch (const error& thrown) {
        CHECK(thrown.code() == errc::table_not_found);
        CHECK(thrown.condition() == condition::misconfigured);
        CHECK(thrown.diagnostics().table == "coordination");
        CHECK_THAT(thrown.what(), Catch::Contains("GetItem, table coordination, attempts 1"));
        CHECK_THAT(thrown.what(), Catch::Contains("does not exist"));
    }
}

TEST_CASE("an error says what is known, what its code means, and the code by name, each once") {
    diagnostics known;
    known.operation = "GetItem";
    known.table = "coordination";
    const auto text = [&](errc code) { return std::string(error(code, known).what()); };
    CHECK(text(errc::table_not_found) ==
          "GetItem, table coordination: the table does not exist; check its name, the region and the endpoint, or "
          "create it [table_not_found]");
    known.advice = "create it at home";
    CHECK(text(errc::table_not_found) ==
          "GetItem, table coordination: create it at home: the table does not exist [table_not_found]");
    known.advice.clear();
    known.message = "the client was closed";
    CHECK(text(errc::shut_down) == "GetItem, table coordination: the client was closed [shut_down]");
    known.message = "wait must not be negative";
    CHECK(text(errc::invalid_option) ==
          "GetItem, table coordination: wait must not be negative: an option is out of its range [invalid_option]");
    CHECK(std::string(error(errc::shut_down, {}).what()) == "the client was closed [shut_down]");
    // Of a try that others have kept from it, with what is told of them.
    known.message = "session 7 holds it";
    CHECK(std::string(error({}, known).what()) == known.to_string());
}

TEST_CASE("an error of another category keeps that category's name for it") {
    const error_code refused(boost::system::errc::connection_refused, boost::system::generic_category());
    CHECK_THAT(error(refused, {}).what(), Catch::EndsWith(" [generic:111]"));
}

TEST_CASE("diagnostics show only what is set") {
    CHECK(diagnostics{}.to_string() == "");
    CHECK(diagnostics{.operation = "UpdateItem",
                      .table = "t",
                      .key = "k",
                      .request_id = "R1",
                      .message = "words",
                      .advice = "do this",
                      .attempts = 3}
              .to_string() == "UpdateItem, table t, key k, request R1, attempts 3: words: do this");
    diagnostics message_only;
    message_only.message = "words";
    CHECK(message_only.to_string() == "words");
    message_only.key = "a\nERROR b";
    message_only.message = "two\r\nlines";
    CHECK(message_only.to_string() == "key a ERROR b: two  lines");
}

}  // namespace dynalease
