// One process that wants an item: the library's own machine, with a session, callers and guards made for a test.
// SPDX-License-Identifier: BSL-1.0
#include "item_walker.hpp"

#include <dynalease/dynamodb/expression.hpp>

#include <algorithm>
#include <utility>

namespace dynalease::protocol::test {

using dynalease::detail::shared_failure;
using fate = guarded_end::grant;

namespace {

locked_item the_till() {
    return {.key = {{"id", "north"}},
            .layout = {.table = tills, .key = "id"},
            .poll_interval = std::chrono::milliseconds(100),
            .longest_poll_interval = std::chrono::seconds(1)};
}

}  // namespace

void item_walker::machine::mistake(const item_walk_rules& rules, const result<update_item_response>& answer) {
    using now = item_lock_claimant::phase;
    const bool claims = lock_.now == now::wanting || lock_.now == now::giving_back;
    if (!rules.one_claim && !answer && lock_.open && claims) lock_.new_claim(lock_.tokens.floor);
}

item_walker::item_walker(item_walk_surroundings& around, std::string id)
    : around_(around), id_(std::move(id)), machine_(*this, *this, tills + "/north", the_till()) {}

bool item_walker::may_change() const {
    const bool in_doubt = around_.rules().heeds_doubt && !guards_.empty() && guards_.back().doubtful;
    return may_end() && guards_.back().exclusive && !in_doubt;
}

// ---- what happens ------------------------------------------------------------------------------------------

void item_walker::come(caller who) {
    callers_.push_back(who);
    machine_.want();
    if (!machine_.held() || machine_.read_here()) drive();
}

void item_walker::leave() {
    callers_.pop_front();
    if (callers_.empty() && driver.pauses()) wake(driver);
}

void item_walker::release() {
    auto ends = std::move(guards_.back());
    guards_.pop_back();
    if (!guards_.empty()) return;  // other readers go on with the same grant
    leaving_ = std::move(ends);
    machine_.lose();
    machine_.give_back();
    if (driver.pauses()) return wake(driver);
    drive();
}

void item_walker::change(const std::string& name, bool last) {
    auto what = add("amount", 1) + add("done", string_set{name}) + set("by", id_);
    if (last) {
        guards_.back().let_go = true;
        const item_stamp stamp{std::byte(++attempts_)};
        return begin(machine_.end_with(writer.steps, machine_.last_change(std::move(what), {}, stamp), write_end_),
                     {name, true});
    }
    if (!around_.rules().counts_steps) machine_.forget_step();
    guarded_change change{.update = std::move(what), .stamp = {std::byte(++attempts_)}};
    begin(machine_.change(writer.steps, std::move(change), write_end_), {name, false});
}

void item_walker::downgrade() {
    guards_.back().exclusive = false;
    begin(machine_.downgrade(writer.steps, write_end_), {});
}

void item_walker::audit() {
    audit_due_ = false;
    machine_.resolve(true);
    drive();
}

void item_walker::wake(item_walk_task& which) {
    take_up(which, which.steps.go_on());
}

void item_walker::answer(item_walk_task& which, result<update_item_response> with) {
    which.awaited = 0;
    if (&which == &driver) machine_.mistake(around_.rules(), with);
    std::get<write_step*>(which.needs)->answer = std::move(with);
    take_up(which, which.steps.go_on());
}

void item_walker::drive() {
    if (!driver.rests()) return;
    machine_.begin();
    take_up(driver, driver.steps.begin(machine_.run(driver.steps)));
}

void item_walker::begin(sequence<void> what, order by) {
    writing_ = std::move(by);
    write_end_ = {};
    take_up(writer, writer.steps.begin(std::move(what)));
}

void item_walker::take_up(item_walk_task& which, step next) {
    for (which.needs = next; answered_at_once(which);) which.needs = which.steps.go_on();
    if (&which == &writer && writer.rests()) end_write();
}

bool item_walker::answered_at_once(item_walk_task& which) {
    if (auto* const* read = std::get_if<read_step*>(&which.needs)) {
        (*read)->answer = around_.read((*read)->request);
        return true;
    }
    if (auto* const* at = std::get_if<look_step*>(&which.needs)) {
        look(**at);
        return true;
    }
    auto* const* write = std::get_if<write_step*>(&which.needs);
    if (write == nullptr) return false;
    if (!around_.rules().skips((*write)->request)) {
        which.awaited = around_.send((*write)->request, id_);
        which.resent = false;
        return false;
    }
    update_item_response done;
    get_item_request whole{.table_name = tills, .key = (*write)->request.key, .consistent_read = true};
    done.attributes = around_.read(whole).value().found.value_or(item{});
    (*write)->answer = std::move(done);
    return true;
}

void item_walker::look(look_step& at) {
    std::optional<session_row> row;
    if (!around_.over(at.session)) row = {.alive = true, .beat = ++beats_, .lease = std::chrono::seconds(20)};
    watches_[at.session].sight(row, now());
}

void item_walker::tell(const std::string& name, bool done) {
    if (!name.empty()) told_[name] = done;
}

/// As `item_lock_impl` does it.
void item_walker::end_write() {
    const auto [name, last] = std::exchange(writing_, {});
    const auto end = std::exchange(write_end_, {});
    if (end.why && end.why->code == errc::lock_lost) around_.wrong("a guarded write met a grant that is not there");
    if (!end.why || end.why->code != errc::in_doubt) tell(name, !end.why);
    if (end.is == fate::doubtful) {
        guards_.back().doubtful = name;
        guards_.back().doubtful_step = end.doubtful_step.value_or(-1);
    } else if (end.is == fate::to_release) {
        release();
    } else if (end.is == fate::ended || end.is == fate::lost) {
        ended_ = std::max(ended_, guards_.back().attempt);
        guards_.clear();
        machine_.lose();
        machine_.rest();
        if (!machine_.rests()) drive();
    } else if (machine_.read_here() && wanted()) {
        drive();
    }
}

// ---- its callers, and the guards ---------------------------------------------------------------------------

bool item_walker::waited_for() {
    return std::ranges::find(callers_, true, &caller::waits) != callers_.end();
}

void item_walker::serve() {
    const auto& held = machine_.grant().held;
    if (callers_.front().wish != held.access) around_.wrong("a caller was served with what it did not want");
    callers_.pop_front();
    guards_.push_back({.attempt = held.id.attempt, .exclusive = held.access == item_access::exclusive});
}

void item_walker::fail_try(const shared_failure&, time_point) {
    if (!callers_.empty() && !callers_.front().waits) callers_.pop_front();
}

void item_walker::fail_all(const shared_failure& why, time_point) {
    around_.wrong("rejected: " + why->code.message());
}

void item_walker::tell_release(const failure& how) {
    // A last write that had no answer may have given it back.
    const bool ended = leaving_ && leaving_->let_go;
    if (how.code == make_error_code(errc::lock_lost) && !ended) around_.wrong("a held item was lost");
}

void item_walker::resolve_doubt(std::int64_t at) {
    if (!leaving_ || !leaving_->doubtful) return;
    const auto step = leaving_->doubtful_step;
    if (at == step || at == step - 1) tell(*leaving_->doubtful, at == step);
}

void item_walker::end_release(const failure& how) {
    tell_release(how);
    if (leaving_ && !how.code) ended_ = std::max(ended_, leaving_->attempt);
    leaving_.reset();
}

}  // namespace dynalease::protocol::test
