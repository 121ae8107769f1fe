// Items that are wanted together.
// SPDX-License-Identifier: BSL-1.0
#include "item_lock/wanted_items.hpp"

#include "session/session_impl.hpp"

#include <cstddef>
#include <utility>

namespace dynalease::detail {

namespace {

std::size_t count(const std::map<std::string, keys_and_options>& tables) {
    std::size_t all = 0;
    for (const auto& [table, some] : tables) all += some.keys.size();
    return all;
}

}  // namespace

joint_reading::joint_reading(session_impl& core, std::vector<wanted_item>& wanted) : core_(core), wanted_(wanted) {
    for (auto& each : wanted_) {
        each.seen = {};
        auto& table = left_[each.front->item().layout.table];
        table.keys.push_back(each.front->item().key);
        table.consistent_read = true;
    }
}

boost::asio::awaitable<shared_failure> joint_reading::go_on() {
    batch_get_item_request batch{.tables = left_};
    const auto sent = core_.now();
    auto answered = co_await core_.target().call(std::move(batch));
    if (!answered) co_return std::make_shared<const failure>(std::move(answered).error());
    for (auto& each : wanted_) {
        const auto& item = each.front->item();
        for (const auto& found : answered->items[item.layout.table]) {
            if (protocol::key_of(item.layout, found) == item.key) {
                each.seen = protocol::read_item(item.layout, answer::applied, &found, true);
                each.seen.sent_at = sent;
            }
        }
    }
    const auto asked = count(left_);
    left_ = std::move(answered->unprocessed);
    for (auto& [table, keys] : left_) keys.consistent_read = true;
    std::erase_if(left_, [](const auto& table) { return table.second.keys.empty(); });
    const bool none = count(left_) >= asked;
    co_return none ? std::make_shared<const failure>(errc::throttled) : nullptr;
}

}  // namespace dynalease::detail
