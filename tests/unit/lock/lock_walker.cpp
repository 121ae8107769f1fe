// One process that wants a lock: the library's own machine, with a session and callers made for a test.
// SPDX-License-Identifier: BSL-1.0
#include "lock_walker.hpp"

#include <algorithm>
#include <utility>
#include <variant>

namespace dynalease::protocol::test {

using dynalease::detail::shared_failure;
using phase = lock_claimant::phase;

void lock_walker::machine::mistake(const walk_rules& rules, const result<update_item_response>& answer) {
    if (!lock_.open || answer) return;
    const bool silent = answer.error().outcome == outcome::unknown;
    const bool second_claim = !rules.one_claim && lock_.now == phase::wanting;
    const bool second_hand_over = !rules.one_hand_over && silent && lock_.now == phase::giving_back;
    if (second_claim || second_hand_over) lock_.new_claim(lock_.tokens.floor);
}

lock_walker::lock_walker(walk_surroundings& around, std::string id, const std::string& name)
    : around_(around), id_(std::move(id)), machine_(*this, *this, name, std::chrono::milliseconds(140)) {}

// ---- what happens ------------------------------------------------------------------------------------------

void lock_walker::come(bool waits) {
    callers_.push_back(waits);
    machine_.want();
    if (!machine_.held()) drive();
}

void lock_walker::leave() {
    callers_.pop_front();
    if (callers_.empty() && paused()) wake();
}

void lock_walker::release() {
    ending_ = std::exchange(holds_, std::nullopt);
    machine_.give_back();
    drive();
}

void lock_walker::audit() {
    audit_due_ = false;
    machine_.resolve(true);
    drive();
}

void lock_walker::wake() {
    take_up(steps_.go_on());
}

void lock_walker::answer(result<update_item_response> with) {
    machine_.mistake(around_.rules(), with);
    std::get<write_step*>(needs_)->answer = std::move(with);
    take_up(steps_.go_on());
}

void lock_walker::drive() {
    if (at_rest()) take_up(steps_.begin(machine_.run(steps_)));
}

void lock_walker::take_up(step next) {
    for (needs_ = next; answered_at_once();) needs_ = steps_.go_on();
}

bool lock_walker::answered_at_once() {
    if (auto* const* read = std::get_if<read_step*>(&needs_)) {
        (*read)->answer = around_.store().execute((*read)->request);
        return true;
    }
    if (auto* const* at = std::get_if<look_step*>(&needs_)) {
        look(**at);
        return true;
    }
    auto* const* write = std::get_if<write_step*>(&needs_);
    if (write == nullptr) return false;
    if (!around_.rules().skips((*write)->request)) {
        around_.send((*write)->request);
        return false;
    }
    update_item_response done;
    done.attributes = around_.store().find((*write)->request.key).value_or(item{});
    (*write)->answer = std::move(done);
    return true;
}

void lock_walker::look(look_step& at) {
    std::optional<session_row> row;
    if (!around_.over(at.session)) row = {.alive = true, .beat = ++beats_, .lease = std::chrono::seconds(20)};
    watches_[at.session].sight(row, now());
}

// ---- its callers -------------------------------------------------------------------------------------------

bool lock_walker::waited_for() {
    return std::ranges::find(callers_, true) != callers_.end();
}

void lock_walker::serve(const claim& grant) {
    callers_.pop_front();
    holds_ = grant;
}

void lock_walker::fail_try(const shared_failure&, time_point) {
    if (!callers_.empty() && !callers_.front()) callers_.pop_front();
}

void lock_walker::fail_first(const shared_failure& why, time_point) {
    around_.wrong("rejected: " + why->code.message());
}

void lock_walker::fail_all(const shared_failure& why, time_point) {
    around_.wrong("rejected: " + why->code.message());
}

void lock_walker::end_release(const failure& how) {
    const auto& code = how.code;
    if (code == make_error_code(errc::lock_lost)) around_.wrong("a held lock was lost");
    if (ending_ && !code) ended_ = std::max(ended_, ending_->attempt);
    if (!code) ending_.reset();
}

}  // namespace dynalease::protocol::test
