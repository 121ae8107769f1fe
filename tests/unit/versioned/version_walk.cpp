// The walk: who sends what when, and what must be true of it.
// SPDX-License-Identifier: BSL-1.0
#include "version_walk.hpp"

#include "support/changed_texts.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace dynalease::protocol::test {

namespace {

constexpr std::size_t writers = 3;

verdict as_it_is(write_kind kind, bool over_tombstone, const refusal& what) {
    if (kind == write_kind::blind) return decide_blind(what, false);
    if (kind != write_kind::create) return decide_checked(what);
    return over_tombstone ? decide_create_over(what) : decide_create(what);
}

}  // namespace

version_walk::version_walk(const version_rules& rules, const walk_setting& setting, std::uint64_t seed)
    : rules_(rules), setting_(setting), random_(seed), foreign_left_(setting.foreign_writes) {
    if (!rules_.decide) rules_.decide = as_it_is;
    create_table_request table{.table_name = layout_.table, .key = {.hash = {layout_.key}}};
    if (!store_.execute(any_request(std::move(table)), now_)) throw std::logic_error("no table");
    if (setting.starts_with_item) {
        item first = key_;
        const auto born = new_stamp(0);
        auto put = version_requests(layout_).create(first, born);
        if (!store_.execute(any_request(std::move(put)), now_)) throw std::logic_error("no item");
    }
}

item_stamp version_walk::new_stamp(std::size_t writer) {
    item_stamp stamp{};
    if (rules_.one_stamp_per_writer && writer > 0) {
        stamp[0] = static_cast<std::byte>(writer);
        return stamp;
    }
    for (auto& byte : stamp) byte = static_cast<std::byte>(random_());
    return stamp;
}

bool version_walk::pending(std::size_t writer) const {
    return std::ranges::any_of(intents_,
                               [&](const auto& each) { return each.writer == writer && each.end == status::pending; });
}

std::optional<item> version_walk::look() {
    auto answer = store_.execute(any_request(version_requests(layout_).look(key_, true)), now_);
    return std::get<get_item_response>(answer.value()).found;
}

