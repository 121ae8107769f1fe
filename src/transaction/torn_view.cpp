// Looking again at what a body has read.
// SPDX-License-Identifier: BSL-1.0
#include "transaction/torn_view.hpp"

#include "database/called_verb.hpp"

#include <boost/asio/awaitable.hpp>

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

namespace dynalease::detail {

namespace {

using boost::asio::awaitable;

std::vector<placed_key> places_in(const open_transaction& of) {
    std::vector<placed_key> places;
    // What it had locked, too: others may have rolled that back while the body ran.
    for (const auto& each : of.draft.items()) {
        if (each.read) places.push_back({each.layout, each.key});
    }
    return places;
}

awaitable<runtime::completion<void>> run_verify(std::shared_ptr<open_transaction> attempt, diagnostics* details) {
    runtime::completion<void> done;
    const auto places = places_in(*attempt);
    auto found = co_await read_at_once(attempt->core, places);
    if (!found) {
        done.code = co_await report_explained(attempt->core, std::move(found).error(), details);
        co_return done;
    }
    for (std::size_t i = 0; i < places.size(); ++i) {
        const auto& [layout, key] = places[i];
        if (attempt->draft.saw(layout, key, std::move((*found)[i]))) continue;
        failure why(errc::conflict);
        why.details.message = "it has changed since the body read it, which threw for what it had read";
        done.code = report(protocol::about(std::move(why), {layout.table, key}), details);
        attempt->held = nullptr;   // nobody waits for it while this one rests
        attempt->one_call = true;  // as far as is known: the next one may lock them first
        break;
    }
    co_return done;
}

}  // namespace

bool may_be_torn(const open_transaction& of) {
    const auto& items = of.draft.items();
    return std::ranges::any_of(items, &drafted_item::contradicted) ||
           std::ranges::count_if(items, &drafted_item::read) > 1;
}

void verify_verb::operator()(diagnostics* details, handler_for<void> handler) && {
    const auto executor = attempt->core->world().executor;
    called_verb called{details, "transactions.run", {}, attempt->core->options().table};
    start_verb<void>(executor, std::move(called), run_verify(std::move(attempt), details), std::move(handler));
}

}  // namespace dynalease::detail
