// Processes that lock one item, over a network that delays, doubles and loses their requests.
// SPDX-License-Identifier: BSL-1.0
#include "item_walk.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>
#include <variant>

namespace dynalease::protocol::test {

namespace {

constexpr std::size_t copies_at_once = 10;
const item_layout layout{.table = tills, .key = "id"};
const item_key north{{"id", "north"}};

/// Refused, perhaps for a copy of itself.
failure doubtful(failure why) {
    why.outcome = outcome::unknown;
    return why;
}

}  // namespace

item_walk::item_walk(const item_walk_rules& rules, const item_walk_size& size, chooser choose)
    : rules_(rules), size_(size), choose_(std::move(choose)) {
    const create_table_request tills_of_all{.table_name = tills, .key = {.hash = {.name = "id"}, .range = {}}};
    if (!execute(tills_of_all)) throw std::logic_error("no table");
    item till{{"id", "north"}, {"amount", 0}, {"version", 7}};
    if (size_.dead_holder) {
        const auto gone = new_session();
        over_.insert(gone);
        till.emplace("_lockW", writer_text(gone, 1, 0));
        till.emplace("_lockF", 1);
    }
    if (!execute(put_item_request{.table_name = tills, .new_item = till})) throw std::logic_error("no item");
    for (std::size_t i = 0; i < size_.processes; ++i) {
        processes_.push_back(new_process());
    }
}

std::unique_ptr<item_walker> item_walk::new_process() {
    return std::make_unique<item_walker>(static_cast<item_walk_surroundings&>(*this), new_session());
}

// ---- what surrounds them -----------------------------------------------------------------------------------

template <class Request>
result<typename Request::response> item_walk::execute(const Request& request) {
    const local::engine::time long_ago{std::chrono::sys_days{std::chrono::year{2026} / 3 / 1}};
    auto answer = store_.execute(any_request(request), long_ago);
    if (!answer) return answer.error();
    return std::get<typename Request::response>(*std::move(answer));
}

result<get_item_response> item_walk::read(const get_item_request& request) {
    return execute(request);
}

item item_walk::stored() {
    const get_item_request whole{.table_name = tills, .key = north, .consistent_read = true};
    return execute(whole).value().found.value_or(item{});
}

item_lock_state item_walk::shown_in(const item& stored) {
    return lock_sight_of(layout, &stored).value();
}

wall_time item_walk::wall() noexcept {
    // Tokens must rise all the same.
    return wall_time(std::chrono::milliseconds(size_.wrong_clocks ? choose_(3000, 0) : 0));
}

std::uint64_t item_walk::send(const update_item_request& request, const std::string& session) {
    flight_.push_back({request, session, ++last_number_});
    rules_.change(flight_.back().request);
    return last_number_;
}

void item_walk::wrong(const std::string& what) {
    if (wrong_.empty()) wrong_ = what;
}

// ---- what may happen ---------------------------------------------------------------------------------------

item_walk::events item_walk::possible() {
    events all;
    for (auto& process : processes_) {
        auto& who = *process;
        add_callers(who, all);
        add_guards(who, all);
        for (auto* task : {&who.driver, &who.writer}) add_faults(who, *task, all);
        if (rules_.audits && who.audit_is_due() && !in_flight(who)) all.ordinary.push_back([&who] { who.audit(); });
        if (who.callers() > 0) all.faults.push_back([&who] { who.leave(); });
        all.faults.push_back([this, &process] { end_session(process); });
    }
    for (std::size_t i = 0; i < flight_.size(); ++i) {
        all.ordinary.push_back([this, i] { deliver(i, false, false); });
        if (flight_.size() < copies_at_once) all.faults.push_back([this, i] { deliver(i, true, false); });
        all.faults.push_back([this, i] { deliver(i, false, true); });
    }
    if (faults_ >= size_.faults) all.faults.clear();
    return all;
}

void item_walk::add_callers(item_walker& who, events& all) {
    if (callers_ == size_.callers || who.callers() > 1) return;
    for (const auto wish : {item_access::exclusive, item_access::shared}) {
        if (wish == item_access::shared && !size_.readers) continue;
        for (const bool waits : {true, false}) {
            // A try is let in where nobody waits, and nobody has the item but readers that it may join.
            const bool joins = wish == item_access::shared && who.has_read_guard();
            const bool let_in = waits || (who.callers() == 0 && (who.guards().empty() || joins));
            if (!let_in || (waits && size_.only_tries)) continue;
            all.ordinary.push_back([this, &who, wish, waits] {
                ++callers_;
                who.come({wish, waits});
            });
        }
    }
}

void item_walk::add_guards(item_walker& who, events& all) {
    if (who.may_end()) all.ordinary.push_back([&who] { who.release(); });
    if (!who.may_change()) return;
    if (size_.readers) all.ordinary.push_back([&who] { who.downgrade(); });
    if (changes == size_.changes) return;
    for (const bool last : {false, true}) {
        all.ordinary.push_back([this, &who, last] { who.change("change" + std::to_string(++changes), last); });
    }
}

void item_walk::add_faults(item_walker& who, item_walk_task& task, events& all) {
    if (task.pauses()) all.ordinary.push_back([this, &who, &task] { pass_pause(who, task); });
    if (!task.awaits_answer()) return;
    all.faults.push_back([this, &who, &task] { time_out(who, task); });
    all.faults.push_back([this, &who, &task] {
        // The client sends it again within the call.
        const auto sent = std::ranges::find(flight_, task.awaited, &copy::number);
        if (sent == flight_.end()) return time_out(who, task);
        task.resent = true;
        flight_.push_back(copy(*sent));
    });
}

void item_walk::pass_pause(item_walker& who, item_walk_task& task) {
    const auto pause = std::get<pause_step*>(task.needs)->time;
    now_ += pause * (size_.wrong_clocks ? 1 + static_cast<int>(choose_(5, 0)) : 1);
    who.wake(task);
}

void item_walk::deliver(std::size_t index, bool keep_copy, bool lose_answer) {
    const auto what = flight_[index];
    if (!keep_copy) flight_.erase(flight_.begin() + static_cast<std::ptrdiff_t>(index));
    const auto before = shown();
    auto answer = execute(what.request);
    if (answer) check_write(before, stored());
    if (!answer && answer.error().code != errc::condition_failed) wrong(answer.error().details.message);
    for (auto& who : processes_) {
        for (auto* task : {&who->driver, &who->writer}) {
            if (task->awaited != what.number) continue;
            if (lose_answer) return time_out(*who, *task);
            if (!answer && task->resent) answer = doubtful(std::move(answer).error());
            return who->answer(*task, std::move(answer));
        }
    }
}

void item_walk::time_out(item_walker& who, item_walk_task& task) {
    now_ += std::chrono::seconds(4);
    who.answer(task, failure(errc::timeout, outcome::unknown));
}

void item_walk::end_session(std::unique_ptr<item_walker>& who) {
    over_.insert(who->id());
    buried_.push_back(std::exchange(who, new_process()));
    for (auto* task : {&buried_.back()->driver, &buried_.back()->writer}) task->awaited = 0;
}

// ---- what must hold ----------------------------------------------------------------------------------------

void item_walk::check_write(const item_lock_state& before, const item& left) {
    const auto after = shown_in(left);
    if (!after.exists) wrong("a write of a lock made or removed the item");
    if (after.floor < before.floor) wrong("the floor fell");
    if (after.writer && !after.readers.empty()) wrong("a writer stands beside readers");
    const auto granted = [&](const item_claimant& entry) { return !before.held_by(entry.session, entry.attempt); };
    const bool to_writer = after.writer && granted(*after.writer);
    const bool to_reader = std::ranges::any_of(after.readers, granted);
    if (!to_writer && !to_reader) return;
    ++grants;
    if (after.floor <= before.floor) wrong("a token did not rise");
    for (const auto& who : processes_) {
        const auto unexpected = [&](const item_claimant& entry) {
            return granted(entry) && entry.session == who->id() && !who->expects(entry.attempt);
        };
        const bool to_reader_of_none = std::ranges::any_of(after.readers, unexpected);
        if (to_reader_of_none || (after.writer && unexpected(*after.writer))) wrong("a closed claim was granted");
    }
    const auto last = before.writer ? before.writer->session : std::string();
    if (last.empty() || after.entry_of(last)) return;
    ++take_overs;
    if (!over(last)) wrong("an item was taken from a writer that lives");
}

void item_walk::check_holders() {
    const auto item = shown();
    unsigned writers = 0;
    unsigned readers = 0;
    for (const auto& each : processes_) {
        const auto& who = *each;
        for (const auto& guard : who.guards()) {
            if (guard.let_go) continue;
            const auto* entry = item.held_by(who.id(), guard.attempt);
            if (!entry) wrong("a guard is valid, and is not in the item");
            if (entry && guard.exclusive && !(item.writer && entry == &*item.writer)) wrong("a writer's guard reads");
            ++(guard.exclusive ? writers : readers);
        }
        if (who.callers() > 0 && who.driver.rests() && who.guards().empty() && who.writer.rests()) {
            wrong("somebody waits, and nothing is done about it");
        }
        const auto* mine = item.entry_of(who.id());
        if (mine && mine != (item.intent ? &*item.intent : nullptr) && mine->attempt <= who.ended()) {
            wrong("a grant that was given back has the item");
        }
    }
    if (writers > 1 || (writers > 0 && readers > 0)) wrong("two have the item");
}

void item_walk::check_changes() {
    const auto left = stored();
    const auto* done = find(left, "done");
    const auto* names = done ? done->get_if<string_set>() : nullptr;
    const auto applied = [&](const std::string& name) { return names != nullptr && names->contains(name); };
    if (find_integer(left, "amount") != static_cast<std::int64_t>(names ? names->size() : 0)) {
        wrong("a change was made twice");
    }
    const auto check = [&](const auto& processes) {
        for (const auto& who : processes) {
            for (const auto& [name, was_done] : who->told()) {
                if (applied(name) != was_done) wrong(was_done ? "a change was lost" : "a change that failed was made");
            }
        }
    };
    check(processes_);
    check(buried_);
}

bool item_walk::in_flight(const item_walker& who) const {
    return std::ranges::find(flight_, who.id(), &copy::session) != flight_.end();
}

bool item_walk::busy() const {
    return !flight_.empty() || std::ranges::any_of(processes_, [&](const auto& who) {
        return !who->rests() || !who->guards().empty() || (rules_.audits && who->has_open_claim());
    });
}

void item_walk::calm(item_walker& who) {
    while (who.callers() > 0) who.leave();
    if (who.may_end()) who.release();
    for (auto* task : {&who.driver, &who.writer}) {
        if (task->pauses()) pass_pause(who, *task);
        if (task->awaits_answer() && !in_flight(who)) time_out(who, *task);
    }
    if (rules_.audits && who.audit_is_due() && !in_flight(who)) who.audit();
}

void item_walk::come_to_rest() {
    for (unsigned round = 0; round < 200 && busy() && wrong_.empty(); ++round) {
        while (!flight_.empty() && wrong_.empty()) deliver(choose_(flight_.size(), 0), false, false);
        for (auto& who : processes_) calm(*who);
        check_holders();
    }
    if (!wrong_.empty()) return;
    if (busy()) return wrong("it does not come to rest");
    const auto item = shown();
    for (const auto& who : processes_) {
        if (item.entry_of(who->id())) wrong("a ghost has the item, or waits for it");
    }
    check_changes();
}

std::string item_walk::run() {
    for (unsigned i = 0; i < size_.steps && wrong_.empty(); ++i) {
        const auto all = possible();
        if (all.ordinary.empty() && all.faults.empty()) break;
        const auto next = choose_(all.ordinary.size(), all.faults.size());
        if (next < all.ordinary.size()) {
            all.ordinary[next]();
        } else {
            ++faults_;
            all.faults[next - all.ordinary.size()]();
        }
        check_holders();
    }
    if (wrong_.empty()) come_to_rest();
    return wrong_;
}

}  // namespace dynalease::protocol::test
