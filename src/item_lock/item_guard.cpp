// The public handle of a locked item.
// SPDX-License-Identifier: BSL-1.0
#include <dynalease/item_lock/item_guard.hpp>

#include "item/fresh_stamp.hpp"
#include "item_lock/item_hold.hpp"
#include "item_lock/item_lock_impl.hpp"
#include "session/guard_verbs.hpp"

#include <utility>

namespace dynalease {

namespace {

using boost::asio::awaitable;
using detail::item_hold;

struct guarded_update {
    std::shared_ptr<item_hold> hold;
    update_expression change;
    condition_expression condition;
    std::optional<detail::last_use> last;
};

/// Why a verb cannot end its grant; otherwise it does, from here on.
std::optional<failure> unfit_to_end(const item_hold& hold, std::optional<detail::last_use>& last) {
    auto why = detail::unfit(hold, *last ? hold.standing() : hold.state(), true);
    if (!why && !last->end()) why = failure(hold.why_over());
    return why;
}

awaitable<runtime::completion<dynalease::item>> run_update_item(guarded_update what, diagnostics* details) {
    auto& hold = what.hold;
    runtime::completion<dynalease::item> done;
    auto why = detail::unwritable(*hold, what.change);
    if (!why) why = what.last ? unfit_to_end(*hold, what.last) : detail::unfit(*hold, hold->state(), true);
    if (why) {
        what.last.reset();  // back to its guard before the caller is told
        done.code = detail::report(*why, details);
        co_return done;
    }
    detail::item_lock_impl::write_end end;
    try {
        if (what.last) {
            const auto stamp = detail::fresh_stamp(hold->core()->world());
            end = co_await hold->front().change_and_release(hold, std::move(what.change), std::move(what.condition),
                                                            stamp);
        } else {
            end = co_await hold->front().change(hold, std::move(what.change), std::move(what.condition));
        }
    } catch (...) {
        // For want of memory, say. Nobody else would give it back.
        if (what.last) hold->front().give_back(hold);
        throw;
    }
    if (end.why) {
        done.code = detail::report(*end.why, details);
    } else {
        done.value = std::move(end.left);
    }
    co_return done;
}

struct guarded_end_of_item {
    std::shared_ptr<item_hold> hold;
    condition_expression condition;
    std::optional<detail::last_use> erases;  ///< empty: it becomes a reader's
};

awaitable<runtime::completion<void>> run_end_item(guarded_end_of_item what, diagnostics* details) {
    auto& hold = what.hold;
    auto why = what.erases ? unfit_to_end(*hold, what.erases) : detail::unfit(*hold, hold->state(), true);
    if (why) {
        if (!what.erases && why->code == errc::not_exclusive) why->details.message = "it is a reader's guard already";
        what.erases.reset();
        co_return runtime::completion<void>{detail::report(*why, details)};
    }
    detail::item_lock_impl::write_end end;
    try {
        if (what.erases) {
            end = co_await hold->front().erase(hold, std::move(what.condition));
        } else {
            end = co_await hold->front().downgrade(hold);
        }
    } catch (...) {
        if (what.erases) hold->front().give_back(hold);
        throw;
    }
    error_code code;
    if (end.why) code = detail::report(*end.why, details);
    co_return runtime::completion<void>{code};
}

}  // namespace

bool item_guard::held() const noexcept {
    return hold_ && hold_->held();
}
guard_state item_guard::state() const noexcept {
    return hold_ ? hold_->state() : guard_state::empty;
}
bool item_guard::exclusive() const noexcept {
    return hold_ && hold_->exclusive();
}
std::int64_t item_guard::fencing_token() const noexcept {
    return hold_ ? hold_->token() : 0;
}
const std::string& item_guard::name() const noexcept {
    static const std::string none;
    return hold_ ? hold_->name() : none;
}
const dynalease::item& item_guard::item() const noexcept {
    static const dynalease::item none;
    return hold_ ? hold_->known : none;
}

resolution item_guard::doubtful_write() const noexcept {
    return hold_ ? hold_->doubtful_write() : resolution::open;
}

condition_check item_guard::fence() const {
    detail::require_grant(hold_.share().get(), "item_guard.fence", name());
    return hold_->fence();
}

condition_expression item_guard::condition() const {
    detail::require_grant(hold_.share().get(), "item_guard.condition", name());
    return hold_->condition();
}

boost::asio::any_io_executor item_guard::executor() const {
    return detail::executor_of(hold_.share());
}

void item_guard::update_verb::operator()(diagnostics* details, detail::handler_for<dynalease::item> handler) && {
    guarded_update what{
        .hold = hold, .change = std::move(change), .condition = std::move(condition), .last = std::nullopt};
    detail::called_verb called{details, "item_guard.update"};
    if (end == detail::guarded_end::release) {
        // Invalid from the call on, on whatever thread that is.
        what.last.emplace(hold);
        called.verb = "item_guard.update_and_release";
    }
    detail::start_guard_verb<dynalease::item>(hold, std::move(called), run_update_item(std::move(what), details),
                                              std::move(handler));
}

void item_guard::erase_verb::operator()(diagnostics* details, detail::handler_for<void> handler) && {
    guarded_end_of_item what{.hold = hold, .condition = std::move(condition), .erases = detail::last_use(hold)};
    detail::start_guard_verb<void>(hold, {details, "item_guard.erase"}, run_end_item(std::move(what), details),
                                   std::move(handler));
}

void item_guard::downgrade_verb::operator()(diagnostics* details, detail::handler_for<void> handler) && {
    guarded_end_of_item what{.hold = hold, .condition = {}, .erases = std::nullopt};
    detail::start_guard_verb<void>(hold, {details, "item_guard.downgrade"}, run_end_item(std::move(what), details),
                                   std::move(handler));
}

void item_guard::release_verb::operator()(diagnostics* details, detail::handler_for<void> handler) && {
    detail::start_giving_back(hold, {details, "item_guard.release"}, std::move(handler));
}

void item_guard::lost_verb::operator()(diagnostics* details, detail::handler_for<void> handler) && {
    detail::start_waiting_for_loss(hold, {details, "item_guard.lost"}, std::move(handler));
}

boost::asio::awaitable<dynalease::item> item_guard::update(update_expression change, condition_expression condition) {
    return detail::await_verb<dynalease::item>(
        executor(), update_verb{hold_.share(), std::move(change), std::move(condition), detail::guarded_end::keep});
}

boost::asio::awaitable<dynalease::item> item_guard::update_and_release(update_expression change,
                                                                       condition_expression condition) {
    return detail::await_verb<dynalease::item>(
        executor(), update_verb{hold_.share(), std::move(change), std::move(condition), detail::guarded_end::release});
}

boost::asio::awaitable<void> item_guard::erase(condition_expression condition) {
    return detail::await_verb<void>(executor(), erase_verb{hold_.share(), std::move(condition)});
}

boost::asio::awaitable<void> item_guard::downgrade() {
    return detail::await_verb<void>(executor(), downgrade_verb{hold_.share()});
}

boost::asio::awaitable<void> item_guard::release() {
    return detail::await_verb<void>(executor(), release_verb{hold_.share()});
}

boost::asio::awaitable<void> item_guard::lost() const {
    return detail::await_verb<void>(executor(), lost_verb{hold_.share()});
}

}  // namespace dynalease
