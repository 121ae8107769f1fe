// What a process's requests and answers tell: to the checker what the store did, to the process what may be believed.
// SPDX-License-Identifier: BSL-1.0
#include "simulation/framework/request_text.hpp"
#include "simulation/queue/process.hpp"

#include <optional>
#include <utility>
#include <variant>

namespace dynalease::simulation::queues {

namespace {

head_written::kind kind_of(const update_item_request& write) {
    using kind = head_written::kind;
    const auto has = [&](const char* name) { return write.values.contains(name); };
    if (has(":attempt")) return kind::drawn;
    if (has(":pace")) return has(":expiry") ? kind::left_idle : kind::left;
    return has(":expiry") ? kind::rested : kind::passed_over;
}

const char* name_of(head_written::kind what) {
    constexpr const char* names[] = {"drawn", "drawn together", "passed over", "left", "left idle", "rested"};
    return names[static_cast<std::size_t>(what)];
}

/// Empty for what callers are not told the end of.
std::optional<open_writes::name> told_write(const any_request& request) {
    using kind = open_writes::kind;
    if (const auto* update = std::get_if<update_item_request>(&request)) {
        const auto row = row_in(update->key);
        if (!row) return {};
        const auto what = kind_of(*update);
        const auto attempt = text_value(update->values, ":attempt");
        if (what == head_written::kind::drawn) return {{kind::draw, row->queue, attempt}};
        const bool left = what == head_written::kind::left || what == head_written::kind::left_idle;
        if (!left) return {};
        return {{kind::leave, row->queue, std::to_string(integer_value(update->values, ":e").value_or(0) + 1)}};
    }
    const auto* together = std::get_if<transact_write_items_request>(&request);
    if (together == nullptr || together->client_request_token.empty()) return {};
    if (!std::holds_alternative<transact_update>(together->actions.front())) return {};
    return {{kind::draw_together, 0, together->client_request_token}};
}

/// The queue, and its head as the refusal of a try showed it.
std::optional<std::pair<std::size_t, head_state>> refused_try(const any_request& request,
                                                              const result<any_response>& answer) {
    const auto* update = std::get_if<update_item_request>(&request);
    const auto row = update == nullptr ? std::nullopt : row_in(update->key);
    if (!row || answer || kind_of(*update) != head_written::kind::drawn) return {};
    const auto why = answer.error();
    if (why.code != errc::condition_failed || !why.current) return {};
    // Who waits may draw all the same, and what a copy has drawn is its own.
    const bool tries = update->condition_expression.find("#tail = #passed") != std::string::npos;
    if (!tries || text_value(*why.current, "last") == text_value(update->values, ":attempt")) return {};
    const auto number = [&](const char* name) { return find_integer(*why.current, name).value_or(0); };
    return {{row->queue, {.exists = true, .tail = number("tail"), .passed = number("passed")}}};
}

const char* name_late(head_written::kind what, bool done) {
    if (what == head_written::kind::drawn) return done ? "late draw applied" : "late draw refused";
    return done ? "late end of a turn applied" : "late end of a turn refused";
}

}  // namespace

// ---- sent --------------------------------------------------------------------------------------------------

void process::sent(const testing::logged_request& entry, const any_request& request) {
    if (session()) {
        note_life();
        senders_[&entry] = sender_of(request);
    }
    watch_sent(entry, request);
    if (const auto write = told_write(request)) open_.sent(*write);
    const auto* update = std::get_if<update_item_request>(&request);
    if (update == nullptr || !update->values.contains(":attempt")) return;
    first_sends_.try_emplace(text_value(update->values, ":attempt"), clock_now());
}

void process::failed(const testing::logged_request& entry, const any_request& request, const failure& why) {
    // What may have happened stays open until the call has ended.
    if (why.outcome == outcome::unknown) return;
    paused_.insert(&entry);
    const bool by_present = session() && senders_[&entry] == session()->id();
    const auto write = by_present ? told_write(request) : std::nullopt;
    if (write) open_.answered(*write, why, clock_now());
}

void process::sent_again(const testing::logged_request& entry, const any_request& request) {
    if (paused_.erase(&entry) == 0) return;
    const bool by_present = session() && senders_[&entry] == session()->id();
    const auto write = by_present ? told_write(request) : std::nullopt;
    if (write) open_.sent(*write);
}

// A session that closes resolves what it owes while the process's next one has begun already: rows say whose they are,
// attempts were first sent by it, and the end of a turn is its own.
std::string process::sender_of(const any_request& request) {
    const auto present = session()->id();
    own_sessions_.insert(present);
    const auto named = [&](const item& row) {
        auto name = text_value(row, row.contains("void") ? "by" : "session");
        return own_sessions_.contains(name) ? name : present;
    };
    if (const auto* put = std::get_if<put_item_request>(&request); put != nullptr && row_in(put->new_item)) {
        return named(put->new_item);
    }
    if (const auto* together = std::get_if<transact_write_items_request>(&request)) {
        for (const auto& action : together->actions) {
            if (const auto* put = std::get_if<transact_put>(&action)) return named(put->new_item);
        }
    }
    const auto* update = std::get_if<update_item_request>(&request);
    const auto row = update == nullptr ? std::nullopt : row_in(update->key);
    if (!row) return present;
    if (const auto attempt = text_value(update->values, ":attempt"); !attempt.empty()) {
        return drawers_.try_emplace(attempt, present).first->second;
    }
    const auto* ended = world_.checked().after(row->queue, integer_value(update->values, ":e").value_or(-1)).second;
    const bool ours = ended != nullptr && own_sessions_.contains(ended->session);
    return ours && !world_.checked().over(ended->session) ? ended->session : present;
}

// ---- applied -----------------------------------------------------------------------------------------------

void process::applied(const testing::logged_request& entry, const any_request& request,
                      const result<any_response>& answer) {
    auto& coverage = world_.run().coverage;
    const bool late = entry.completed.has_value();
    if (!answer) {
        const auto* update = std::get_if<update_item_request>(&request);
        if (late && update != nullptr && row_in(update->key)) coverage.hit(name_late(kind_of(*update), false));
        const auto* put = std::get_if<put_item_request>(&request);
        if (put != nullptr && row_in(put->new_item)) coverage.hit("row refused");
        return;
    }
    if (const auto id = session_in(entry.key); !id.empty()) {
        if (const auto change = session_changed(id, request)) {
            std::visit([&](const auto& seen) { world_.tell(name(), seen); }, *change);
        }
        return;
    }
    if (const auto* update = std::get_if<update_item_request>(&request)) {
        if (late) coverage.hit(name_late(kind_of(*update), true));
        head_updated(entry, *update);
    } else if (const auto* put = std::get_if<put_item_request>(&request)) {
        row_put(entry, put->new_item);
    } else if (const auto* together = std::get_if<transact_write_items_request>(&request)) {
        entered_together(entry, *together);
    } else if (const auto* batch = std::get_if<batch_write_item_request>(&request)) {
        rows_deleted(*batch, answer);
    }
}

void process::head_updated(const testing::logged_request& entry, const update_item_request& write) {
    const auto row = row_in(write.key);
    if (!row) return;
    auto& coverage = world_.run().coverage;
    const auto what = kind_of(write);
    coverage.hit(name_of(what));
    const auto& before = world_.checked().head(row->queue);
    const auto after = world_.head_of(row->queue);
    if (what == head_written::kind::drawn && !before.exists) coverage.hit("head made");
    if (what == head_written::kind::passed_over && after.passed > before.passed + 1)
        coverage.hit("several passed over");
    const bool ushers =
        what == head_written::kind::passed_over &&
        std::none_of(users().begin(), users().end(), [&](const auto& each) { return each->waits_for(row->queue); });
    if (ushers) coverage.hit("passed over by one who does not wait");
    world_.tell(name(), head_written{.what = what,
                                     .queue = row->queue,
                                     .writer = senders_[&entry],
                                     .attempt = text_value(write.values, ":attempt"),
                                     .after = after});
}

void process::row_put(const testing::logged_request& entry, const item& row) {
    const auto place = row_in(row);
    if (!place) return;
    auto& coverage = world_.run().coverage;
    const auto* ticket = world_.checked().find(place->queue, place->ticket);
    const auto& writer = senders_[&entry];
    const bool is_void = row.contains("void");
    if (is_void) coverage.hit(ticket != nullptr && ticket->session == writer ? "given up" : "buried");
    if (!is_void) coverage.hit(ticket != nullptr && ticket->direct ? "turn written down" : "written down");
    if (!is_void && session() && writer == session()->id()) check_place(row, *place);
    world_.tell(name(), ticket_written{.queue = place->queue,
                                       .ticket = place->ticket,
                                       .from = find_integer(row, "from").value_or(0),
                                       .writer = writer,
                                       .is_void = is_void,
                                       .expires = row.contains("ttl")});
}

void process::entered_together(const testing::logged_request& entry, const transact_write_items_request& request) {
    if (const auto* fence = std::get_if<condition_check>(&request.actions.front())) {
        const auto row = row_in(fence->key);
        // The service knows a transaction that it has carried out by its token, and does nothing when it comes again.
        const auto& token = request.client_request_token;
        if (!token.empty() && !carried_out_.insert(token).second) return;
        world_.tell(name(), fence_passed{.queue = row ? row->queue : 0,
                                         .ticket = integer_value(fence->values, ":t").value_or(0)});
        return;
    }
    const auto& attempt = request.client_request_token;
    const auto* first = std::get_if<transact_put>(&request.actions.at(1));
    const auto place = first == nullptr ? std::nullopt : row_in(first->new_item);
    const auto* drawn = place ? world_.checked().find(place->queue, place->ticket) : nullptr;
    // Answered out of the service's memory of an earlier copy.
    if (drawn != nullptr && drawn->attempt == attempt) return;
    for (const auto& action : request.actions) {
        if (const auto* update = std::get_if<transact_update>(&action)) {
            const auto row = row_in(update->key);
            // The ticket's row comes right behind its head.
            const auto& own_row = std::get<transact_put>(*(&action + 1)).new_item;
            const auto from = find_integer(own_row, "from").value_or(0);
            const auto& before = world_.checked().head(row->queue);
            const auto after = world_.head_of(row->queue);
            if (before.exists && before.tail != before.passed) world_.run().coverage.hit("several waited for");
            if (after.tail > before.tail + 1 && before.tail != before.passed) {
                world_.run().coverage.hit("numbers skipped");
            }
            world_.tell(name(), head_written{.what = head_written::kind::drawn_together,
                                             .queue = row->queue,
                                             .writer = senders_[&entry],
                                             .attempt = attempt,
                                             .from = from,
                                             .after = after});
        } else if (const auto* put = std::get_if<transact_put>(&action)) {
            row_put(entry, put->new_item);
        }
    }
}

void process::rows_deleted(const batch_write_item_request& request, const result<any_response>& answer) {
    if (!std::get<batch_write_item_response>(*answer).unprocessed.empty()) return;
    for (const auto& each : request.tables.at(coordination)) {
        const auto* deleted = std::get_if<batch_delete>(&each);
        const auto row = deleted == nullptr ? std::nullopt : row_in(deleted->key);
        if (row) world_.tell(name(), ticket_deleted{.queue = row->queue, .ticket = row->ticket});
    }
}

// ---- answered ----------------------------------------------------------------------------------------------

void process::note_acknowledged(const item& row) {
    const auto name = row_in(row);
    if (name && !row.contains("void")) written_.emplace(name->queue, name->ticket);
}

void process::answered(const testing::logged_request& entry, const any_request& request,
                       const result<any_response>& answer) {
    world_.run().trace.add(world_.now(), name(), static_cast<std::uint64_t>(entry.code.value()), [&] {
        const auto* write = std::get_if<update_item_request>(&request);
        auto text = "r " + entry.operation + " " + entry.key;
        if (write != nullptr && row_in(write->key)) text += std::string(" (") + name_of(kind_of(*write)) + ")";
        return text + " -> " + (answer ? "ok" : entry.code.message());
    });
    const bool paused = paused_.erase(&entry) != 0;
    if (!session() || senders_[&entry] != session()->id()) return;
    if (const auto write = told_write(request)) {
        if (paused) open_.sent(*write);
        open_.answered(*write, answer, clock_now());
    }
    if (const auto tried = refused_try(request, answer)) {
        for (const auto& each : users()) each->head_seen(tried->first, entry.sent, tried->second);
    }
    const auto* look = std::get_if<get_item_request>(&request);
    const auto looked_at = look == nullptr ? std::nullopt : row_in(look->key);
    if (looked_at && answer && std::get<get_item_response>(*answer).found) {
        const auto last = text_value(*std::get<get_item_response>(*answer).found, "last");
        open_.shown({open_writes::kind::draw, looked_at->queue, last});
    }
    watch_answered(entry, request, answer);
    if (const auto* put = std::get_if<put_item_request>(&request)) {
        const bool refused = !answer && answer.error().code == errc::condition_failed && answer.error().current;
        const bool own =
            refused && text_value(*answer.error().current, "attempt") == text_value(put->new_item, "attempt");
        if (answer || own) note_acknowledged(put->new_item);
    } else if (const auto* together = std::get_if<transact_write_items_request>(&request)) {
        // Applied now, or found to be when a copy was refused.
        for (const auto& action : together->actions) {
            const auto* row = std::get_if<transact_put>(&action);
            const auto name = row == nullptr ? std::nullopt : row_in(row->new_item);
            const auto* ticket = name ? world_.checked().find(name->queue, name->ticket) : nullptr;
            const bool stands = ticket != nullptr && ticket->attempt == text_value(row->new_item, "attempt");
            if (stands && (answer || answer.error().code == errc::transaction_canceled)) {
                note_acknowledged(row->new_item);
            }
        }
    }
}

}  // namespace dynalease::simulation::queues
