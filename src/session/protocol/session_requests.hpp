// The requests of a session, exactly. Each may be sent again byte for byte, except the heartbeat.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "session/protocol/row.hpp"

#include <dynalease/dynamodb/operations.hpp>
#include <dynalease/runtime/time.hpp>

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

namespace dynalease::protocol {

/// More bytes than any session's id has. What is longer is damage, and not looked for.
inline constexpr std::size_t longest_session_id = 256;

/// The row a session begins with: alive, beat 1. Refused if the id is taken.
/// @param creation names all copies of this one request, and no other's.
put_item_request create_session(const std::string& table, std::string_view id, std::chrono::milliseconds lease,
                                std::string_view owner, std::string_view creation, wall_time now);

/// `number` is new for each send: a late copy of an old one must not bring back a beat that a watcher has timed.
/// Tests the state, so that it neither revives a row marked dead nor re-creates one that is gone.
update_item_request beat_session(const std::string& table, std::string_view id, std::int64_t number, wall_time now);

/// The row stays, with a ttl: were it removed, a late copy of its creation could bring it back.
update_item_request close_session(const std::string& table, std::string_view id, wall_time now);

get_item_request look_at_session(const std::string& table, std::string_view id);

/// Declares a session dead whose beat stood still for its whole lease; refused if it beat meanwhile.
update_item_request mark_session_dead(const std::string& table, std::string_view id, std::int64_t beat_seen,
                                      std::string_view by, wall_time now);

/// Has no heartbeat taken any more, and leaves it to the lease when it is over: as if the process were cut off.
update_item_request revoke_session(const std::string& table, std::string_view id, std::string_view by);

}  // namespace dynalease::protocol
