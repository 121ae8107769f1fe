// One transaction for all that belongs together, and what its refusal means.
// SPDX-License-Identifier: BSL-1.0
#include "payments/repositories/transaction.hpp"

#include "payments/domain/refused.hpp"
#include "payments/repositories/request_store.hpp"

#include <dynalease/dynamodb/expression.hpp>

#include <optional>
#include <utility>

namespace asio = boost::asio;

namespace payments {

namespace {

/// The places of what was written, by which its refusal is asked.
struct places {
    std::size_t intent = 0;
    std::optional<std::size_t> received{};
    std::optional<std::size_t> request{};
};

/// What is to be said of a transaction that was refused: nothing of it was written.
refused refusal_of(dynalease::error_code code, const dynalease::joint_result& told, const places& at) {
    if (told.size() == 0) return {problem::busy, "the table is busy; try again"};
    if (at.received && told.at(*at.received).code) {
        return {problem::already_received, "this answer of the gateway was taken in before"};
    }
    if (at.request && told.at(*at.request).code) {
        return {problem::in_progress, "another process works on this request by now"};
    }
    const auto why = told.at(at.intent).code;
    if (why == dynalease::errc::condition_failed) return {problem::lost, "the lock was lost before the change"};
    if (why == dynalease::condition::contended) return {problem::busy, "the intent is locked; try again in a moment"};
    if (code == dynalease::condition::contended) return {problem::busy, "the table is busy; try again"};
    return {problem::conflict, "the intent was changed by another request; read it and decide again"};
}

/// Sends it, and finds out what became of it where the answer was lost.
asio::awaitable<dynalease::joint_result> commit(dynalease::database where, dynalease::versioned_writes writes,
                                                places at) {
    auto [code, told] = co_await dynalease::save_all(where, std::move(writes), as_result);
    if (!code) co_return std::move(told);
    if (code == dynalease::errc::in_doubt && told.pending()) {
        auto [unread, became] = co_await told.pending().resolve(as_result);
        if (!unread && became == dynalease::resolution::applied) co_return dynalease::joint_result{};
        if (!unread && became == dynalease::resolution::not_applied) {
            throw refused(problem::busy, "nothing was changed; try again");
        }
        throw refused(problem::unknown, "the change was sent and not answered; look at the intent");
    }
    const bool known = code == dynalease::condition::conflict || code == dynalease::condition::contended;
    if (!known) throw dynalease::error(code, {});
    throw refusal_of(code, told, at);
}

}  // namespace

void intent_transaction::throw_not_found(const std::string& id) {
    throw refused(problem::not_found, "there is no payment intent " + id);
}

asio::awaitable<void> intent_transaction::create(const payment_intent& made, ticket* request) const {
    const auto row = row_of(made.data());
    if (!request) {
        co_await tables_.intents.create(row);
        co_return;
    }
    dynalease::versioned_writes writes;
    places at{.intent = writes.create(tables_.intents, row)};
    at.request = writes.save(tables_.requests, request_store::answered(*request, made.data()));
    auto sent = commit(tables_.database, std::move(writes), at);
    co_await std::move(sent);
    request->answered = true;
}

asio::awaitable<dynalease::loaded<intent_row>> intent_transaction::save(dynalease::loaded<intent_row> base,
                                                                        dynalease::save_options how,
                                                                        together_with more) const {
    const auto now = milliseconds_since_1970(tables_.database);
    dynalease::versioned_writes writes;
    places at{.intent = writes.save(tables_.intents, base, std::move(how))};
    const bool by_request = times_.sent_by_request.count() > 0;
    for (const auto& happened : more.events) {
        const auto due = now + times_.sent_by_request.count();
        writes.create(tables_.events, row_of(happened, by_request ? stage::sent : stage::to_send, due));
    }
    if (more.answered) {
        writes.blind(tables_.events, event_key(base.value.id, *more.answered),
                     dynalease::remove("stage") + dynalease::remove("due"));
    }
    if (more.received) at.received = writes.create(tables_.answers, row_of(*more.received));
    if (more.request) at.request = writes.save(tables_.requests, request_store::answered(*more.request, base.value));
    auto sent = commit(tables_.database, std::move(writes), at);
    const auto told = co_await std::move(sent);
    if (more.request) more.request->answered = true;
    if (told.size() > 0) {
        auto left = told.saved(tables_.intents, at.intent);
        if (left) co_return *std::move(left);
    }
    auto left = co_await tables_.intents.load(intent_key(base.value.id));
    if (!left) throw_not_found(base.value.id);
    co_return *std::move(left);
}

}  // namespace payments
