// Page after page, and the queues that were busy.
// SPDX-License-Identifier: BSL-1.0
#include "payments/relay/due_intents.hpp"

#include <utility>

namespace payments {

boost::asio::awaitable<std::vector<std::string>> due_intents::next(std::int32_t at_most) {
    if (last_.empty()) {
        std::erase_if(queues_, [](const auto& one) { return !one.second.met; });
        for (auto& [intent, queue] : queues_) queue.met = false;
    }
    auto looking = outbox_.intents_due(stage_, at_most, last_);
    auto page = co_await std::move(looking);
    last_ = std::move(page.last);
    co_return std::move(page.intents);
}

dynalease::queue& due_intents::queue_of(const std::string& intent) {
    auto at = queues_.find(intent);
    if (at == queues_.end()) at = queues_.emplace(intent, kept{dynalease::queue{session_, "outbox/" + intent}}).first;
    at->second.met = true;
    return at->second.queue;
}

}  // namespace payments
