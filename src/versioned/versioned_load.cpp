// Reading versioned items, one or many.
// SPDX-License-Identifier: BSL-1.0
#include "database/called_verb.hpp"
#include "database/protocol/backoff.hpp"
#include "database/protocol/reply.hpp"
#include "runtime/alarm.hpp"
#include "versioned/protocol/narrow_reads.hpp"
#include "versioned/versioned_impl.hpp"

#include <dynalease/dynamodb/expression.hpp>

#include <algorithm>
#include <utility>

namespace dynalease::detail {

namespace {

using boost::asio::awaitable;

/// Keys that one BatchGetItem takes.
constexpr std::size_t batch_size = 100;

/// @param only the attributes that are wanted; empty: all
template <class Read>
void narrow(Read& read, const versioned_impl& core, const std::vector<std::string>& only) {
    if (!only.empty()) apply_projection(read, protocol::shown_attributes(core.layout(), only));
}

awaitable<result<std::optional<protocol::visible_item>>> look_at(std::shared_ptr<versioned_impl> core,
                                                                 get_item_request request) {
    if (auto why = core->fault_of(request.key)) co_return *std::move(why);
    auto read = co_await core->target().call(std::move(request));
    if (!read) {
        auto why = std::move(read).error();
        core->explain(why);
        co_return why;
    }
    co_return protocol::visible_in(core->layout(), std::move(read->found));
}

awaitable<runtime::completion<std::optional<stored_item>>> run_load(std::shared_ptr<versioned_impl> core,
                                                                    get_item_request request, diagnostics* details) {
    runtime::completion<std::optional<stored_item>> done;
    const bool partial = !request.projection_expression.empty();
    auto seen = co_await look_at(core, std::move(request));
    if (seen) {
        done.value = stored_in(*std::move(seen));
        if (done.value) done.value->partial = partial;
    } else {
        done.code = report(seen.error(), details);
    }
    co_return done;
}

}  // namespace

awaitable<result<std::optional<protocol::visible_item>>> look_at(std::shared_ptr<versioned_impl> core, item_key key,
                                                                 bool consistent) {
    auto request = core->requests().look(key, consistent);
    return look_at(std::move(core), std::move(request));
}

namespace {

/// A service under load may leave keys unread again and again: they are asked for no longer than this.
constexpr std::chrono::seconds longest_reading{60};

failure left_unread(std::size_t keys) {
    failure why(errc::throttled);
    why.details.message = std::to_string(keys) + " items were left unread again and again";
    why.details.advice = "slow down, or raise the table's capacity";
    return why;
}

/// Asks until every one of up to a hundred keys is answered for, and adds what is found.
awaitable<std::optional<failure>> fetch(std::shared_ptr<versioned_impl> core, keys_and_options batch,
                                        dynalease::time_point deadline, std::vector<item>* found) {
    const auto& table = core->options().table;
    for (unsigned rounds = 0; !batch.keys.empty(); ++rounds) {
        if (rounds > 0) {
            const auto again = core->world().clock->now() + retry_pause(rounds - 1, core->world().random->unit());
            if (again >= deadline) co_return left_unread(batch.keys.size());
            runtime::alarm pause(core->world());
            co_await pause.wait_until(again);
        }
        batch_get_item_request request;
        request.tables.emplace(table, batch);
        auto answer = co_await core->target().call(std::move(request));
        if (!answer) {
            auto why = std::move(answer).error();
            core->explain(why);
            co_return why;
        }
        for (auto& one : answer->items[table]) found->push_back(std::move(one));
        batch.keys = std::move(answer->unprocessed[table].keys);
    }
    co_return std::nullopt;
}

awaitable<std::optional<failure>> load_each(std::shared_ptr<versioned_impl> core, std::vector<item_key> keys,
                                            keys_and_options how, many_read* into) {
    const auto& layout = core->layout();
    for (const auto& key : keys) {
        if (auto why = core->fault_of(key)) co_return why;
    }
    into->found.resize(keys.size());
    const auto deadline = core->world().clock->now() + longest_reading;
    for (std::size_t begin = 0; begin < keys.size(); begin += batch_size) {
        const auto end = std::min(keys.size(), begin + batch_size);
        auto batch = how;
        for (auto i = begin; i < end; ++i) {
            // The service refuses a key that is asked for twice.
            if (std::ranges::find(batch.keys, keys[i]) == batch.keys.end()) batch.keys.push_back(keys[i]);
        }
        std::vector<item> found;
        auto why = co_await fetch(core, std::move(batch), deadline, &found);
        if (why) co_return why;
        for (auto& one : found) {
            const auto key = protocol::key_of(layout, one);
            const auto state = protocol::versioned_state_of(layout, one);
            if (!state) {
                auto unreadable = unreadable_item(*core, one, state.error(), "versioned.load_many");
                into->misfits.push_back(misfit_of(*core, std::move(one), std::move(unreadable)));
                continue;
            }
            auto stored = stored_in(protocol::visible_in(layout, std::move(one)).value());
            if (stored) stored->partial = !how.projection_expression.empty();
            for (auto i = begin; i < end; ++i) {
                if (keys[i] == key) into->found[i] = stored;
            }
        }
    }
    co_return std::nullopt;
}

awaitable<runtime::completion<many_read>> run_load_many(std::shared_ptr<versioned_impl> core,
                                                        std::vector<key_values> values, keys_and_options how,
                                                        diagnostics* details) {
    runtime::completion<many_read> done;
    std::vector<item_key> keys;
    for (const auto& value : values) keys.push_back(core->key_of(value));
    auto why = co_await load_each(core, std::move(keys), std::move(how), &done.value);
    if (why) {
        done.code = report(*why, details);
        done.value = {};
    }
    co_return done;
}

}  // namespace

void load_verb::operator()(diagnostics* details, handler_for<std::optional<stored_item>> handler) && {
    const auto executor = core->world().executor;
    auto of = core->key_of(key);
    called_verb called{details, called_as, text_of(of), core->options().table};
    auto request = core->requests().look(of, options.consistent);
    narrow(request, *core, only);
    start_verb<std::optional<stored_item>>(executor, std::move(called),
                                           run_load(std::move(core), std::move(request), details), std::move(handler));
}

void load_many_verb::operator()(diagnostics* details, handler_for<many_read> handler) && {
    const auto executor = core->world().executor;
    called_verb called{details, "versioned.load_many", {}, core->options().table};
    keys_and_options how{.keys = {}, .consistent_read = options.consistent};
    narrow(how, *core, only);
    start_verb<many_read>(executor, std::move(called),
                          run_load_many(std::move(core), std::move(keys), std::move(how), details), std::move(handler));
}

}  // namespace dynalease::detail