/// The request of an intent, as the rules change it.
void version_walk::build(intent& what) {
    const version_requests requests(layout_);
    const auto& write = what.write;
    const auto changed = [&](auto request) {
        std::string none;
        if constexpr (requires { request.update_expression; }) {
            rules_.change(request.condition_expression, request.update_expression, request.values, what.kind,
                          write.base);
            keep_used_names(layout_, request.names, request.update_expression, request.condition_expression);
        } else {
            rules_.change(request.condition_expression, none, request.values, what.kind, write.base);
            keep_used_names(layout_, request.names, {}, request.condition_expression);
        }
        tests::prune(request);
        return request;
    };
    const member_changes change{{{"title", "t" + std::to_string(random_() % 1000)}}, {}};
    switch (what.kind) {
        case write_kind::create:
            if (what.over_tombstone)
                what.request = changed(requests.create_over(key_, write, change));
            else
                what.request = changed(requests.create(key_, write.mine));
            break;
        case write_kind::save:
            what.request = changed(requests.save(key_, write, change));
            break;
        case write_kind::remove:
            if (setting_.tombstones)
                what.request = changed(requests.bury(key_, write, {}, 2'000'000'000));
            else
                what.request = changed(requests.erase(key_, write));
            break;
        case write_kind::blind:
            what.request = changed(requests.blind(key_, add("count", 1), write.mine, false));
            break;
    }
}

void version_walk::start() {
    const auto writer = 1 + random_() % writers;
    if (pending(writer)) return;
    const auto stands = look();
    std::optional<item_state> sight;
    if (stands) sight = state_of(layout_, *stands).value();
    const bool live = sight && !sight->gone;
    intent what{.writer = writer, .kind = write_kind::create};
    if (live)
        what.kind =
            std::array{write_kind::save, write_kind::save, write_kind::remove, write_kind::blind}[random_() % 4];
    what.write.mine = new_stamp(writer);
    what.serial = serial_;
    what.write.target = 1;
    if (live) {
        what.write.base = sight->state;
        what.write.target = version_after(layout_, sight->state).value();
    }
    build(what);
    intents_.push_back(std::move(what));
    send(intents_.size() - 1);
}

void version_walk::send(std::size_t index) {
    auto& what = intents_[index];
    if (what.sends++ > 0 && rules_.stamp_per_copy) {
        what.write.mine = new_stamp(what.writer);
        build(what);
    }
    flight_.push_back({index, what.request, what.write.mine, true});
}

void version_walk::deliver(std::size_t place) {
    const copy arrived = flight_[place];
    auto& what = intents_[arrived.of];
    const bool erases = !setting_.tombstones;
    const bool punctual = what.kind == write_kind::create && erases && !rules_.late_creates;
    const bool stays = !punctual && chance(6);  // the network made another copy of it
    if (!stays)
        flight_.erase(flight_.begin() + static_cast<std::ptrdiff_t>(place));
    else
        flight_[place].awaited = false;

    const auto before = look();
    const bool remembered = before && remembers(state_of(layout_, *before).value().state, arrived.stamp);
    auto answer =
        std::visit([&](const auto& request) { return store_.execute(any_request(request), now_); }, arrived.request);
    if (!answer && answer.error().code != errc::condition_failed) {
        throw std::logic_error(answer.error().details.message);
    }
    if (answer) {
        ++applied;
        ++what.applied;
        const bool tests_state =
            what.kind == write_kind::save || what.kind == write_kind::remove || what.over_tombstone;
        if (tests_state && serial_ != what.serial) wrong_ = "lost update: it landed on another state";
        if (what.kind != write_kind::blind && what.applied > 1) wrong_ = "applied twice";
        if (what.kind == write_kind::blind && remembered) wrong_ = "a blind update was applied twice in a row";
        if (what.kind != write_kind::blind && what.end == status::no) wrong_ = "told as not applied, and applied later";
        serial_ = next_serial_++;
    }
    const bool hears = arrived.awaited && what.end == status::pending && (punctual || !chance(3));
    if (!hears) return;  // the time-out will tell
    if (answer) {
        end(arrived.of, status::yes);
    } else {
        judge(arrived.of, answer.error().current);
    }
}

void version_walk::judge(std::size_t index, const std::optional<item>& current) {
    auto& what = intents_[index];
    std::optional<item_state> sight;
    if (current) sight = state_of(layout_, *current).value();
    const refusal facts{.base = what.write.base,
                        .mine = what.write.mine,
                        .target = what.write.target,
                        .clean = !what.unanswered,
                        .now = sight ? &*sight : nullptr};
    switch (rules_.decide(what.kind, what.over_tombstone, facts)) {
        case verdict::applied:
        case verdict::superseded:
            ++resolved;
            return end(index, status::yes);
        case verdict::conflict:
        case verdict::exists:
        case verdict::missing:
        case verdict::held:
        case verdict::condition_false:
            conflicts += what.unanswered ? 1 : 0;
            return end(index, status::no);
        case verdict::create_over:
            what.over_tombstone = true;
            what.write.base = sight->state;
            what.write.target = version_after(layout_, sight->state).value();
            what.serial = serial_;
            build(what);
            return send(index);
        case verdict::create_anew:
            what.over_tombstone = false;
            what.write.base = {};
            what.write.target = 1;
            build(what);
            return send(index);
        case verdict::again:
        case verdict::doubt:
            return end(index, status::doubt);
    }
}

void version_walk::end(std::size_t index, status how) {
    auto& what = intents_[index];
    what.end = how;
    doubts += how == status::doubt ? 1 : 0;
    if (how == status::yes && what.applied == 0) wrong_ = "told as applied, and never was";
    if (how == status::no && what.applied > 0) wrong_ = "told as not applied, and it was";
}

void version_walk::time_out() {
    for (std::size_t i = 0; i < intents_.size(); ++i) {
        auto& what = intents_[i];
        if (what.end != status::pending || !chance(2)) continue;
        const bool erases = !setting_.tombstones;
        if (what.kind == write_kind::create && erases && !rules_.late_creates) continue;
        for (auto& each : flight_) {
            if (each.of == i) each.awaited = false;
        }
        what.unanswered = true;
        if (what.kind == write_kind::blind) {
            judge(i, look());
        } else if (what.sends < 2) {
            send(i);
        } else {
            end(i, status::doubt);
        }
        return;
    }
}

bool version_walk::quiet() const {
    return flight_.empty() &&
           std::ranges::none_of(intents_, [](const auto& each) { return each.end == status::pending; });
}

void version_walk::expire_tombstone() {
    const auto stands = look();
    if (!stands || !stands->contains(item_attribute::gone) || (!quiet() && !rules_.short_tombstones)) return;
    delete_item_request remove{.table_name = layout_.table, .key = key_};
    if (store_.execute(any_request(std::move(remove)), now_)) serial_ = next_serial_++;
}

/// Another library raises the version, and keeps our attributes or drops them.
void version_walk::write_as_foreigner() {
    auto stands = look();
    if (foreign_left_ == 0 || !stands || stands->contains(item_attribute::gone)) return;
    --foreign_left_;
    stands->insert_or_assign(layout_.version, find_integer(*stands, layout_.version).value_or(0) + 1);
    if (chance(2)) {
        for (const auto* name : {item_attribute::born, item_attribute::trail, layout_.stamp.c_str()}) {
            stands->erase(name);
        }
    }
    put_item_request put{.table_name = layout_.table, .new_item = *std::move(stands)};
    if (store_.execute(any_request(std::move(put)), now_)) serial_ = next_serial_++;
}

std::string version_walk::run(unsigned steps) {
    for (unsigned i = 0; i < steps && wrong_.empty(); ++i) {
        switch (random_() % 8) {
            case 0:
            case 1:
            case 2:
                start();
                break;
            case 3:
            case 4:
            case 5:
                if (!flight_.empty()) deliver(random_() % flight_.size());
                break;
            case 6:
                time_out();
                break;
            case 7:
                if (chance(2))
                    expire_tombstone();
                else
                    write_as_foreigner();
                break;
        }
    }
    for (unsigned i = 0; i < 10'000 && wrong_.empty() && !flight_.empty(); ++i) deliver(random_() % flight_.size());
    return wrong_;
}

}  // namespace dynalease::protocol::test
