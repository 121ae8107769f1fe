// The verbs of versioned items awaited without a token: compiled once, whatever struct the items become.
// SPDX-License-Identifier: BSL-1.0
#include "versioned/versioned_impl.hpp"

#include <dynalease/versioned/loaded.hpp>

#include <tuple>
#include <utility>

namespace dynalease {

namespace {

diagnostics saying_applied(diagnostics details, const std::string& why) {
    details.message = "the write was applied, but there is nothing to return: " + why;
    details.advice = "do not write it again; load the item";
    return details;
}

/// Without the words of its code, which say that nobody knows whether it was.
std::shared_ptr<const std::string> text_of(const diagnostics& details) {
    return std::make_shared<const std::string>(details.to_string() + " [in_doubt]");
}

}  // namespace

applied_unread::applied_unread(dynalease::diagnostics details, const std::string& why)
    : error(errc::in_doubt, saying_applied(std::move(details), why)), text_(text_of(diagnostics())) {}

}  // namespace dynalease

namespace dynalease::detail {

namespace {

using boost::asio::awaitable;

diagnostics called(std::string_view verb, const versioned_impl& table, const item_key& key) {
    diagnostics about;
    about.operation = verb;
    about.table = table.options().table;
    about.key = text_of(key);
    return about;
}

template <class Verb>
awaitable<awaited_write> await_write(boost::asio::any_io_executor executor, Verb verb, diagnostics called) {
    awaited_write out;
    out.called = std::move(called);
    auto done = co_await initiate<write_report>(executor, std::move(verb), out.details,
                                                boost::asio::as_tuple(boost::asio::deferred));
    out.code = std::get<0>(done);
    out.report = std::get<1>(std::move(done));
    co_return out;
}

}  // namespace

awaitable<awaited_write> await_verb(write_verb verb) {
    auto executor = executor_of(*verb.core);
    auto about = called(verb_of(verb.order.what), *verb.core, key_in(*verb.core, verb.order));
    return await_write(std::move(executor), std::move(verb), std::move(about));
}

awaitable<awaited_write> await_verb(update_verb verb) {
    auto executor = executor_of(*verb.core);
    auto about = called("versioned.update", *verb.core, verb.core->key_of(verb.key));
    return await_write(std::move(executor), std::move(verb), std::move(about));
}

awaitable<std::optional<stored_item>> await_verb(load_verb verb) {
    auto executor = executor_of(*verb.core);
    return await_verb<std::optional<stored_item>>(std::move(executor), std::move(verb));
}

awaitable<many_read> await_verb(load_many_verb verb) {
    auto executor = executor_of(*verb.core);
    return await_verb<many_read>(std::move(executor), std::move(verb));
}

boost::asio::any_io_executor executor_of(const std::shared_ptr<const write_intent>& intent) {
    if (intent) return intent->core->world().executor;
    diagnostics details;
    details.operation = "pending_write";
    details.message = "no write is in doubt here";
    throw error(errc::not_held, std::move(details));
}

awaitable<resolve_report> await_verb(resolve_verb verb) {
    auto executor = executor_of(verb.intent);
    return await_verb<resolve_report>(std::move(executor), std::move(verb));
}

}  // namespace dynalease::detail
