// What may happen in the world of transactions.
// SPDX-License-Identifier: BSL-1.0
#include "transaction_world.hpp"

#include "hashes.hpp"
#include "world_plans.hpp"

#include <algorithm>
#include <stdexcept>
#include <tuple>
#include <variant>

namespace dynalease::protocol::test {

using dynalease::detail::answer;

namespace {

bool reads(const any_request& request) {
    return !is_write(request);
}

}  // namespace

transaction_world::transaction_world(const world_setting& setting, const world_rules& rules)
    : setting_(&setting),
      rules_(&rules),
      faults_(setting.faults),
      resolvers_(setting.resolvers),
      coordinators_(setting.coordinators),
      saves_(setting.saves),
      reads_(setting.readers),
      surveys_(setting.surveys),
      give_ups_(setting.give_ups),
      rejections_(setting.rejections) {
    for (std::size_t i = 0; i < names.size(); ++i) {
        committed_now(i, setting.exist.at(i) ? std::optional(first_thing(i)) : std::nullopt);
        if (setting.exist.at(i)) store_.put(things, key_of_thing(i), first_thing(i));
    }
    const rivalry rules_of_rivals =
        setting.patient ? rivalry{.limit = std::chrono::nanoseconds(1)} : rivalry{.patience = {}};
    std::vector<transaction_plan> plans;
    for (std::size_t t = 0; t < setting.transactions.size(); ++t) {
        plans.push_back(plan_of(setting, t, 0));
        if (is_call(t)) {
            calls_.push_back({t, caller(native_call(coordination, plans.back(), rules_of_rivals))});
            continue;
        }
        const auto& begun = setting.holds.at(t) ? holding_plan_of(setting, t, 0) : plans.back();
        processes_.push_back({t, member(coordinator(coordination, begun, rules_of_rivals))});
        if (setting.pages && t == 0) processes_.back().machine.deal_out();
    }
    if (setting.guarded) store_.put(coordination, key_of_guard(), key_of_guard());
    plans_ = std::make_shared<const std::vector<transaction_plan>>(std::move(plans));
    collect();
}

// ---- rows --------------------------------------------------------------------------------------------------

const item* transaction_world::thing(std::size_t which) const {
    return store_.find(things, key_of_thing(which));
}

std::optional<item_mark> transaction_world::mark_on(std::size_t which) const {
    const auto* shown = thing(which);
    if (!shown) return std::nullopt;
    return mark_of(*shown).value();
}

std::optional<transaction_header> transaction_world::header_of(std::size_t transaction) const {
    const auto* row = store_.find(coordination, transaction_key((*plans_)[transaction].name.id));
    return parse_transaction_header(row).value();
}

// ---- requests ----------------------------------------------------------------------------------------------

void transaction_world::send(std::size_t owner, errand wanted) {
    auto request = std::move(wanted.request);
    if (rules_->change) rules_->change(request, store_);
    const auto hash = test::hash_of(request);
    flights_.push_back({owner, wanted.slot, hash, std::make_shared<const any_request>(std::move(request))});
    const bool calls = owner >= first_call && owner < the_taker && wanted.slot == 0;
    if (calls && calls_[owner - first_call].machine.now() == native_call::phase::calling) {
        flights_.back().call = calls_[owner - first_call].transaction;
    }
}

/// What the machines want now is on its way: that it was not sent yet, and that it is late, is the same.
void transaction_world::collect() {
    if (roaming_ && roaming_->ended() != resolver::end::none) roaming_.reset();
    const auto waits = [this](std::size_t owner) {
        return std::ranges::find(flights_, owner, &flight::owner) != flights_.end();
    };
    if (roaming_ && !waits(the_wanderer)) send(the_wanderer, roaming_->next());
    if (taking_) {
        while (auto wanted = taking_->next(wall)) send(the_taker, *std::move(wanted));
        if (taking_->ended()) take_over(*taking_->found());
    }
    watch();
    for (std::size_t i = 0; i < calls_.size(); ++i) {
        auto& machine = calls_[i].machine;
        while (auto wanted = machine.next(wall)) send(first_call + i, *std::move(wanted));
        // No copy of a request lands whose refusal was answered, and told.
        if (machine.decided() == run_verdict::open || machine.decided() == run_verdict::committed) continue;
        std::erase_if(flights_,
                      [&](const flight& each) { return each.call == calls_[i].transaction && each.answered; });
    }
    for (std::size_t i = 0; i < processes_.size(); ++i) {
        auto& machine = processes_[i].machine;
        if (processes_[i].dead) continue;
        while (auto wanted = machine.next(wall)) {
            const bool locks = machine.now() == coordinator::phase::locking && wanted->slot > 0 &&
                               std::holds_alternative<update_item_request>(wanted->request);
            if (stores_unseen(i, *wanted)) continue;
            const auto slot = wanted->slot;
            const auto which = slot > 0 && slot <= machine.plan().items.size()
                                   ? machine.plan().items[slot - 1].key.at("id") == attribute_value("x") ? 0U : 1U
                                   : 0U;
            send(i, *std::move(wanted));
            const auto* shown = thing(which);
            if (!rules_->commit_unseen || !locks || machine.items()[slot - 1].rival || !shown) continue;
            // As if the lock had landed on what is there now.
            flights_.back().owner = nobody;
            small_store guess = store_;
            guess.put(things, key_of_thing(which), view(which).value_or(*shown));
            answer({i, slot, 0, {}}, read_answer(guess.execute(*flights_.back().request)));
        }
    }
}

const item_mark* transaction_world::met_by(const flight& each) const {
    if (each.owner == the_wanderer) return roaming_ ? &roaming_->mark() : nullptr;
    if (each.owner == nobody || each.slot == 0) return nullptr;
    if (each.owner == the_onlooker || each.owner == the_taker) return nullptr;
    if (each.owner >= first_call) {
        const auto& rival = calls_[each.owner - first_call].machine.rival(each.slot);
        return rival ? &rival->mark() : nullptr;
    }
    const auto& machine = processes_[each.owner].machine;
    const auto of_items = machine.items().size();
    const auto& rival =
        each.slot > of_items ? machine.check_rivals()[each.slot - 1 - of_items] : machine.items()[each.slot - 1].rival;
    return rival ? &rival->mark() : nullptr;
}

errand_answer transaction_world::execute(const any_request& request, const item_mark* met) {
    auto shown = read_answer(store_.execute(request));
    if (shown.kind == answer::rejected) {
        wrong_ = "rejected: " + std::string(operation_name(request)) + ": " + shown.why.details.message;
    }
    const auto* get = std::get_if<get_item_request>(&request);
    if (rules_->tell && met && get && get->table_name == coordination) rules_->tell(shown.shown, *met);
    return shown;
}

/// As the service does a call: not again under a token that it remembers.
errand_answer transaction_world::carry_out(const flight& each) {
    if (each.call == nobody) return execute(*each.request, met_by(each));
    const auto token =
        test::hash_of(std::string_view(std::get<transact_write_items_request>(*each.request).client_request_token));
    const bool known = std::ranges::find(tokens_, token) != tokens_.end();
    if (known && !setting_->forgetful) return {.kind = answer::applied};
    auto done = execute(*each.request, nullptr);
    if (done.kind != answer::applied) return done;
    tokens_.push_back(token);
    std::ranges::sort(tokens_);
    const auto& plan = (*plans_)[each.call];
    std::vector<committed_lock> locks;
    for (std::size_t i = 0; i < plan.items.size(); ++i) {
        locks.push_back({static_cast<std::int64_t>(i + 1), {plan.items[i].writes.front().stamp, {}}});
    }
    take_effect(each.call, locks);
    return done;
}

void transaction_world::answer(const flight& each, errand_answer with) {
    if (each.owner == the_wanderer && roaming_) {
        roaming_->answer(std::move(with));
        return;
    }
    if (each.owner == the_taker && taking_) return taking_->answer(each.slot, std::move(with));
    if (each.owner == the_onlooker) return looking_->answer(each.slot, std::move(with), *rules_);
    if (each.owner >= first_call && each.owner < the_taker) {
        if (rules_->silence_is_delay && with.kind == answer::unanswered) with.kind = answer::delayed;
        calls_[each.owner - first_call].machine.answer(each.slot, std::move(with));
        return;
    }
    if (each.owner >= processes_.size() || processes_[each.owner].dead) return;
    auto& machine = processes_[each.owner].machine;
    const bool begins = machine.now() == coordinator::phase::beginning;
    if (rules_->silence_is_delay && begins && with.kind == answer::unanswered) with.kind = answer::delayed;
    machine.answer(each.slot, std::move(with));
}

/// @param told whether the answer arrives
void transaction_world::deliver(flight each, bool told) {
    std::array<header_state, 3> before{};
    for (std::size_t t = 0; t < plans_->size(); ++t) {
        const auto header = header_of(t);
        before.at(t) = header ? header->state : header_state::pending;
    }
    auto with = carry_out(each);
    stray_ |= each.answered && (mark_on(0) || mark_on(1));
    for (std::size_t t = 0; t < plans_->size(); ++t) {
        heed_commit(t, before.at(t) == header_state::committed, before.at(t) == header_state::rolled_back);
    }
    if (told) {
        answer(each, std::move(with));
    } else {
        answer(each, {.kind = answer::unanswered, .why = failure(errc::timeout, outcome::unknown)});
    }
}

// ---- what may happen next ----------------------------------------------------------------------------------

std::vector<transaction_world::event> transaction_world::events() const {
    std::vector<event> all;
    for (std::size_t i = 0; i < flights_.size(); ++i) {
        const auto& each = flights_[i];
        const auto same = [&](const flight& other) { return other.owner == each.owner && other.hash == each.hash; };
        if (each.owner == nobody && std::find_if(flights_.begin(), flights_.begin() + static_cast<std::ptrdiff_t>(i),
                                                 same) != flights_.begin() + static_cast<std::ptrdiff_t>(i)) {
            continue;  // the same copy once more
        }
        all.push_back({happening::deliver, i});
        if (each.owner == 0 && rejections_ > 0) all.push_back({happening::reject, i});
        if (each.owner == nobody || faults_ == 0 || reads(*each.request)) continue;
        for (const auto fault : {happening::unanswered, happening::late, happening::copied}) all.push_back({fault, i});
    }
    for (std::size_t i = 0; i < processes_.size(); ++i) {
        const bool holds = processes_[i].machine.now() == coordinator::phase::holding && !processes_[i].dead;
        if (holds) all.push_back({happening::think, i});
    }
    for (std::size_t i = 0; i < names.size(); ++i) {
        const bool marked = mark_on(i).has_value();
        if (marked && !roaming_ && resolvers_ > 0) all.push_back({happening::meet, i});
        if (marked && !reader_ && reads_ > 0) all.push_back({happening::sight, i});
        if (thing(i) && !loaded_ && saves_ > 0) all.push_back({happening::load, i});
    }
    if (surveys_ > 0 && !looking_) all.push_back({happening::survey, 0});
    if (loaded_) all.push_back({happening::save, 0});
    if (reader_) all.push_back({happening::read, 0});
    if (give_ups_ > 0 && !processes_.front().dead) all.push_back({happening::give_up, 0});
    if (setting_->dies && !processes_.front().dead) all.push_back({happening::die, 0});
    if (setting_->guarded && guard_holds_) all.push_back({happening::lose, 0});
    const auto first = header_of(0);
    if (coordinators_ > 1 && first && !first->done && !taking_) all.push_back({happening::resume, 0});
    for (std::size_t t = 0; t < plans_->size(); ++t) {
        const auto header = header_of(t);
        // A finished row stays for longer than any copy of its begin is on its way.
        if (begins(t) || !header) continue;
        if (header->done || rules_->expire_undecided) all.push_back({happening::expire, t});
    }
    return all;
}

bool transaction_world::begins(std::size_t transaction) const {
    const auto key = transaction_key((*plans_)[transaction].name.id);
    const auto at_work = [&](const call& each) {
        return each.transaction == transaction && each.machine.now() != native_call::phase::ended;
    };
    if (std::ranges::any_of(calls_, at_work)) return true;
    return std::ranges::any_of(flights_, [&](const flight& each) {
        if (each.call == transaction) return true;
        const auto* put = std::get_if<put_item_request>(each.request.get());
        return put && put->new_item.at("pk") == key.at("pk");
    });
}

std::size_t transaction_world::ways() const {
    return events().size();
}

std::string transaction_world::take(std::size_t way) {
    const auto [kind, which] = events()[way];
    const auto text = [&](std::string_view how) { return std::string(how) + " " + std::to_string(which); };
    std::string told;
    switch (kind) {
        case happening::deliver:
        case happening::unanswered:
        case happening::late:
        case happening::copied: {
            auto each = flights_[which];
            flights_.erase(flights_.begin() + static_cast<std::ptrdiff_t>(which));
            constexpr std::array how{"delivered", "delivered, no answer", "late", "delivered, a copy stays"};
            told = std::string(how.at(static_cast<std::size_t>(kind))) + ": process " + std::to_string(each.owner) +
                   " slot " + std::to_string(each.slot) + " " + std::string(operation_name(*each.request));
            if (const auto* update = std::get_if<update_item_request>(each.request.get()))
                told += " " + update->update_expression;
            if (kind != happening::deliver) --faults_;
            if (kind == happening::late || kind == happening::copied) {
                auto copy = each;
                copy.owner = nobody;
                copy.answered = kind == happening::copied;
                flights_.push_back(std::move(copy));
            }
            if (kind == happening::late) {
                answer(each, {.kind = answer::unanswered, .why = failure(errc::timeout, outcome::unknown)});
            } else {
                deliver(std::move(each), kind != happening::unanswered);
            }
            break;
        }
        case happening::meet:
            --resolvers_;
            roaming_.emplace(resolver(coordination, {things, key_of_thing(which)}, *mark_on(which), {99, "passer-by"},
                                      rivalry{.patience = {}}));
            told = text("somebody meets the mark on");
            break;
        case happening::resume: {
            --coordinators_;
            if (rules_->trust_gaps)
                take_over(*header_of(0));
            else
                taking_.emplace(plan_reader::taking_over(coordination, *header_of(0)));
            told = "another process takes the first transaction over";
            break;
        }
        case happening::expire:
            store_.erase(coordination, transaction_key((*plans_)[which].name.id));
            told = text("the row expires of");
            break;
        case happening::load:
            load(which);
            told = text("a versioned writer loads");
            break;
        case happening::save:
            save();
            --saves_;
            told = text("it saves");
            break;
        case happening::sight:
            --reads_;
            see(which);
            told = text("a reader sees");
            break;
        case happening::read:
            read();
            told = text("it looks at the row");
            break;
        case happening::give_up:
            --give_ups_;
            processes_.front().machine.stop(errc::cancelled);
            told = "the first transaction's caller gives up";
            break;
        case happening::die:
            processes_.front().dead = true;
            for (auto& each : flights_) {
                if (each.owner == 0) each.owner = nobody;
            }
            told = "the first transaction's process dies";
            break;
        case happening::survey:
            --surveys_;
            looking_.emplace(setting_->surveys_twice);
            moments_.clear();
            told = "somebody begins to read both";
            break;
        case happening::think:
            processes_[which].machine.commit(with_sights(processes_[which].transaction));
            told = text("its body has run:");
            break;
        case happening::reject: {
            --rejections_;
            const auto each = flights_[which];
            flights_.erase(flights_.begin() + static_cast<std::ptrdiff_t>(which));
            answer(each, {.kind = answer::rejected, .why = failure(errc::access_denied)});
            told = "rejected: " + std::string(operation_name(*each.request));
            break;
        }
        case happening::lose:
            guard_holds_ = false;
            store_.erase(coordination, key_of_guard());
            told = "the guard is lost";
            break;
    }
    collect();
    return told;
}

}  // namespace dynalease::protocol::test
