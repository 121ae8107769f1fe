// Looking at an item's lock without taking it.
// SPDX-License-Identifier: BSL-1.0
#include <dynalease/item_lock/item_lock.hpp>

#include "database/called_verb.hpp"
#include "database/table_key.hpp"
#include "item/protocol/item_mark.hpp"
#include "item_lock/item_lock_impl.hpp"
#include "session/protocol/plain_identity.hpp"
#include "session/protocol/session_requests.hpp"
#include "session/session_lives.hpp"

#include <map>
#include <utility>

namespace dynalease {

namespace {

using boost::asio::awaitable;
using claimant = item_lock_info::claimant;

claimant shown(const protocol::item_claimant& stands) {
    return {.session = stands.session};
}

/// What the rows of their sessions tell, of each once.
awaitable<std::optional<failure>> look_at_sessions(database target, std::string table,
                                                   std::vector<claimant*> claimants) {
    std::map<std::string, claimant> known;
    for (auto* each : claimants) {
        const auto& id = each->session;
        if (id.empty() || protocol::is_plain(id)) continue;
        if (const auto before = known.find(id); before != known.end()) {
            *each = before->second;
            continue;
        }
        auto request = protocol::look_at_session(table, id);
        auto seen = co_await target.call(std::move(request));
        if (!seen) {
            co_return co_await detail::explained_by_key(std::move(target), std::move(table), std::move(seen).error());
        }
        each->over = !seen->found;
        if (seen->found) {
            const auto row = protocol::parse_session_row(*seen->found);
            if (!row) co_return row.error();
            each->over = !row->alive;
            each->owner = row->owner;
            each->last_heartbeat = row->beat_time;
        }
        known.emplace(id, *each);
    }
    co_return std::nullopt;
}

awaitable<runtime::completion<item_lock_info>> run_inspect(detail::in_lives<detail::item_target> handle,
                                                           diagnostics* details) {
    runtime::completion<item_lock_info> done;
    const auto& item = handle.made.front->item();
    auto target = handle.lives->present()->target();
    get_item_request look{.table_name = item.layout.table, .key = item.key, .consistent_read = true};
    auto looked = co_await target.call(std::move(look));
    if (!looked) {
        done.code = detail::report(looked.error(), details);
        co_return done;
    }
    auto state = protocol::lock_sight_of(item.layout, looked->found ? &*looked->found : nullptr);
    if (state && !state->exists) state = failure(errc::missing);
    auto mark = state ? protocol::mark_of(*looked->found) : std::move(state).error();
    if (!mark) {
        done.code = detail::report(mark.error(), details);
        co_return done;
    }
    auto& info = done.value;
    info.fencing_token = state->floor;
    if (*mark) info.transaction = (*mark)->owner.id;
    if (state->writer) info.writer = shown(*state->writer);
    if (state->intent) info.intent = shown(*state->intent);
    for (const auto& each : state->readers) info.readers.push_back(shown(each));
    info.attributes = *std::move(looked->found);

    const auto& table = handle.lives->options().table;
    if (table.empty()) co_return done;
    std::vector<claimant*> claimants;
    if (info.writer) claimants.push_back(&*info.writer);
    if (info.intent) claimants.push_back(&*info.intent);
    for (auto& each : info.readers) claimants.push_back(&each);
    const auto why = co_await look_at_sessions(std::move(target), table, std::move(claimants));
    if (why) done.code = detail::report(*why, details);
    co_return done;
}

}  // namespace

void item_lock::inspect_verb::operator()(diagnostics* details, detail::handler_for<item_lock_info> handler) && {
    const auto executor = target.lives->world().executor;
    const auto& front = *target.made.front;
    detail::called_verb called{details, "item_lock.inspect", front.name(), front.item().layout.table};
    detail::start_verb<item_lock_info>(executor, std::move(called), run_inspect(std::move(target), details),
                                       std::move(handler));
}

boost::asio::awaitable<item_lock_info> item_lock::inspect() const {
    return detail::await_verb<item_lock_info>(get_executor(), inspect_verb{target_});
}

}  // namespace dynalease
