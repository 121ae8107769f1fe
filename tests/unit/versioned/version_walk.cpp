// The walk: what may happen next, and what must be true of it.
// SPDX-License-Identifier: BSL-1.0
#include "version_walk.hpp"

#include "support/changed_texts.hpp"
#include "walking_writer.hpp"

#include <algorithm>
#include <array>
#include <stdexcept>
#include <utility>
#include <variant>

namespace dynalease::protocol::test {

version_walk::version_walk(const version_rules& rules, const walk_size& size, chooser choose)
    : rules_(rules), size_(size), choose_(std::move(choose)) {
    create_table_request table{.table_name = layout_.table, .key = {.hash = {layout_.key}}};
    if (!execute(std::move(table))) throw std::logic_error("no table");
    if (size.starts_with_item && !execute(version_requests(layout_).create(key_, item_stamp{std::byte{0xfe}})))
        throw std::logic_error("no item");
    for (std::size_t i = 1; i <= size.writers; ++i) writers_.push_back(std::make_unique<walking_writer>(*this, i));
}

version_walk::~version_walk() = default;

result<any_response> version_walk::execute(any_request request) {
    return store_.execute(std::move(request), wall_);
}

std::optional<item> version_walk::look() {
    auto answer = execute(version_requests(layout_).look(key_, true));
    return std::get<get_item_response>(answer.value()).found;
}

std::optional<visible_item> version_walk::sight() {
    return visible_in(layout_, look()).value();
}

/// Without tombstones a creation whose answer was lost can bring an item back after its removal, and nobody can help
/// it.
bool version_walk::is_punctual(write_kind kind) const {
    return kind == write_kind::create && !size_.tombstones && !rules_.late_creates;
}

bool version_walk::quiet() const {
    return flight_.empty() && std::ranges::all_of(writers_, [](const auto& each) { return each->rests(); });
}

// ---- what may happen ---------------------------------------------------------------------------------------

/// @param alone of the writers at rest, who are all alike, only one begins
void version_walk::add_beginnings(walking_writer& who, bool alone, events& all) {
    if (who.has_doubt()) {
        all.ordinary.emplace_back([&who] { who.resolve(); });
        all.ordinary.emplace_back([&who] { who.close(); });
    }
    if (!alone || records_.size() >= size_.writes) return;
    const auto stands = sight();
    const auto begins = [&](write_kind kind) { all.ordinary.emplace_back([&who, kind] { who.write(kind); }); };
    if (!stands || stands->gone) return begins(write_kind::create);
    for (const auto kind : {write_kind::save, write_kind::remove, write_kind::blind}) begins(kind);
}

version_walk::events version_walk::possible() {
    events all;
    bool alone = true;
    for (auto& each : writers_) {
        if (each->rests()) add_beginnings(*each, std::exchange(alone, each->has_doubt()), all);
        if (each->pauses()) all.ordinary.emplace_back([&one = *each] { one.wake(); });
    }
    for (std::size_t i = 0; i < flight_.size(); ++i) {
        const bool punctual = flight_[i].by->is_punctual();
        all.ordinary.emplace_back([this, i] { deliver(i, false, false); });
        if (punctual || faults_ >= size_.faults) continue;
        all.faults.emplace_back([this, i] { deliver(i, true, false); });
        all.faults.emplace_back([this, i] { deliver(i, false, true); });
    }
    if (faults_ >= size_.faults) return all;
    for (auto& each : writers_) {
        if (!each->awaits_answer() || each->is_punctual()) continue;
        all.faults.emplace_back([&one = *each] { one.time_out(); });
        if (each->may_resend()) all.faults.emplace_back([&one = *each] { one.resend(); });
    }
    const auto stands = sight();
    const bool expires = stands && stands->gone && (quiet() || rules_.short_tombstones);
    if (expires) all.faults.emplace_back([this] { expire_tombstone(); });
    if (foreign_ >= size_.foreign_writes || !stands || stands->gone) return all;
    all.faults.emplace_back([this] { write_as_foreigner(false); });
    all.faults.emplace_back([this] { write_as_foreigner(true); });
    return all;
}

std::string version_walk::run() {
    for (unsigned i = 0; i < size_.steps && wrong_.empty(); ++i) {
        auto all = possible();
        if (all.ordinary.empty() && all.faults.empty()) break;
        const auto next = choose_(all.ordinary.size(), all.faults.size());
        if (next < all.ordinary.size()) {
            all.ordinary[next]();
        } else {
            ++faults_;
            all.faults[next - all.ordinary.size()]();
        }
    }
    come_to_rest();
    return wrong_;
}

void version_walk::come_to_rest() {
    while (wrong_.empty() && !quiet()) {
        if (!flight_.empty()) {
            deliver(flight_.size() - 1, false, false);
            continue;
        }
        for (auto& each : writers_) {
            if (each->pauses())
                each->wake();
            else if (each->awaits_answer())
                each->time_out();
        }
    }
}

// ---- what happens ------------------------------------------------------------------------------------------

/// The request of a writer, as the rules change it.
any_request version_walk::as_changed(any_request request, write_kind kind, const item_version& base) const {
    std::visit(
        [&](auto& one) {
            if constexpr (requires { one.current_on_refusal; }) {
                std::string none;
                auto* update = &none;
                if constexpr (requires { one.update_expression; }) update = &one.update_expression;
                rules_.change(one.condition_expression, *update, one.values, kind, base);
                keep_used_names(layout_, one.names, *update, one.condition_expression);
                tests::prune(one);
            }
        },
        request);
    return request;
}

void version_walk::deliver(std::size_t place, bool keep_copy, bool lose_answer) {
    const copy arrived = flight_[place];
    auto& of = records_[arrived.of];
    if (keep_copy)
        flight_[place].call = 0;  // the network made it, and hears its answer
    else
        flight_.erase(flight_.begin() + static_cast<std::ptrdiff_t>(place));

    const auto before = sight();
    const bool remembered = before && remembers(before->state, arrived.stamp);
    auto answer = execute(arrived.request);
    if (!answer && answer.error().code != errc::condition_failed) {
        throw std::logic_error(answer.error().details.message);
    }
    if (answer && arrived.may_have != copy::effect::none) {
        ++applied;
        ++of.applied;
        if (arrived.may_have == copy::effect::of_its_state && serial_ != arrived.from)
            wrong_ = "lost update: it landed on another state";
        if (of.kind != write_kind::blind && of.applied > 1) wrong_ = "applied twice";
        if (of.kind == write_kind::blind && remembered) wrong_ = "a blind update was applied twice in a row";
        if (of.kind != write_kind::blind && of.end == told::no) wrong_ = "told as not applied, and applied later";
        serial_ = next_serial_++;
    }
    const bool hears = arrived.by->awaits(arrived.call) && !lose_answer;
    if (hears && wrong_.empty()) arrived.by->answer(std::move(answer));
}

void version_walk::end(std::size_t of, told how) {
    auto& what = records_[of];
    what.end = how;
    doubts += how == told::doubt ? 1 : 0;
    if (how == told::yes && what.applied == 0) wrong_ = "told as applied, and never was";
    if (how == told::no && what.applied > 0) wrong_ = "told as not applied, and it was";
}

void version_walk::expire_tombstone() {
    delete_item_request remove{.table_name = layout_.table, .key = key_};
    if (execute(std::move(remove))) serial_ = next_serial_++;
}

/// Another library raises the version, and keeps our attributes or drops them.
void version_walk::write_as_foreigner(bool drops) {
    auto stands = look().value();
    stands.insert_or_assign(layout_.version, find_integer(stands, layout_.version).value_or(0) + 1);
    ++foreign_;
    if (drops) {
        for (const auto* name : {item_attribute::born, item_attribute::trail, layout_.stamp.c_str()}) {
            stands.erase(name);
        }
    }
    put_item_request put{.table_name = layout_.table, .new_item = std::move(stands)};
    if (execute(std::move(put))) serial_ = next_serial_++;
}

}  // namespace dynalease::protocol::test
