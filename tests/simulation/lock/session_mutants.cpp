// Known mistakes of a session and of those who watch it: what their requests and answers lack, and each by its rule.
// SPDX-License-Identifier: BSL-1.0
#include "simulation/lock/request_edits.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>

#include <cstdint>
#include <map>
#include <optional>

namespace dynalease::simulation::locks {

namespace {

namespace asio = boost::asio;

// ---- requests ----------------------------------------------------------------------------------------------

void beat_revives(any_request& request, purpose meaning, const environment&) {
    if (meaning != purpose::beat) return;
    replace_clause(update_of(request), "#state = :alive AND #beat < :n", "#beat < :n");
    replace_clause(update_of(request), "SET #beat = :n", "SET #beat = :n, #state = :alive");
    update_of(request).names.emplace("#state", "state");
    update_of(request).values.emplace(":alive", "alive");
}

void beat_recreates(any_request& request, purpose meaning, const environment&) {
    if (meaning != purpose::beat) return;
    auto& update = update_of(request);
    replace_clause(update, "#state = :alive AND #beat < :n",
                   "attribute_not_exists(#pk) OR (#state = :alive AND #beat < :n)");
    replace_clause(update, "SET #beat = :n", "SET #beat = :n, #state = :alive, #v = :v, #lease = :lease");
    update.names.insert({{"#pk", "pk"}, {"#v", "v"}, {"#lease", "lease"}});
    update.values.insert({{":v", 1}, {":lease", 10'000}});
}

void beat_without_number(any_request& request, purpose meaning, const environment&) {
    if (meaning == purpose::beat) drop_clause(update_of(request), " AND #beat < :n");
}

void mark_without_beat(any_request& request, purpose meaning, const environment&) {
    if (meaning == purpose::mark_dead) drop_clause(update_of(request), " AND #beat = :seen");
}

void create_over_anything(any_request& request, purpose meaning, const environment&) {
    if (meaning != purpose::create_session) return;
    auto& put = std::get<put_item_request>(request);
    if (put.condition_expression != "attribute_not_exists(#pk)") stale("create", put.condition_expression);
    put.condition_expression.clear();
    put.names.clear();
}

void session_row_expires_alive(any_request& request, purpose meaning, const environment& world) {
    if (meaning != purpose::create_session) return;
    auto& put = std::get<put_item_request>(request);
    const auto* lease = find(put.new_item, "lease");
    if (!lease || find(put.new_item, "ttl")) stale("create", "lease");
    put.new_item.emplace("ttl", expiry_in(world, std::chrono::seconds(5)));
}

void session_row_expires_at_its_end(any_request& request, purpose meaning, const environment& world) {
    if (meaning != purpose::mark_dead && meaning != purpose::close_session) return;
    update_of(request).values.at(":expiry") = expiry_in(world, std::chrono::seconds(0));
}

// ---- answers -----------------------------------------------------------------------------------------------

asio::awaitable<void> send_alone(std::shared_ptr<database_backend> network, any_request request, call_options options) {
    co_await network->perform(std::move(request), options);
}

/// The session acts as if its row were there as soon as the request that makes it has been sent.
struct early_use final : rewriting_database {
    using rewriting_database::rewriting_database;
    boost::asio::awaitable<result<any_response>> perform(any_request request, call_options options) override;
};

asio::awaitable<result<any_response>> early_use::perform(any_request request, call_options options) {
    if (purpose_of(request) != purpose::create_session) {
        auto answer = co_await network()->perform(std::move(request), options);
        co_return answer;
    }
    asio::co_spawn(environment().executor, send_alone(network(), std::move(request), options), asio::detached);
    co_return any_response(put_item_response{});
}

/// A closed session's row is deleted.
struct close_deletes final : rewriting_database {
    using rewriting_database::rewriting_database;
    boost::asio::awaitable<result<any_response>> perform(any_request request, call_options options) override;
};

asio::awaitable<result<any_response>> close_deletes::perform(any_request request, call_options options) {
    if (purpose_of(request) != purpose::close_session) {
        auto answer = co_await network()->perform(std::move(request), options);
        co_return answer;
    }
    auto update = std::get<update_item_request>(std::move(request));
    auto answer = co_await delete_instead(network(), std::move(update), options);
    co_return answer;
}

/// A session counts as closed before its row says so.
struct close_unsent final : rewriting_database {
    using rewriting_database::rewriting_database;
    boost::asio::awaitable<result<any_response>> perform(any_request request, call_options options) override;
};

asio::awaitable<result<any_response>> close_unsent::perform(any_request request, call_options options) {
    if (purpose_of(request) == purpose::close_session) co_return any_response(update_item_response{});
    auto answer = co_await network()->perform(std::move(request), options);
    co_return answer;
}

/// A heartbeat without an answer is sent again with its number; the row that shows it proves the last of them.
struct beat_sent_again final : rewriting_database {
    using rewriting_database::rewriting_database;
    void change_request(any_request& request, purpose meaning) override;
    void change_answer(result<any_response>& answer, const any_request& sent, purpose meaning) override;

private:
    std::optional<std::int64_t> unanswered_;
    std::int64_t asked_ = 0;  ///< the number that the library gave it
};

void beat_sent_again::change_request(any_request& request, purpose meaning) {
    if (meaning != purpose::beat) return;
    auto& values = std::get<update_item_request>(request).values;
    asked_ = find_integer(values, ":n").value();
    if (unanswered_) values.at(":n") = *unanswered_;
}

void beat_sent_again::change_answer(result<any_response>& answer, const any_request& sent, purpose meaning) {
    if (meaning != purpose::beat) return;
    const auto number = find_integer(std::get<update_item_request>(sent).values, ":n").value();
    if (answer) {
        unanswered_.reset();
    } else if (answer.error().current) {
        auto why = answer.error();
        if (find_integer(*why.current, "beat") == number) {
            why.current->insert_or_assign("beat", asked_);
            answer = std::move(why);
        }
        unanswered_.reset();
    } else {
        unanswered_ = number;
    }
}

/// What a revocation shows in the answer to a heartbeat is passed over.
struct hides_revocation final : rewriting_database {
    using rewriting_database::rewriting_database;
    void change_answer(result<any_response>& answer, const any_request& sent, purpose meaning) override;
};

void hides_revocation::change_answer(result<any_response>& answer, const any_request&, purpose meaning) {
    if (meaning != purpose::beat || answer || !answer.error().current) return;
    auto why = answer.error();
    if (why.current->erase("by") != 0) why.current->insert_or_assign("beat", 0);
    answer = std::move(why);
}

/// Notes when a look was sent, for the watch that counts from there.
struct look_noted final : rewriting_database {
    using rewriting_database::rewriting_database;
    boost::asio::awaitable<result<any_response>> perform(any_request request, call_options options) override;
};

asio::awaitable<result<any_response>> look_noted::perform(any_request request, call_options options) {
    const bool looks = purpose_of(request) == purpose::look_at_session;
    const auto sent = environment().clock->now();
    auto answer = co_await network()->perform(std::move(request), options);
    // The watch is told next, before anything else happens in the world.
    if (looks) notes_of_this_world().look_sent = sent;
    co_return answer;
}

/// For the watch that is told of no new beat: its mark names the beat that was really seen.
struct marks_what_it_saw final : rewriting_database {
    using rewriting_database::rewriting_database;
    void change_request(any_request& request, purpose meaning) override;
    void change_answer(result<any_response>& answer, const any_request& sent, purpose meaning) override;

private:
    std::map<std::string, std::int64_t> beats_;  ///< last seen, by partition key
};

void marks_what_it_saw::change_request(any_request& request, purpose meaning) {
    if (meaning != purpose::mark_dead) return;
    const auto session = partition_of(request);
    std::get<update_item_request>(request).values.at(":seen") = beats_.at(session);
}

void marks_what_it_saw::change_answer(result<any_response>& answer, const any_request& sent, purpose meaning) {
    if (meaning != purpose::look_at_session || !answer) return;
    const auto& found = std::get<get_item_response>(*answer).found;
    if (found) beats_.insert_or_assign(partition_of(sent), find_integer(*found, "beat").value_or(0));
}

// ---- all of them -------------------------------------------------------------------------------------------

const contribution session_mutants{{
    .name = "lock",
    .mutants =
        {
            {.name = "FROM_ANSWER", .rule = "the deadline counts from before the send, not from the answer [lock 5]"},
            {.name = "MARGIN",
             .rule = "the holder's lease is shorter than the watcher's by the drift of both clocks [lock 5]"},
            {.name = "NO_DEADLINE", .rule = "a session ends at its deadline, even if nobody says so [mode 4]"},
            {.name = "NO_JEOPARDY", .rule = "unanswered heartbeats are told before the deadline [mode 16]"},
            {.name = "BEATS_TOO_OFTEN", .rule = "one heartbeat for each period, whatever is held [budget S2]"},
            {.name = "REVIVE",
             .rule = "lost is final: an answer handled after the deadline changes nothing [lock 2]",
             .scenario = "answer-after-the-deadline"},
            {.name = "WATCH_FROM_SEND",
             .rule = "a sight counts from after the answer [lock 2]",
             .wrap = wrap<look_noted>,
             .scenario = "look-before-the-last-beat"},
            {.name = "WATCH_NO_RESTART",
             .rule = "a new beat starts the watcher's lease again [lock 2, mode 24]",
             .wrap = wrap<marks_what_it_saw>},
            {.name = "WATCH_ALWAYS_RESTARTS", .rule = "the same beat keeps its time: the dead are found out [lock 2]"},
            {.name = "TRY_NEVER_LOOKS",
             .rule = "repeated tries find a dead holder out, too [lock 4, mode 25]",
             .scenario = "tries-at-a-dead-holder"},
            {.name = "FATE_GUESSED",
             .rule = "whether a holder lives is known by its next heartbeat, not before [lock: want]",
             .scenario = "one-call-at-a-dead-holder"},
            {.name = "FATE_FORGOTTEN",
             .rule = "what a living holder gives back is not for who asks whether it lives [lock: want]",
             .scenario = "one-call-at-a-short-hold"},
            {.name = "HB_NO_STATE",
             .rule = "a heartbeat tests the state: it revives no session that is over [lock 2, mode 5]",
             .wrap = editing<beat_revives>},
            {.name = "HB_UPSERT",
             .rule = "a heartbeat never makes a row anew [lock 2, modes 4 and 15]",
             .wrap = editing<beat_recreates>},
            {.name = "HB_NO_BEAT",
             .rule = "a late heartbeat does not bring back an earlier beat [lock 2]",
             .wrap = editing<beat_without_number>},
            {.name = "HB_SENT_AGAIN",
             .rule = "each heartbeat has a number of its own [lock 2, mode 3]",
             .wrap = wrap<beat_sent_again>},
            {.name = "MARK_NO_BEAT",
             .rule = "a session is marked dead only at the beat that stood still [lock 2]",
             .wrap = editing<mark_without_beat>,
             .scenario = "slow-looks"},
            {.name = "REVOKE_DEAD",
             .rule = "a revoked session is over a lease later: until then it may not have heard [lock 2]",
             .scenario = "revoked-sessions"},
            {.name = "REVOKE_NEXT",
             .rule = "no heartbeat follows a revocation [lock 2]",
             .scenario = "revoked-sessions"},
            {.name = "REVOKE_DEAF",
             .rule = "a revoked session is told with its next heartbeat [lock 2]",
             .wrap = wrap<hides_revocation>,
             .scenario = "revoked-sessions"},
            {.name = "EARLY_USE",
             .rule = "no lock is asked for before the session's row is known to be there [lock 2]",
             .wrap = wrap<early_use>},
            {.name = "CREATE_OVER_ANYTHING",
             .rule = "a late copy of the creation changes nothing [lock 2, mode 13]",
             .wrap = editing<create_over_anything>},
            {.name = "CLOSE_UNSENT",
             .rule = "the report of a close tells what its row says [close_report]",
             .wrap = wrap<close_unsent>},
            {.name = "CLOSE_DELETES",
             .rule = "a closed row stays, so that no late creation lands [lock 0, mode 32]",
             .wrap = wrap<close_deletes>},
            {.name = "TTL_EARLY",
             .rule = "rows of sessions that are over outlive all late copies [lock 2]",
             .wrap = editing<session_row_expires_at_its_end>},
            {.name = "SESSION_TTL",
             .rule = "a live session's row carries no ttl [lock 2, mode 10]",
             .wrap = editing<session_row_expires_alive>},
        },
}};

}  // namespace

}  // namespace dynalease::simulation::locks
