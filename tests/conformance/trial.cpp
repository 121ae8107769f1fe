// Runs a program on both sides, call by call.
// SPDX-License-Identifier: BSL-1.0
#include "conformance/trial.hpp"

#include <boost/asio/this_coro.hpp>

#include <exception>
#include <optional>
#include <utility>

namespace dynalease::conformance {

namespace {

namespace asio = boost::asio;

/// Goes on from page to page and from segment to segment.
template <class Request>
asio::awaitable<answer> all_pages(side& on, Request request) {
    page_response all;
    unsigned pages = 0;
    for (;;) {
        any_request next = request;
        auto got = co_await on.call(std::move(next));
        if (!got) co_return answer_of(request, got);
        auto& page = std::get<page_response>(*got);
        ++pages;
        all.count += page.count;
        all.scanned_count += page.scanned_count;
        for (auto& each : page.items) all.items.push_back(std::move(each));
        request.exclusive_start_key = std::move(page.last_evaluated_key);
        // More pages than there can be items: the difference will show.
        constexpr unsigned most_pages = 200;
        if (!request.exclusive_start_key.empty() && pages < most_pages) continue;
        if constexpr (requires { request.segment; }) {
            if (request.segment && *request.segment + 1 < request.total_segments.value_or(0)) {
                ++*request.segment;
                continue;
            }
            // How the items fall into segments is the server's choice, and so is the number of their pages.
            if (request.segment && request.limit) pages = 0;
        }
        break;
    }
    co_return answer_of(request, std::move(all), pages);
}

/// Tokens live longer than tables: a program that runs again needs others.
void rename_token(call& what, const std::string& suffix) {
    auto* request = std::get_if<transact_write_items_request>(&what.request);
    if (request && !request->client_request_token.empty()) request->client_request_token += suffix;
}

/// A message without the names and numbers in it.
std::string gist(const std::string& message) {
    constexpr std::size_t telling = 110;
    std::string out;
    for (const char c : message.substr(0, telling)) {
        if (c == '[' || c == '{') break;
        if (c >= '0' && c <= '9') continue;
        out += c;
    }
    return out;
}

std::string signature_of(const difference& found) {
    std::string out(operation_name(found.what.request));
    out += found.what.raw.empty() ? " " : " raw ";
    out += found.path;
    out += " " + found.ours.error() + "/" + found.theirs.error() + " ";
    return out + gist(found.ours.message()) + " / " + gist(found.theirs.message());
}

}  // namespace

asio::awaitable<answer> perform(side& on, const call& what) {
    if (!what.raw.empty()) {
        const auto got = co_await on.post(operation_name(what.request), what.raw);
        co_return answer_of(what.request, got.status, got.body);
    }
    if (what.to_the_end) {
        if (const auto* query = std::get_if<query_request>(&what.request)) {
            auto request = *query;
            co_return co_await all_pages(on, std::move(request));
        }
        auto request = std::get<scan_request>(what.request);
        co_return co_await all_pages(on, std::move(request));
    }
    any_request request = what.request;
    const auto got = co_await on.call(std::move(request));
    co_return answer_of(what.request, got);
}

bool stage::judge(std::size_t at, const call& what, const answer& ours, const answer& theirs, trial& out) const {
    const auto found = compare(what, ours, theirs);
    bool same_effect = true;
    for (const auto& each : found) {
        const auto* known = find_known(server_, each);
        if (!known) {
            out.findings.push_back({at, what, ours, theirs, each.path, signature_of(each)});
            return false;
        }
        out.listed.push_back(known);
        same_effect = same_effect && known->same_effect;
    }
    if (ours.refused && theirs.refused) return !leaves_parts(server_, what, theirs);
    // Where one has written and the other has not, all that follows differs.
    return same_effect && (ours.refused == theirs.refused || !is_write(what.request));
}

asio::awaitable<void> stage::play(const program& what, trial& out) {
    auto ours = embedded_side();
    for (const auto& table : what.tables) {
        const call create{table};
        const auto our_answer = co_await perform(*ours, create);
        const auto their_answer = co_await perform(foreign_, create);
        ++out.calls;
        if (!judge(0, create, our_answer, their_answer, out)) co_return;
    }
    const std::string suffix = "-" + std::to_string(what.seed) + "-" + std::to_string(++runs_);
    for (std::size_t at = 0; at < what.calls.size(); ++at) {
        call next = what.calls[at];
        rename_token(next, suffix);
        const auto our_answer = co_await perform(*ours, next);
        const auto their_answer = co_await perform(foreign_, next);
        ++out.calls;
        if (!judge(at, next, our_answer, their_answer, out)) co_return;
    }
}

asio::awaitable<trial> stage::run(program what) {
    trial out;
    co_await play(what, out);
    for (const auto& table : what.tables) {
        any_request request = delete_table_request{table.table_name};
        co_await foreign_.call(std::move(request));
    }
    co_return out;
}

}  // namespace dynalease::conformance
