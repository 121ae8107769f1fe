// Rows and items of a shared table, as each primitive reads what others have written there. The first byte chooses the
// reader; the rest is the answer of a GetItem.
// SPDX-License-Identifier: BSL-1.0
#include "fuzz/target.hpp"

#include "dynamodb/codec.hpp"
#include "item/protocol/item_state.hpp"
#include "item_lock/protocol/item_lock_state.hpp"
#include "item_lock/protocol/plain_watch.hpp"
#include "lock/protocol/lock_row.hpp"
#include "queue/protocol/queue_rows.hpp"
#include "session/protocol/session_watch.hpp"
#include "wall_clock_lock/protocol/wall_clock.hpp"

#include <algorithm>
#include <chrono>
#include <optional>
#include <string>

namespace {

using namespace dynalease;

constexpr time_point now{std::chrono::hours(1)};

/// A row that cannot be read is left alone, and the operator is told why.
template <class T>
bool readable(const result<T>& row) {
    if (row) return true;
    fuzz::require(static_cast<bool>(row.error().code), "a refusal is an error");
    fuzz::require(!row.error().details.message.empty(), "and says why");
    return false;
}

void read_session(const item& row) {
    const auto got = protocol::parse_session_row(row);
    if (!readable(got)) return;
    fuzz::require(got->lease.count() > 0, "a lease takes time");
    protocol::session_watch watch;
    watch.sight(*got, now);
    fuzz::require(watch.over() != got->alive, "a session that lives is not over");
    fuzz::require(!watch.due_for_mark(now), "and is not declared dead at its first sight");
}

void read_lock(const item& row) {
    const auto got = protocol::parse_lock_row(&row);
    if (!readable(got)) return;
    for (std::size_t i = 0; i < got->line.size(); ++i) {
        const auto place = got->place_of(got->line[i]);
        fuzz::require(place && *place <= i, "who stands in line has a place");
    }
    fuzz::require(got->free() || got->held_by(got->holder->session, got->holder->attempt), "a lock is free or held");
}

void read_head(const item& row) {
    const auto got = protocol::parse_queue_head(row);
    if (!readable(got)) return;
    fuzz::require(got->passed <= got->tail, "nobody is passed who never came");
    fuzz::require(got->free() || got->outstanding() > 0, "a queue is free, or somebody is in it");
}

void read_ticket(const item& row) {
    const auto got = protocol::parse_ticket_row(row);
    if (readable(got)) fuzz::require(got->from <= got->ticket, "a ticket ends with its own number");
}

void read_item_lock(const item& row) {
    const auto got = protocol::lock_sight_of({.table = "t", .key = "pk"}, &row);
    if (!readable(got)) return;
    protocol::plain_watch watch;
    watch.sight(*got, now);
    const auto check = [&](const protocol::item_claimant& who) {
        fuzz::require(watch.judge(who, now) != protocol::holder_is::over, "nobody is over at the first sight");
        const auto* entry = got->held_by(who.session, who.attempt);
        fuzz::require(!entry || entry->is(who.session, who.attempt), "an entry is whose it says");
    };
    if (got->writer) check(*got->writer);
    if (got->intent) check(*got->intent);
    std::ranges::for_each(got->readers, check);
    const auto end = watch.next_end();
    fuzz::require(!end || *end > now, "a lease takes time");
}

void read_version(const item& row) {
    const auto got = protocol::state_of({.table = "t", .key = "pk"}, row);
    if (!readable(got)) return;
    fuzz::require(got->state.trail.size() <= protocol::trail_length, "a trail is short");
    const item_revision travelled(got->state.revision());
    fuzz::require(travelled.state().version == got->state.version, "a revision tells the version");
    fuzz::require(travelled.state().born == got->state.born, "and the birth");
}

void read_wall_clock(const item& row) {
    readable(protocol::wall_clock_state_of({.table = "t", .key = {}, .attribute = "lock"}, &row));
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    fuzz::input in(data, size);
    const auto reader = in.byte();
    constexpr auto readers = std::to_array<void (*)(const item&)>(
        {read_session, read_lock, read_head, read_ticket, read_item_lock, read_version, read_wall_clock});
    const auto answer = codec::decode_response(any_request(get_item_request{}).index(), in.rest());
    if (!answer) return 0;
    const auto& row = std::get<get_item_response>(*answer).found;
    if (row) readers[reader % readers.size()](*row);
    return 0;
}
