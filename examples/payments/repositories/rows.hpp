// What lies in the table: intents, the outbox and the inbox beside them, and the requests that are to happen once.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "payments/domain/payment_intent.hpp"

#include <dynalease/dynamodb/database.hpp>
#include <dynalease/versioned.hpp>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/deferred.hpp>
#include <boost/describe/class.hpp>

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

namespace payments {

/// For verbs whose failures are looked at, and not thrown.
inline constexpr auto as_result = boost::asio::as_tuple(boost::asio::deferred);

inline constexpr const char* payments_table = "payments";
inline constexpr const char* coordination_table = "coordination";
/// A sparse index: only events that wait for something are in it, by what they wait for and when it is due.
inline constexpr const char* outbox_index = "outbox";

struct intent_row : intent_data {
    std::string pk{};  ///< "INTENT#pi_..."
    std::string sk{};
};
BOOST_DESCRIBE_STRUCT(intent_row, (intent_data), (pk, sk))

/// What an event of the outbox waits for; absent: nothing any more.
namespace stage {
inline constexpr const char* to_send = "to_send";
inline constexpr const char* sent = "sent";  ///< the gateway's answer is out
}  // namespace stage

struct event_row {
    std::string pk{};  ///< of its intent
    std::string sk{};  ///< "EVENT#00000001"
    std::int64_t number = 0;
    std::string intent{};
    std::string customer{};
    std::int64_t amount = 0;
    std::string currency{};
    std::optional<std::string> stage{};
    std::optional<std::int64_t> due{};  ///< when something is to be done about it, in ms since 1970
};
BOOST_DESCRIBE_STRUCT(event_row, (), (pk, sk, number, intent, customer, amount, currency, stage, due))

/// An answer of the gateway that was taken in: the second copy finds its place taken.
struct answer_row {
    std::string pk{};  ///< of its intent
    std::string sk{};  ///< "ANSWER#ch_..."
    std::int64_t amount = 0;
    std::string failure_code{};
};
BOOST_DESCRIBE_STRUCT(answer_row, (), (pk, sk, amount, failure_code))

/// What is kept of a request with an Idempotency-Key.
struct request_row {
    std::string pk{};  ///< "REQUEST#<key>"
    std::string sk{};
    std::string fingerprint{};             ///< of the request's method, target and body
    std::int64_t expires = 0;              ///< in ms since 1970: whoever works on it has given up, or is dead
    std::optional<intent_data> result{};   ///< what was answered
    std::optional<std::string> problem{};  ///< why it was refused for good
    std::optional<std::string> message{};
    std::chrono::sys_seconds ttl{};
};
BOOST_DESCRIBE_STRUCT(request_row, (), (pk, sk, fingerprint, expires, result, problem, message, ttl))

/// The rows of the one table, by their kinds.
struct tables {
    explicit tables(dynalease::database where);

    dynalease::database database;
    dynalease::versioned<intent_row> intents;
    dynalease::versioned<event_row> events;
    dynalease::versioned<answer_row> answers;
    dynalease::versioned<request_row> requests;
};

dynalease::key_values intent_key(const std::string& id);
dynalease::key_values event_key(const std::string& intent, std::int64_t number);
intent_row row_of(const intent_data& intent);
event_row row_of(const event& happened, const char* stage, std::int64_t due);
answer_row row_of(const charge_answer& answer);
event event_of(const event_row& row);

std::int64_t milliseconds_since_1970(const dynalease::database& of);

/// Makes both tables, if they are not there.
boost::asio::awaitable<void> create_tables(dynalease::database where);

}  // namespace payments
