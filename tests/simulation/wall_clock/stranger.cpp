// The recipe: a moment is written if there is none or it is older than the timeout, and removed in the end.
// SPDX-License-Identifier: BSL-1.0
#include "simulation/wall_clock/stranger.hpp"

#include "simulation/framework/counted_frame.hpp"
#include "simulation/wall_clock/process.hpp"
#include "simulation/wall_clock/world.hpp"

#include <utility>

namespace dynalease::simulation::wall_clocks {

namespace asio = boost::asio;

namespace {
/// No request of the library calls the attribute so.
constexpr const char* lock_name = "#LockedAt";
}  // namespace

stranger::stranger(process& at, std::size_t item)
    : simulation::user(at.world().choices(), at, "stranger: cancellation"), process_(at), item_(item) {}

bool stranger::sent(const update_item_request& request) {
    return request.names.contains(lock_name);
}

bool stranger::believes() const {
    if (handle_ == 0) return false;
    return process_.machine().clock().wall() < mine_ + process_.world().bounds().timeout;
}

void stranger::let_go() {
    if (handle_ != 0) process_.world().tell(process_.name(), wall_clocks::let_go{.handle = std::exchange(handle_, 0)});
}

asio::awaitable<void> stranger::live(std::shared_ptr<stranger> self) {
    auto& me = *self;
    auto& world = me.process_.world();
    const counted_frame standing(me.process_.frames);
    co_await me.sleep_up_to("stranger: first rest", world.made_of().longest_rest);
    while (!world.stopping()) {
        co_await me.lock_and_write();
        if (world.stopping()) break;
        // They look often; of their turn they are as fond as anybody.
        const auto rest = world.calm() ? std::chrono::milliseconds(1500) : std::chrono::milliseconds(200);
        co_await me.sleep_up_to("stranger: rest", rest);
    }
}

asio::awaitable<void> stranger::lock_and_write() {
    auto& world = process_.world();
    auto& choices = world.choices();
    const auto got = co_await take();
    if (!got) co_return;
    const auto one_in = world.made_of().outstays;
    const bool outstays = one_in != 0 && choices.choose("stranger: outstays", one_in) == 1 && !world.calm();
    auto longest = outstays ? world.bounds().timeout * 3 / 2 : world.made_of().longest_hold;
    if (world.calm()) longest = std::chrono::milliseconds(100);
    co_await sleep_up_to("stranger: hold", longest);
    const bool writes = choices.choose("stranger: writes", 2) == 1;
    if (writes) co_await write();
    co_await sleep_up_to("stranger: holds on", longest);
    co_await free();
}

update_item_request stranger::own(const char* what) const {
    update_item_request request{.table_name = table, .key = clock_world::key_of(item_)};
    request.update_expression = what;
    request.names = {{lock_name, process_.world().options().attribute}};
    return request;
}

asio::awaitable<bool> stranger::send(update_item_request request) {
    const auto target = process_.machine().database();
    const call_options patience{.timeout = std::chrono::seconds(1)};
    const auto done = co_await target.call(std::move(request), patience);
    co_return done.has_value();
}

asio::awaitable<bool> stranger::take() {
    auto& world = process_.world();
    const moment now = process_.machine().clock().wall();
    mine_ = now + std::chrono::microseconds(world.choices().choose("stranger: microsecond", 1000));
    auto request = own("SET #LockedAt = :mine");
    request.condition_expression = "attribute_exists(pk) AND (attribute_not_exists(#LockedAt) OR #LockedAt < :over)";
    request.values = {{":mine", foreign_text(mine_)}, {":over", foreign_text(now - world.bounds().timeout)}};
    const auto got = co_await send(std::move(request));
    if (!got) co_return false;
    world.run().coverage.hit("locked by a stranger");
    handle_ = world.next_number();
    world.tell(process_.name(),
               given{.handle = handle_, .item = item_, .by = process_.program(), .text = foreign_text(mine_)});
    co_return true;
}

asio::awaitable<void> stranger::write() {
    auto& world = process_.world();
    auto request = own("SET entries = list_append(entries, :number)");
    request.condition_expression = "#LockedAt = :mine";
    const attribute_value number(attribute_list{attribute_value(static_cast<std::int64_t>(world.next_number()))});
    request.values = {{":mine", foreign_text(mine_)}, {":number", number}};
    co_await send(std::move(request));
}

asio::awaitable<void> stranger::free() {
    let_go();
    auto request = own("REMOVE #LockedAt");
    if (!process_.world().made_of().careless) {
        request.condition_expression = "#LockedAt = :mine";
        request.values = {{":mine", foreign_text(mine_)}};
    }
    co_await send(std::move(request));
}

}  // namespace dynalease::simulation::wall_clocks
