// The writer: what it sends, and what it makes of answers.
// SPDX-License-Identifier: BSL-1.0
#include "walking_writer.hpp"

#include <dynalease/dynamodb/update_expression.hpp>

#include <stdexcept>
#include <utility>
#include <variant>

namespace dynalease::protocol::test {

namespace {

/// As long as two copies of a write may take to be without an answer.
constexpr std::chrono::milliseconds patience{60};

bool tests_state(const write_intent& intent) {
    return intent.how == write_intent::test::checked || intent.how == write_intent::test::create_over;
}

}  // namespace

item_stamp walking_writer::new_stamp() {
    item_stamp stamp{};
    stamp[0] = static_cast<std::byte>(number_);
    if (in_.rules_.one_stamp_per_writer) return stamp;
    const auto count = ++in_.stamps_;
    for (std::size_t i = 0; i < 4; ++i) stamp[i + 1] = static_cast<std::byte>(count >> (8 * i));
    return stamp;
}

bool walking_writer::is_punctual() const {
    return !settles_ && in_.is_punctual(kind_);
}

// ---- what happens ------------------------------------------------------------------------------------------

/// The request of the intent, as the library makes it.
void walking_writer::plan() {
    const auto requests = intent_.requests();
    const auto& write = intent_.write;
    switch (kind_) {
        case write_kind::create:
            plan_create(intent_);
            break;
        case write_kind::save:
            intent_.request = requests.save(intent_.key, write, intent_.changes);
            break;
        case write_kind::remove:
            if (intent_.buries)
                intent_.request = requests.bury(intent_.key, write, {}, 2'000'000'000);
            else
                intent_.request = requests.erase(intent_.key, write);
            break;
        case write_kind::blind:
            intent_.request = requests.blind(intent_.key, add("count", 1), write.mine, false);
            break;
    }
}

void walking_writer::write(write_kind kind) {
    using test = write_intent::test;
    kind_ = kind;
    doubted_.reset();
    settles_ = false;
    intent_ = {};
    intent_.layout = &in_.layout_;
    intent_.key = in_.key_;
    intent_.write.mine = new_stamp();
    if (kind == write_kind::create) intent_.members.present = in_.key_;
    if (kind == write_kind::save) intent_.changes.set = {{"title", std::to_string(in_.stamps_)}};
    intent_.removes = kind == write_kind::remove;
    intent_.buries = intent_.removes && in_.size_.tombstones;
    intent_.repeatable = kind != write_kind::blind;
    intent_.how = kind == write_kind::blind ? test::blind : test::checked;
    if (kind != write_kind::create) {
        const auto seen = in_.sight().value();
        intent_.write.base = seen.state;
        intent_.write.target = version_after(in_.layout_, seen.state).value();
        intent_.stored = seen.attributes;
    }
    plan();
    in_.records_.push_back({kind});
    record_ = in_.records_.size() - 1;
    from_ = in_.serial_;
    sends_ = 0;
    unanswered_ = false;
    end_ = {};
    begin(write_item(*this, steps_, patience, intent_, end_));
}

void walking_writer::resolve() {
    resolution_ = {};
    settles_ = true;
    record_ = *doubted_;
    begin(resolve_item(steps_, intent_, resolution_));
}

/// By a touch, which is a write of its own.
void walking_writer::close() {
    resolution_ = {};
    settles_ = true;
    in_.records_.push_back({write_kind::save});
    record_ = in_.records_.size() - 1;
    begin(close_item(*this, steps_, intent_, resolution_));
}

void walking_writer::wake() {
    in_.now_ += std::get<pause_step*>(needs_)->time;
    take_up(steps_.go_on());
}

void walking_writer::time_out() {
    unanswered_ = true;
    answer(failure(errc::timeout, outcome::unknown));
}

void walking_writer::resend() {
    resent_ = true;
    in_.flight_.push_back({this, record_, call_, sent_request_, sent_.write.mine, from_, effect()});
}

void walking_writer::answer(result<any_response> with) {
    refused_ = !with && with.error().code == errc::condition_failed;
    if (refused_) {
        auto why = std::move(with).error();
        shown_ = in_.serial_;
        if (resent_) unanswered_ = true;
        if (resent_ && !in_.rules_.ignores_resends) why.outcome = outcome::unknown;
        with = settles_ ? std::move(why) : as_mutants_see(std::move(why));
    }
    resent_ = false;
    ++call_;
    if (auto* const* request = std::get_if<request_step*>(&needs_)) {
        (*request)->answer = std::move(with);
    } else {
        auto& touch = *std::get<write_step*>(needs_);
        if (with)
            touch.answer = std::get<update_item_response>(*std::move(with));
        else
            touch.answer = std::move(with).error();
    }
    take_up(steps_.go_on());
}

/// A mutant's verdict: what the library would have to be shown for it.
result<any_response> walking_writer::as_mutants_see(failure why) {
    std::optional<item_state> now;
    if (why.current) now = state_of(in_.layout_, *why.current).value();
    const auto& write = intent_.write;
    const refusal facts{.base = write.base,
                        .mine = write.mine,
                        .target = write.target,
                        .clean = !unanswered_,
                        .now = now ? &*now : nullptr};
    const auto meant = in_.rules_.misjudges(kind_, facts);
    if (!meant) return why;
    if (*meant == verdict::applied) return any_response(delete_item_response{});
    auto others = in_.key_;
    others.insert_or_assign(in_.layout_.version, write.target);
    others.insert_or_assign(item_attribute::born, bytes_of(write.base.born.value()));
    others.insert_or_assign(in_.layout_.stamp, bytes_of(item_stamp{std::byte{0xff}}));
    others.insert_or_assign(item_attribute::trail, binary{});
    if (*meant == verdict::missing) others.insert_or_assign(item_attribute::gone, true);
    why.current = std::move(others);
    return why;
}

// ---- its sequences -----------------------------------------------------------------------------------------

void walking_writer::begin(sequence<void> what) {
    take_up(steps_.begin(std::move(what)));
}

void walking_writer::take_up(step next) {
    needs_ = next;
    while (auto* const* read = std::get_if<read_step*>(&needs_)) {
        get_item_response shown;
        shown.found = in_.look();
        (*read)->answer = std::move(shown);
        refused_ = true;  // it was not told by an answer, either
        needs_ = steps_.go_on();
    }
    if (rests())
        ended();
    else if (!pauses())
        send();
}

void walking_writer::send() {
    const auto* touch = std::get_if<write_step*>(&needs_);
    // Made anew, over what the refusal has shown.
    const bool anew = sends_ > 0 && (intent_.how != sent_.how || intent_.write.base != sent_.write.base);
    if (anew) from_ = shown_;
    auto* request = touch ? nullptr : std::get<request_step*>(needs_);
    const bool renews = in_.rules_.stamp_per_copy && request && sends_ > 0 && !anew;
    if (renews && intent_.how != write_intent::test::create_over) {
        intent_.write.mine = new_stamp();
        plan();
        request->request = intent_.request;
    }
    ++sends_;
    sent_ = intent_;
    const auto kind = touch ? write_kind::save : kind_;
    sent_request_ = in_.as_changed(touch ? any_request((*touch)->request) : request->request, kind, intent_.write.base);
    in_.flight_.push_back({this, record_, call_, sent_request_, intent_.write.mine, from_, effect()});
}

/// What takes the rest off a tombstone changes nothing that matters.
version_walk::copy::effect walking_writer::effect() const {
    using effect = version_walk::copy::effect;
    const bool clears = !settles_ && std::holds_alternative<write_step*>(needs_);
    if (clears) return effect::none;
    return settles_ || tests_state(intent_) ? effect::of_its_state : effect::any;
}

void walking_writer::ended() {
    using told = version_walk::told;
    if (settles_) return told_of_doubt();
    if (end_.in_doubt) doubted_ = record_;
    const bool done = !end_.why;
    in_.resolved += done && refused_ ? 1 : 0;
    in_.conflicts += !done && !end_.in_doubt && unanswered_ ? 1 : 0;
    in_.end(record_, done ? told::yes : end_.in_doubt ? told::doubt : told::no);
}

void walking_writer::told_of_doubt() {
    using told = version_walk::told;
    const auto of = *doubted_;
    if (resolution_.why || resolution_.became == resolution::open) return;
    doubted_.reset();
    in_.closed += resolution_.became == resolution::not_applied ? 1 : 0;
    in_.end(of, resolution_.became == resolution::applied ? told::yes : told::no);
}

}  // namespace dynalease::protocol::test
