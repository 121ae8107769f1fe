// Reading several items as all of them were committed at one moment.
// SPDX-License-Identifier: BSL-1.0
#include "database/called_verb.hpp"
#include "item/item_names.hpp"
#include "transaction/errand_driver.hpp"
#include "transaction/protocol/planned_writes.hpp"
#include "transaction/protocol/together_reader.hpp"
#include "transaction/transactions_impl.hpp"
#include "versioned/versioned_impl.hpp"

#include <cstddef>
#include <map>
#include <string>
#include <utility>

namespace dynalease::detail {

namespace {

using boost::asio::awaitable;
using protocol::together_reader;

/// The items, each once, and where each wish finds its own.
struct wanted_items {
    std::vector<item_ref> items{};
    std::vector<std::size_t> places{};
};

result<wanted_items> wanted_by(const std::vector<joint_read>& reads) {
    wanted_items wanted;
    std::map<std::string, std::size_t> known;
    for (const auto& [table, key] : reads) {
        const item_ref where{table->layout().table, key};
        if (auto why = fault_of_table(*table)) return *std::move(why);
        if (auto why = table->fault_of(key)) return protocol::about(*std::move(why), where);
        const auto [at, is_new] = known.try_emplace(item_name(where), wanted.items.size());
        if (is_new) wanted.items.push_back(where);
        wanted.places.push_back(at->second);
    }
    return wanted;
}

awaitable<result<std::vector<transaction_sight>>> read_together(std::shared_ptr<transactions_impl> core,
                                                                std::vector<joint_read> reads) {
    using driver = errand_driver<together_reader>;
    auto wanted = wanted_by(reads);
    if (!wanted) co_return std::move(wanted).error();
    together_reader machine(core->options().table, std::move(wanted->items));
    const auto reading = std::make_shared<driver>(core->target(), std::move(machine));
    co_await driver::run(reading);
    const auto& now = reading->machine();
    if (now.why().code) co_return now.why();
    std::vector<transaction_sight> sights;
    sights.reserve(reads.size());
    for (std::size_t i = 0; i < reads.size(); ++i) {
        const placed_key place{reads[i].table->layout(), reads[i].key};
        auto stored = as_stored(place, now.found()[wanted->places[i]]);
        if (!stored) co_return std::move(stored).error();
        sights.push_back({*std::move(stored)});
    }
    co_return sights;
}

awaitable<runtime::completion<std::vector<transaction_sight>>> run_read_together(
    std::shared_ptr<transactions_impl> core, std::vector<joint_read> reads, diagnostics* details) {
    runtime::completion<std::vector<transaction_sight>> done;
    auto sights = co_await read_together(std::move(core), std::move(reads));
    if (sights)
        done.value = *std::move(sights);
    else
        done.code = report(sights.error(), details);
    co_return done;
}

}  // namespace

void read_together_verb::operator()(diagnostics* details, handler_for<std::vector<transaction_sight>> handler) && {
    const auto executor = core->world().executor;
    called_verb called{details, "transactions.read_together"};
    start_verb<std::vector<transaction_sight>>(
        executor, std::move(called), run_read_together(std::move(core), std::move(reads), details), std::move(handler));
}

}  // namespace dynalease::detail
