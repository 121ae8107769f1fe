// Items that are wanted together.
// SPDX-License-Identifier: BSL-1.0
#include "item_lock/wanted_items.hpp"

#include "database/protocol/joint_reasons.hpp"
#include "session/holder_words.hpp"
#include "session/session_impl.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>

namespace dynalease::detail {

namespace {

std::size_t count(const std::map<std::string, keys_and_options>& tables) {
    std::size_t all = 0;
    for (const auto& [table, some] : tables) all += some.keys.size();
    return all;
}

auto first_seen_held(const std::vector<wanted_item>& wanted) {
    return std::ranges::find_if(wanted, [](const auto& each) { return !each.front->in_the_way().empty(); });
}

}  // namespace

failure of_item(const wanted_item& which, failure why) {
    why.details.key = which.front->name();
    if (why.details.table.empty()) why.details.table = which.front->item().layout.table;
    return why;
}

failure in_vain(const std::vector<wanted_item>& wanted, std::optional<failure> unheard, dynalease::time_point came,
                std::size_t waits_for) {
    const auto here = std::ranges::find_if(wanted, [](const auto& each) { return each.front->machine().held(); });
    if (here != wanted.end()) return of_item(*here, here->front->others_have_it());
    const auto seen = first_seen_held(wanted);
    const auto& told_of = seen == wanted.end() ? wanted[waits_for] : *seen;
    if (unheard) return with_holder(wanted, of_item(told_of, *std::move(unheard)));
    // Others of this process may be asking, and he waits for them.
    for (const auto& each : wanted) {
        auto of_it = each.front->in_vain(came);
        if (of_it.code != errc::wait_timeout) return with_holder(wanted, of_item(each, std::move(of_it)));
    }
    return of_item(told_of, told_of.front->others_have_it());
}

bool has_holder(const std::vector<wanted_item>& wanted) {
    return first_seen_held(wanted) != wanted.end();
}

failure with_holder(const std::vector<wanted_item>& wanted, failure unheard) {
    const auto seen = first_seen_held(wanted);
    if (seen == wanted.end() || !leaves_holder_open(unheard)) return unheard;
    return of_item(*seen, with_last_seen(std::move(unheard), seen->front->in_the_way()));
}

bool read_reasons(std::vector<wanted_item>& wanted, failure& why, bool& shown) {
    for (std::size_t i = 0; i < wanted.size() && i < why.reasons.size(); ++i) {
        const auto& reason = why.reasons[i];
        const auto kind = kind_of(reason);
        auto& each = wanted[i];
        if (kind == joint_reason::stays) {
            why = failure_of(reason);
            protocol::explain_key(why, each.front->item().key);
            why.details.key = each.front->name();
            return false;
        }
        if (kind != joint_reason::condition) continue;
        each.seen = protocol::read_item(each.front->item().layout, answer::refused,
                                        reason.current ? &*reason.current : nullptr, true);
        shown = true;
        if (each.seen.kind != answer::rejected) continue;
        why = of_item(each, *std::exchange(each.seen.why, nullptr));
        return false;
    }
    return true;
}

joint_reading::joint_reading(session_impl& core, std::vector<wanted_item>& wanted) : core_(core), wanted_(wanted) {
    for (auto& each : wanted_) {
        each.seen = {};
        auto& table = left_[each.front->item().layout.table];
        table.keys.push_back(each.front->item().key);
        table.consistent_read = true;
    }
}

boost::asio::awaitable<shared_failure> joint_reading::go_on(call_options how) {
    batch_get_item_request batch{.tables = left_};
    const auto sent = core_.now();
    auto answered = co_await core_.target().call(std::move(batch), how);
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
