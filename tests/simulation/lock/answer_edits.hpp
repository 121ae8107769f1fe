// Mutants that change what a request becomes, or what is made of its answer.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "simulation/framework/rewriting_database.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <string>

namespace dynalease::simulation::locks {

/// The session acts as if its row were there as soon as the request that makes it has been sent.
struct early_use final : rewriting_database {
    using rewriting_database::rewriting_database;
    boost::asio::awaitable<result<any_response>> perform(any_request request, call_options options) override;
};

/// A closed session's row is deleted.
struct close_deletes final : rewriting_database {
    using rewriting_database::rewriting_database;
    boost::asio::awaitable<result<any_response>> perform(any_request request, call_options options) override;
};

/// A released lock's row is deleted, floor and all.
struct release_deletes final : rewriting_database {
    using rewriting_database::rewriting_database;
    boost::asio::awaitable<result<any_response>> perform(any_request request, call_options options) override;
};

/// A heartbeat without an answer is sent again with its number; the row that shows it proves the last of them.
struct beat_sent_again final : rewriting_database {
    using rewriting_database::rewriting_database;
    void change_request(any_request& request, purpose meaning) override;
    void change_answer(result<any_response>& answer, const any_request& sent, purpose meaning) override;

private:
    std::optional<std::int64_t> unanswered_;
    std::int64_t asked_ = 0;  ///< the number that the library gave it
};

/// A refusal is taken for the answer of the next request about the same lock.
struct answer_of_an_older_request final : rewriting_database {
    using rewriting_database::rewriting_database;
    void change_answer(result<any_response>& answer, const any_request& sent, purpose meaning) override;

private:
    std::map<std::string, failure> refusals_;  ///< by lock
};

/// A write without an answer counts as done.
struct doubt_is_success final : rewriting_database {
    using rewriting_database::rewriting_database;
    void change_answer(result<any_response>& answer, const any_request& sent, purpose meaning) override;
};

/// A write without an answer counts as never done.
struct doubt_is_failure final : rewriting_database {
    using rewriting_database::rewriting_database;
    void change_answer(result<any_response>& answer, const any_request& sent, purpose meaning) override;
};

/// Hand-overs never show that others wait.
struct line_not_seen final : rewriting_database {
    using rewriting_database::rewriting_database;
    void change_answer(result<any_response>& answer, const any_request& sent, purpose meaning) override;
};

/// Notes when a look was sent, for the watch that counts from there.
struct look_noted final : rewriting_database {
    using rewriting_database::rewriting_database;
    boost::asio::awaitable<result<any_response>> perform(any_request request, call_options options) override;
};

/// For the watch that is told of no new beat: its mark names the beat that was really seen.
struct marks_what_it_saw final : rewriting_database {
    using rewriting_database::rewriting_database;
    void change_request(any_request& request, purpose meaning) override;
    void change_answer(result<any_response>& answer, const any_request& sent, purpose meaning) override;

private:
    std::map<std::string, std::int64_t> beats_;  ///< last seen, by partition key
};

}  // namespace dynalease::simulation::locks
