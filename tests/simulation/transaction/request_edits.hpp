// Mutants of transactions that change requests on their way, or what is made of their answers.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "simulation/framework/rewriting_database.hpp"

#include <map>
#include <optional>
#include <string>

namespace dynalease::simulation::transfers {

// ---- the row -------------------------------------------------------------------------------------------------
void begin_over_anything(any_request& request, purpose meaning, const environment& world);
void commit_whatever_the_row_says(any_request& request, purpose meaning, const environment& world);
void roll_back_whatever_the_row_says(any_request& request, purpose meaning, const environment& world);
void begin_for_everybody(any_request& request, purpose meaning, const environment& world);
void page_untied(any_request& request, purpose meaning, const environment& world);
void pages_left(any_request& request, purpose meaning, const environment& world);
void set_aside_nowhere(any_request& request, purpose meaning, const environment& world);
void set_aside_for_no_time(any_request& request, purpose meaning, const environment& world);
void row_expires_undecided(any_request& request, purpose meaning, const environment& world);

// ---- locks ---------------------------------------------------------------------------------------------------
void lock_over_any_mark(any_request& request, purpose meaning, const environment& world);
void lock_whatever_was_seen(any_request& request, purpose meaning, const environment& world);
void commit_whatever_was_read(any_request& request, purpose meaning, const environment& world);
void commit_whatever_was_demanded(any_request& request, purpose meaning, const environment& world);
void commit_whoever_holds_the_lock(any_request& request, purpose meaning, const environment& world);
void insert_untied(any_request& request, purpose meaning, const environment& world);
void lock_again_by_name_alone(any_request& request, purpose meaning, const environment& world);
void version_shown(any_request& request, purpose meaning, const environment& world);
void version_stays(any_request& request, purpose meaning, const environment& world);

// ---- their ends ----------------------------------------------------------------------------------------------
void unlock_by_name_alone(any_request& request, purpose meaning, const environment& world);
void unlock_whatever_is_there(any_request& request, purpose meaning, const environment& world);
void unlock_drops_stamp(any_request& request, purpose meaning, const environment& world);
void birth_without_stamp(any_request& request, purpose meaning, const environment& world);

/// What an item was is written back as it was read, and not copied from what lies there.
class undoes_by_values final : public rewriting_database {
public:
    using rewriting_database::rewriting_database;
    boost::asio::awaitable<result<any_response>> perform(any_request request, call_options options) override;
};

/// A row is finished as soon as it is committed.
class finishes_early final : public rewriting_database {
public:
    using rewriting_database::rewriting_database;
    boost::asio::awaitable<result<any_response>> perform(any_request request, call_options options) override;
};

/// The commit is told before its answer has come.
class tells_early final : public rewriting_database {
public:
    using rewriting_database::rewriting_database;
    boost::asio::awaitable<result<any_response>> perform(any_request request, call_options options) override;
};

/// A lock that another is in the way of is taken for held.
class holds_unseen final : public rewriting_database {
    using rewriting_database::rewriting_database;
    void change_answer(result<any_response>& answer, const any_request& sent, purpose meaning) override;
};

/// Items that are to be read at one moment are read one after the other.
class reads_apart final : public rewriting_database {
public:
    using rewriting_database::rewriting_database;
    boost::asio::awaitable<result<any_response>> perform(any_request request, call_options options) override;
};

/// The second look at items is taken for granted.
class reads_once final : public rewriting_database {
public:
    using rewriting_database::rewriting_database;
    boost::asio::awaitable<result<any_response>> perform(any_request request, call_options options) override;

private:
    std::map<std::string, result<any_response>> first_;  ///< by the first key
};

/// Each copy of a call that does it all has a token of its own.
class fresh_tokens final : public rewriting_database {
    using rewriting_database::rewriting_database;
    void change_request(any_request& request, purpose meaning) override;
};

}  // namespace dynalease::simulation::transfers
