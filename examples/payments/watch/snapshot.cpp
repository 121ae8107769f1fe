// Two scans, and the queues of what waits to be sent.
// SPDX-License-Identifier: BSL-1.0
#include "payments/watch/snapshot.hpp"

#include "payments/http/json.hpp"
#include "payments/relay/outbox.hpp"

#include <dynalease/dynamodb/expression.hpp>
#include <dynalease/dynamodb/pages.hpp>
#include <dynalease/queue.hpp>

#include <boost/describe/enum_to_string.hpp>

#include <map>
#include <utility>
#include <vector>

namespace asio = boost::asio;

namespace payments::web {

namespace {

constexpr int pages_at_most = 5;
constexpr std::size_t lines_at_most = 12;

std::string text_in(const dynalease::item& row, std::string_view name) {
    const auto* found = dynalease::find_string(row, name);
    return found ? *found : std::string();
}

asio::awaitable<std::vector<dynalease::item>> scan(dynalease::database where, std::string table, std::string prefix) {
    dynalease::scan_request request;
    request.table_name = std::move(table);
    apply_filter(request, dynalease::begins_with("pk", std::move(prefix)));
    dynalease::pages<dynalease::scan_request> pages{where, std::move(request)};
    std::vector<dynalease::item> all;
    for (int i = 0; i < pages_at_most; ++i) {
        auto page = co_await pages.next();
        if (!page) break;
        for (auto& one : page->items) all.push_back(std::move(one));
    }
    co_return all;
}

/// The session in a lock's text, "<session>.<attempt>.<step>".
std::string session_in(const std::string& writer) {
    return writer.substr(0, writer.find('.'));
}

}  // namespace

asio::awaitable<std::string> observer::look(std::uint64_t conflicts_per_10s) {
    auto scanning_sessions = scan(rows_.database, coordination_table, "session#");
    const auto sessions = co_await std::move(scanning_sessions);
    auto scanning = scan(rows_.database, payments_table, "INTENT#");
    const auto found = co_await std::move(scanning);

    std::map<std::string, std::string> owners;
    json_text out;
    out.open('{').member("control", boost::describe::enum_to_string(how_, ""));
    out.key("sessions").open('[');
    for (const auto& row : sessions) {
        const auto id = text_in(row, "pk").substr(std::string_view("session#").size());
        owners[id] = text_in(row, "owner");
        out.open('{')
            .member("id", id)
            .member("owner", owners[id])
            .member("beat", dynalease::find_integer(row, "beat").value_or(0))
            .member("over", text_in(row, "state") == "alive" ? 0 : 1)
            .close('}');
    }
    out.close(']');

    std::map<std::string, std::int64_t> states{
        {"CREATED", 0}, {"CHARGE_REQUESTED", 0}, {"CHARGED", 0}, {"CHARGE_FAILED", 0}};
    std::map<std::string, std::int64_t> stages{{stage::to_send, 0}, {stage::sent, 0}};
    std::vector<std::string> waiting;
    std::int64_t intents = 0;
    std::size_t shown = 0;
    out.key("locks").open('[');
    for (const auto& row : found) {
        if (text_in(row, "sk") != "INTENT") {
            const auto at = text_in(row, "stage");
            if (!at.empty()) ++stages[at];
            if (at == stage::to_send && waiting.size() < lines_at_most) waiting.push_back(text_in(row, "intent"));
            continue;
        }
        ++intents;
        ++states[text_in(row, "state")];
        const auto writer = text_in(row, "_lockW");
        if (writer.empty() || shown == lines_at_most) continue;
        ++shown;
        const auto owner = owners.find(session_in(writer));
        out.open('{')
            .member("intent", text_in(row, "id"))
            .member("state", text_in(row, "state"))
            .member("holder", owner == owners.end() ? "of a process that is gone" : owner->second)
            .member("token", dynalease::find_integer(row, "_lockF").value_or(0))
            .close('}');
    }
    out.close(']').key("states").open('{');
    for (const auto& [state, count] : states) out.member(state, count);
    out.close('}').member("intents", intents);
    out.member("to_send", stages[stage::to_send]).member("sent", stages[stage::sent]);
    out.member("conflicts_per_10s", static_cast<std::int64_t>(conflicts_per_10s));

    out.key("queues").open('[');
    for (const auto& intent : waiting) {
        const dynalease::queue line{session_, "outbox/" + intent};
        const auto now = co_await line.inspect();
        out.open('{')
            .member("intent", intent)
            .member("holder", now.holder ? now.holder->owner : "nobody's")
            .member("ticket", now.holder ? now.holder->ticket : now.last_ticket)
            .member("waiting", static_cast<std::int64_t>(now.waiting.size()))
            .close('}');
    }
    co_return out.close(']').close('}').text();
}

}  // namespace payments::web
