// What tells one state of the world of transactions from another.
// SPDX-License-Identifier: BSL-1.0
#include "hashes.hpp"
#include "transaction_world.hpp"

namespace dynalease::protocol::test {

std::uint64_t transaction_world::wanderer::hash() const {
    auto hash = mixed(test::hash_of(mark_), static_cast<std::uint64_t>(phase_) * 8 + static_cast<std::uint64_t>(end_));
    return mixed(hash, static_cast<std::uint64_t>(waited_.count()));
}

std::uint64_t transaction_world::member::hash() const {
    auto hash = mixed(static_cast<std::uint64_t>(run_.phase) * 8 + static_cast<std::uint64_t>(run_.verdict),
                      row_.begins_over_another() ? 1 : 2);
    hash = mixed(hash, (stopped_ ? 8U : 0U) + (run_.begun ? 4U : 0U) + (run_.doubtful ? 2U : 0U) +
                           (run_.why.code == errc::in_doubt ? 1U : 0U));
    for (const auto& lock : items_.locks()) hash = mixed(hash, test::hash_of(lock.lock));
    for (const auto& held : items_.all()) {
        hash = mixed(hash, held.written * 4 + (held.touched ? 2 : 0) + (held.closed ? 1 : 0));
        hash = mixed(hash, held.mark ? test::hash_of(*held.mark) : 5);
        hash = mixed(hash, held.rival ? wanderer(*held.rival).hash() : 7);
    }
    for (const auto& rival : commit_.rivals()) hash = mixed(hash, rival ? wanderer(*rival).hash() : 7);
    hash = mixed(hash, row_.pages_stored() * 4 + (commit_.by_call() ? 2U : 0U) + (items_.copies_left() ? 1U : 0U));
    for (const auto each : inserts_.batch()) hash = mixed(hash, each + 17);
    const auto slots = 1 + items_.all().size() + commit_.rivals().size();
    for (std::size_t slot = 0; slot < slots; ++slot) {
        hash = mixed(hash, static_cast<std::uint64_t>(run_.aim_of(slot)));
    }
    return hash;
}

std::uint64_t transaction_world::caller::hash() const {
    auto hash = mixed(static_cast<std::uint64_t>(phase_) * 8 + static_cast<std::uint64_t>(verdict_), over_ ? 1 : 2);
    hash = mixed(hash, (doubt_ ? 2U : 0U) + (asked_ ? 1U : 0U));
    for (const auto& each : obstacles_) {
        hash = mixed(hash, each.rival ? wanderer(*each.rival).hash() : 7);
        hash = mixed(hash, each.asked ? 1 : 2);
    }
    return hash;
}

std::uint64_t transaction_world::taker::hash() const {
    auto hash = mixed(static_cast<std::uint64_t>(phase_) * 2 + (looked_again_ ? 1 : 0), sent_);
    if (found_) hash = mixed(hash, static_cast<std::uint64_t>(found_->state) * 2 + (found_->done ? 1 : 0));
    for (const auto& each : pages_) hash = mixed(hash, each ? 1 : 2);
    return hash;
}

std::uint64_t transaction_world::onlooker::hash() const {
    auto hash = mixed(static_cast<std::uint64_t>(phase_) * 8 + (one_call_ ? 1 : 0), moment_);
    hash = mixed(mixed(hash, sent_), tasks_.size());
    for (const auto& each : tasks_) {
        for (const auto which : each.items) hash = mixed(hash, which + 3);
    }
    for (const auto* all : {&seen_, &again_}) {
        for (const auto& each : *all) hash = mixed(hash, each ? test::hash_of(*each) : 5);
    }
    for (const auto& [name, known] : runs_) {
        hash = mixed(mixed(hash, test::hash_of(std::string_view(name))), known.moment);
        if (!known.header) continue;
        hash = mixed(hash, static_cast<std::uint64_t>(known.header->state) * 2 + (known.header->done ? 1 : 0));
        for (const auto& each : known.header->locks) hash = mixed(hash, test::hash_of(each.lock));
    }
    return hash;
}

std::uint64_t transaction_world::hash() const {
    // What has gone wrong, shows in no row once it is over.
    auto hash = mixed(store_.hash(), test::hash_of(std::string_view(wrong_)));
    if (taking_) hash = mixed(hash, taking_->hash());
    if (looking_) hash = mixed(hash, looking_->hash());
    for (const auto& [x, y] : moments_) hash = mixed(mixed(hash, x), y);
    for (const auto& each : processes_) hash = mixed(mixed(hash, each.machine.hash()), each.dead ? 1 : 2);
    hash = mixed(hash, roaming_ ? roaming_->hash() : 11);
    std::uint64_t net = 0;
    for (const auto& each : calls_) hash = mixed(hash, each.machine.hash());
    for (const auto token : tokens_) hash = mixed(hash, token);
    for (const auto& each : flights_)
        net += mixed(mixed(each.hash, each.owner), each.slot * 2 + (each.answered ? 1 : 0));
    hash = mixed(hash, net);
    if (loaded_) hash = mixed(mixed(hash, loaded_->first), test::hash_of(loaded_->second));
    if (reader_) hash = mixed(mixed(hash, reader_->from), test::hash_of(reader_->shown));
    for (const auto& states : states_) {
        for (const auto& state : states) hash = mixed(hash, *state ? test::hash_of(**state) : 13);
    }
    for (const auto budget : {faults_, resolvers_, coordinators_, saves_, reads_, surveys_, give_ups_, rejections_,
                              committed_, guard_holds_ ? 1U : 0U, stray_ ? 1U : 0U})
        hash = mixed(hash, budget);
    return hash;
}

}  // namespace dynalease::protocol::test
