// Reading items beside transactions, and the rows of transactions.
// SPDX-License-Identifier: BSL-1.0
#include "database/called_verb.hpp"
#include "database/table_key.hpp"
#include "item/protocol/item_state.hpp"
#include "transaction/errand_driver.hpp"
#include "transaction/held_items.hpp"
#include "transaction/protocol/latest_reader.hpp"
#include "transaction/protocol/marking_requests.hpp"
#include "transaction/protocol/plan_reader.hpp"
#include "transaction/protocol/together_reader.hpp"
#include "transaction/transactions_impl.hpp"
#include "versioned/protocol/version_changes.hpp"
#include "versioned/versioned_impl.hpp"

#include <utility>

namespace dynalease::detail {

namespace {

using boost::asio::awaitable;

/// What lies there, without what is the library's alone.
std::optional<item> as_it_lies(std::optional<item> shown) {
    if (shown) {
        std::erase_if(*shown, [](const auto& each) {
            return each.first.starts_with(protocol::item_attribute::transaction_prefix);
        });
    }
    return shown;
}

awaitable<result<std::optional<item>>> read_once(std::shared_ptr<transactions_impl> core, item_ref where,
                                                 isolation level) {
    auto request = protocol::look_at_item(where);
    auto read = co_await core->target().call(std::move(request));
    if (!read) co_return std::move(read).error();
    if (level == isolation::uncommitted) co_return as_it_lies(std::move(read->found));
    co_return protocol::committed_view(read->found);
}

awaitable<runtime::completion<transaction_sight>> run_read(std::shared_ptr<transactions_impl> core, placed_key place,
                                                           isolation level, diagnostics* details) {
    runtime::completion<transaction_sight> done;
    if (auto why = protocol::check_key(place.layout, place.key)) {
        done.code = report(*why, details);
        co_return done;
    }
    result<std::optional<stored_item>> stored = std::optional<stored_item>{};
    if (level == isolation::latest) {
        std::vector<placed_key> one{place};
        auto all = co_await read_latest(core, std::move(one));
        if (all)
            stored = std::move(all->front());
        else
            stored = std::move(all).error();
    } else {
        auto shown = co_await read_once(core, {place.layout.table, place.key}, level);
        if (shown)
            stored = as_stored(place, *std::move(shown));
        else
            stored = protocol::about(std::move(shown).error(), {place.layout.table, place.key});
    }
    if (stored)
        done.value.stored = *std::move(stored);
    else
        done.code = co_await report_explained(core, std::move(stored).error(), details);
    co_return done;
}

awaitable<runtime::completion<transaction_sight>> run_get(std::shared_ptr<transactions_impl> core, placed_key place,
                                                          result<std::optional<transaction_sight>> known,
                                                          diagnostics* details) {
    runtime::completion<transaction_sight> done;
    if (!known) {
        done.code = report(known.error(), details);
    } else if (*known) {
        done.value = **std::move(known);
    } else {
        done = co_await run_read(std::move(core), std::move(place), isolation::latest, details);
        done.value.fresh = !done.code;
    }
    co_return done;
}

}  // namespace

awaitable<error_code> report_explained(std::shared_ptr<transactions_impl> core, failure why, diagnostics* details) {
    const auto& rows = core->options().table;
    if (why.details.table == rows) why = co_await explained_by_key(core->target(), rows, std::move(why));
    co_return report(why, details);
}

result<std::optional<stored_item>> as_stored(const placed_key& place, std::optional<item> committed) {
    using stored = std::optional<stored_item>;
    if (!committed) return stored{};
    auto sight = protocol::versioned_state_of(place.layout, *committed);
    if (!sight) return protocol::about(std::move(sight).error(), {place.layout.table, place.key});
    if (sight->gone) return stored{};
    return stored(stored_item{std::move(sight->state), *std::move(committed)});
}

namespace {

template <class Reader>
awaitable<result<std::vector<std::optional<stored_item>>>> read_by(std::shared_ptr<transactions_impl> core,
                                                                   std::vector<placed_key> places) {
    using driver = errand_driver<Reader>;
    std::vector<item_ref> items;
    items.reserve(places.size());
    for (const auto& place : places) items.push_back({place.layout.table, place.key});
    Reader machine(core->options().table, std::move(items));
    const auto reading = std::make_shared<driver>(core->target(), std::move(machine));
    co_await driver::run(reading);
    const auto& machine_now = reading->machine();
    if (machine_now.why().code) co_return machine_now.why();
    std::vector<std::optional<stored_item>> found;
    found.reserve(places.size());
    for (std::size_t i = 0; i < places.size(); ++i) {
        auto stored = as_stored(places[i], machine_now.found()[i]);
        if (!stored) co_return std::move(stored).error();
        found.push_back(*std::move(stored));
    }
    co_return found;
}

}  // namespace

awaitable<result<std::vector<std::optional<stored_item>>>> read_latest(std::shared_ptr<transactions_impl> core,
                                                                       std::vector<placed_key> places) {
    return read_by<protocol::latest_reader>(std::move(core), std::move(places));
}

awaitable<result<std::vector<std::optional<stored_item>>>> read_at_once(std::shared_ptr<transactions_impl> core,
                                                                        std::vector<placed_key> places) {
    return read_by<protocol::together_reader>(std::move(core), std::move(places));
}

awaitable<result<std::optional<protocol::transaction_header>>> read_plan(std::shared_ptr<transactions_impl> core,
                                                                         protocol::plan_reader reader) {
    using driver = errand_driver<protocol::plan_reader>;
    const auto reading = std::make_shared<driver>(core->target(), std::move(reader));
    co_await driver::run(reading);
    const auto& now = reading->machine();
    if (now.why().code) co_return now.why();
    co_return now.found();
}

void transaction_read_verb::operator()(diagnostics* details, handler_for<transaction_sight> handler) && {
    const auto executor = core->world().executor;
    called_verb called{details, "transactions.read", protocol::text_of(key), table->options().table};
    placed_key place{table->layout(), std::move(key)};
    start_verb<transaction_sight>(executor, std::move(called),
                                  run_read(std::move(core), std::move(place), level, details), std::move(handler));
}

// What the transaction knows is looked up in the call: from then on its owner may change it, on another thread.
void transaction_get_verb::operator()(diagnostics* details, handler_for<transaction_sight> handler) && {
    auto known = known_in(*of, *table, key);
    if (known && !*known && of->held) {
        if (auto held = of->held->find(table->layout().table, key)) known = transaction_sight{std::move(held), true};
    }
    const auto& core = of->core;
    called_verb called{details, "transaction.get", protocol::text_of(key), table->options().table};
    placed_key place{table->layout(), std::move(key)};
    start_verb<transaction_sight>(core->world().executor, std::move(called),
                                  run_get(core, std::move(place), std::move(known), details), std::move(handler));
}

}  // namespace dynalease::detail
