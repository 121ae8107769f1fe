// One request after the other.
// SPDX-License-Identifier: BSL-1.0
#include "simulation/lock/open_writes.hpp"

#include "session/protocol/row.hpp"
#include "simulation/framework/request_text.hpp"

#include <algorithm>
#include <chrono>
#include <variant>

namespace dynalease::simulation::locks {

namespace {

/// The token of a write that may bring its session the lock, or a place in the line; empty: it is another.
std::optional<std::int64_t> token_at_stake(const any_request& request) {
    const auto* write = std::get_if<update_item_request>(&request);
    if (write == nullptr) return {};
    const auto& values = write->values;
    const bool brings = values.contains(":a") || values.contains(":me");
    return brings ? integer_value(values, ":t") : std::nullopt;
}

/// Empty: it is of a version that no process here reads, and tells nothing.
std::optional<shown_row> read(const std::optional<item>& row) {
    if (!row) return shown_row{};
    if (find_integer(*row, "v") != protocol::schema_version) return std::nullopt;
    const auto* holder = find_string(*row, "holder");
    return shown_row{.floor = find_integer(*row, "floor").value_or(0),
                     .attempt = find_integer(*row, "attempt"),
                     .holder = holder != nullptr ? *holder : std::string()};
}

}  // namespace

std::optional<shown_row> row_in(const result<any_response>& answer, const any_request& request) {
    if (!answer) {
        const auto why = answer.error();
        if (why.code != errc::condition_failed) return {};
        return read(why.current);
    }
    if (const auto* looked = std::get_if<get_item_response>(&*answer)) return read(looked->found);
    const auto* written = std::get_if<update_item_response>(&*answer);
    const auto* asked = std::get_if<update_item_request>(&request);
    if (written == nullptr || asked == nullptr || asked->returned != return_values::all_new) return {};
    return read(written->attributes);
}

bool is_about_a_grant(const any_request& request) {
    const auto* write = std::get_if<update_item_request>(&request);
    return write != nullptr && write->values.contains(":a");
}

bool is_release(const any_request& request) {
    return is_about_a_grant(request) && std::get<update_item_request>(request).values.contains(":expiry");
}

void open_writes::sent(std::size_t lock, const any_request& request, time_point now) {
    const auto token = token_at_stake(request);
    if (!token) return;
    locks_[lock].first_sent.emplace(*token, now);
    auto& write = locks_[lock].by_token[*token];
    write.sent = now;
    ++write.under_way;
    const auto& values = std::get<update_item_request>(request).values;
    if (values.contains(":b")) write.from = integer_value(values, ":a");
}

void open_writes::answered(std::size_t lock, const any_request& request, const result<any_response>& answer,
                           time_point now, bool own) {
    auto& of = locks_[lock];
    const auto token = token_at_stake(request);
    const auto found = token ? of.by_token.find(*token) : of.by_token.end();
    if (found != of.by_token.end()) {
        auto& write = found->second;
        --write.under_way;
        if (!answer && answer.error().outcome == outcome::unknown) write.unanswered = true;
        // A place in the line is no grant: a take of the same token may still bring one.
        const bool granted = answer && std::get<update_item_request>(request).values.contains(":a");
        if (granted || (write.under_way == 0 && !write.unanswered)) {
            of.by_token.erase(found);
            of.resolved = now;
        }
    }
    const auto row = row_in(answer, request);
    if (!row) return;
    if (own) of.floor_seen = std::max(of.floor_seen, row->floor);
    if (!own) {
        // It may have travelled for long: what its row does not show says nothing.
        for (auto& [token_of, write] : of.by_token) write.seen_closed = write.seen_closed || token_of <= row->floor;
        return;
    }
    const bool released = is_release(request);
    const auto closed = [&](const auto& each) {
        const auto& [token_of, write] = each;
        return token_of <= row->floor || (write.from && (released || write.from != row->attempt));
    };
    if (std::erase_if(of.by_token, closed) != 0) of.resolved = now;
}

bool open_writes::any_since(std::size_t lock, time_point began) const {
    const auto found = locks_.find(lock);
    if (found == locks_.end()) return false;
    for (const auto& [token, write] : found->second.by_token) {
        if (write.sent >= began && !write.seen_closed) return true;
    }
    return false;
}

bool open_writes::any_lately(std::size_t lock, time_point now) const {
    constexpr std::chrono::milliseconds moment(1);
    const auto found = locks_.find(lock);
    if (found == locks_.end()) return false;
    return !found->second.by_token.empty() || now - found->second.resolved <= moment;
}

void open_writes::end_life(time_point now) {
    for (auto& [lock, of] : locks_) {
        if (!of.by_token.empty()) of.resolved = now;
        of.by_token.clear();
        for (const auto& [token, sent] : of.first_sent) {
            of.of_earlier_lives.insert_or_assign(token, sent_claim{sent, of.floor_seen});
        }
        of.first_sent.clear();
        of.floor_seen = 0;
    }
}

std::optional<sent_claim> open_writes::claim(std::size_t lock, std::int64_t token) const {
    const auto found = locks_.find(lock);
    if (found == locks_.end()) return {};
    const auto& of = found->second;
    const auto first = of.first_sent.find(token);
    if (first != of.first_sent.end()) return sent_claim{.first_sent = first->second, .floor_seen = of.floor_seen};
    const auto earlier = of.of_earlier_lives.find(token);
    return earlier == of.of_earlier_lives.end() ? std::nullopt : std::optional(earlier->second);
}

}  // namespace dynalease::simulation::locks
