// Processes that enter one queue, over a network that delays, doubles and loses their requests.
// SPDX-License-Identifier: BSL-1.0
#include "queue_walk.hpp"

#include "support/world.hpp"

#include <dynalease/session.hpp>

#include <boost/asio/bind_cancellation_slot.hpp>

#include <algorithm>
#include <ranges>
#include <utility>
#include <variant>

namespace dynalease::tests {

namespace {

constexpr std::size_t flights_at_once = 8;
constexpr std::size_t callers_of_a_process = 2;
/// So finely time passes while turns are watched.
constexpr std::chrono::milliseconds moment{50};

const protocol::queue_name name{.entity = "orders", .reason = {}};

bool of_the_queue(const item& row) {
    const auto* key = find_string(row, "pk");
    return key && *key == "queue#orders";
}

/// What the walk decides about: the head, and the rows of tickets. What is examined or deleted passes at once.
bool matters(const any_request& request) {
    if (const auto* update = std::get_if<update_item_request>(&request)) return of_the_queue(update->key);
    if (const auto* put = std::get_if<put_item_request>(&request)) return of_the_queue(put->new_item);
    const auto* read = std::get_if<get_item_request>(&request);
    return read && of_the_queue(read->key);
}

/// Refused, perhaps for a copy of itself.
failure doubtful(failure why) {
    why.outcome = outcome::unknown;
    return why;
}

}  // namespace

struct queue_walk::process {
    process(testing::world& where, testing::node_options options) : node(where, std::move(options)) {}

    caller* holder() const {
        const auto found = std::ranges::find_if(callers, [](const auto& each) { return each->turn.held(); });
        return found == callers.end() ? nullptr : found->get();
    }

    testing::node node;
    std::optional<dynalease::session> session;
    std::optional<dynalease::queue> queue;
    std::vector<std::unique_ptr<caller>> callers;
};

queue_walk::queue_walk(walk_size size, protocol::test::chooser choose, spoiling spoil)
    : size_(std::move(size)), choose_(std::move(choose)), spoil_(std::move(spoil)) {
    world_.create_table(table);
    for (std::size_t i = 0; i < size_.processes; ++i) {
        processes_.emplace_back();
        testing::node_options options{.seed = ++seeds_};
        options.in_front = [this, i](std::shared_ptr<database_backend> network) {
            return std::make_shared<held_network>(
                std::move(network), [this, i](const any_request& request, std::shared_ptr<held_call> call) {
                    return hold(*processes_[i], request, std::move(call));
                });
        };
        processes_[i] = std::make_unique<process>(world_, std::move(options));
        begin(*processes_[i]);
    }
}

queue_walk::~queue_walk() {
    for (auto& who : processes_) who->node.crash();
}

// ---- what surrounds them -----------------------------------------------------------------------------------

void queue_walk::begin(process& who) {
    who.session.emplace(who.node.database(), session_options{.table = table});
    who.queue.emplace(*who.session, name.entity);
}

void queue_walk::crash(process& who) {
    who.node.crash();
    who.callers.clear();
    who.queue.reset();
    who.session.reset();
    who.node.restart(++seeds_);
    begin(who);
}

bool queue_walk::hold(const process& who, const any_request& request, std::shared_ptr<held_call> call) {
    if (!matters(request)) return false;
    auto& sent = flights_.emplace_back(flight{request, who.session->id(), std::move(call)});
    if (spoil_) spoil_(sent.request);
    return true;
}

bool queue_walk::lives(const std::string& session) const {
    return std::ranges::any_of(processes_, [&](const auto& who) { return who->session->id() == session; });
}

void queue_walk::wrong(const std::string& what) {
    if (wrong_.empty()) wrong_ = what;
}

/// All that can happen before time goes on.
void queue_walk::settle() {
    world_.run_for({});
    check_turns();
}

void queue_walk::pass(std::chrono::nanoseconds time) {
    const auto end = world_.now() + time;
    while (world_.now() < end && wrong_.empty()) {
        world_.run_for(std::min<std::chrono::nanoseconds>(moment, end - world_.now()));
        check_turns();
    }
}

// ---- what may happen ---------------------------------------------------------------------------------------

queue_walk::events queue_walk::possible() {
    events all;
    for (auto& who : processes_) add_events_of(*who, all);
    for (std::size_t i = 0; i < flights_.size(); ++i) add_events_of_flight(i, all);
    for (const auto& time : size_.times) all.ordinary.push_back([this, time] { pass(time); });
    if (faults_ >= size_.faults) all.faults.clear();
    return all;
}

void queue_walk::add_events_of(process& who, events& all) {
    if (callers_ < size_.callers && who.callers.size() < callers_of_a_process) {
        all.ordinary.push_back([this, &who] {
            ++callers_;
            enter(who);
        });
    }
    if (who.holder()) all.ordinary.push_back([&who] { leave(who); });
    for (const auto& each : who.callers) {
        if (!each->enters) continue;
        all.faults.push_back([&each] { each->gives_up.emit(boost::asio::cancellation_type::total); });
    }
    all.faults.push_back([this, &who] { crash(who); });
}

void queue_walk::add_events_of_flight(std::size_t index, events& all) {
    all.ordinary.push_back([this, index] { deliver(index); });
    const auto& what = flights_[index];
    const bool room = flights_.size() < flights_at_once;
    if (room && !what.answer) all.faults.push_back([this, index] { copy(index); });
    if (!what.call || !what.call->waits()) return;
    all.faults.push_back([this, index] { time_out(index); });
    if (what.answer) return;
    // Its answer comes later, after others.
    all.faults.push_back([this, index] { carry_out(flights_[index]); });
    if (room) all.faults.push_back([this, index] { send_again(index); });
}

// ---- callers -----------------------------------------------------------------------------------------------

void queue_walk::enter(process& who) {
    auto& one = *who.callers.emplace_back(std::make_unique<caller>());
    one.enters = true;
    auto handler = [this, &one](error_code code, queue_turn turn) {
        one.enters = false;
        one.told = true;
        one.turn = std::move(turn);
        if (code) return;
        ++turns;
        // One that is over already goes first as well as any.
        if (one.turn.held() && one.turn.ticket() <= last_turn_) wrong("a ticket did not rise");
        last_turn_ = std::max(last_turn_, one.turn.ticket());
    };
    who.queue->enter(boost::asio::bind_cancellation_slot(one.gives_up.slot(), std::move(handler)));
}

void queue_walk::leave(process& who) {
    who.holder()->turn.leave([](error_code) {});
}

// ---- requests on their way ---------------------------------------------------------------------------------

void queue_walk::carry_out(flight& what) {
    const auto before = head();
    const auto* put = std::get_if<put_item_request>(&what.request);
    const auto row =
        put ? protocol::parse_ticket_row(put->new_item) : result<protocol::ticket_row>(failure(errc::missing));
    const auto row_before = row ? ticket(row->ticket) : std::nullopt;
    auto answer = world_.apply(what.request);
    if (answer && row) check_ticket(what, *put, row_before);
    if (answer && !put) check_head(what, before);
    if (!answer && answer.error().code != errc::condition_failed) wrong(answer.error().details.message);
    if (!answer && what.sent_again) answer = doubtful(std::move(answer).error());
    what.answer.emplace(std::move(answer));
}

void queue_walk::deliver(std::size_t index) {
    auto what = std::move(flights_[index]);
    flights_.erase(flights_.begin() + static_cast<std::ptrdiff_t>(index));
    if (!what.answer) carry_out(what);
    if (what.call) what.call->answer(*std::move(what.answer));
}

/// By the network, and nobody knows of it.
void queue_walk::copy(std::size_t index) {
    flights_.push_back({flights_[index].request, flights_[index].session, nullptr});
}

/// Its caller has waited long enough; it may arrive all the same.
void queue_walk::time_out(std::size_t index) {
    const auto& what = flights_[index];
    what.call->answer(no_answer(what.request));
}

/// The first copy seemed lost to its client, and may not be: whichever is answered first is believed.
void queue_walk::send_again(std::size_t index) {
    flights_[index].sent_again = true;
    flights_.push_back(flights_[index]);
}

// ---- what must hold ----------------------------------------------------------------------------------------

std::optional<protocol::queue_head> queue_walk::head() {
    const auto key = protocol::queue_head_key(name);
    const auto found = world_.row(table, *find_string(key, "pk"), *find_string(key, "sk"));
    if (!found) return std::nullopt;
    return protocol::parse_queue_head(*found).value();
}

std::optional<protocol::ticket_row> queue_walk::ticket(std::int64_t number) {
    const auto found = world_.row(table, "queue#" + name.entity, protocol::ticket_sort_key(name, number));
    if (!found) return std::nullopt;
    return protocol::parse_ticket_row(*found).value();
}

void queue_walk::check_head(const flight& what, const std::optional<protocol::queue_head>& before) {
    const auto after = head();
    if (!after || before == after) return;
    const auto was = before.value_or(protocol::queue_head{.tail = after->passed, .passed = after->passed});
    if (after->passed < was.passed) wrong("passed fell");
    if (after->tail > was.tail && after->last == was.last) wrong("one attempt drew two tickets in a row");
    const auto key = protocol::queue_head_key(name);
    const auto row = world_.row(table, *find_string(key, "pk"), *find_string(key, "sk"));
    if (!after->free() && row->contains("ttl")) wrong("a busy head has a ttl");
    for (auto number = was.passed + 1; number <= after->passed; ++number) {
        const auto stands = ticket(number);
        if (!stands || stands->is_void || stands->session == what.session) continue;
        if (lives(stands->session)) wrong("a live ticket was passed over");
        ++passed_over;
    }
}

void queue_walk::check_ticket(const flight& what, const put_item_request& put,
                              const std::optional<protocol::ticket_row>& before) {
    const auto now = protocol::parse_ticket_row(put.new_item).value();
    if (now.is_void && !before) ++buried;
    const bool buries = now.is_void && before && !before->is_void && before->session != what.session;
    if (buries && lives(before->session)) wrong("a ticket that was written down was buried");
    if (!now.is_void && before && before->is_void) wrong("a ticket was written down over its tombstone");
}

void queue_walk::check_turns() {
    std::size_t held = 0;
    for (const auto& who : processes_) {
        held += static_cast<std::size_t>(
            std::ranges::count_if(who->callers, [](const auto& each) { return each->turn.held(); }));
        std::erase_if(who->callers, [](const auto& each) { return each->told && !each->turn.held(); });
    }
    if (held > 1) wrong("two valid turns");
}

void queue_walk::come_to_rest() {
    // One more comes, whom everything that was left behind would keep waiting.
    enter(*processes_.front());
    const auto busy = [this] {
        return !flights_.empty() ||
               std::ranges::any_of(processes_, [](const auto& who) { return !who->callers.empty(); });
    };
    for (unsigned round = 0; round < 200 && busy() && wrong_.empty(); ++round) {
        settle();
        while (!flights_.empty() && wrong_.empty()) {
            deliver(0);
            settle();
        }
        for (auto& who : processes_) {
            if (who->holder()) leave(*who);
        }
        pass(std::chrono::milliseconds(500));
    }
    if (wrong_.empty() && busy()) wrong("somebody waits for ever");
}

std::string queue_walk::run() {
    settle();
    for (unsigned i = 0; i < size_.steps && wrong_.empty(); ++i) {
        const auto all = possible();
        const auto next = choose_(all.ordinary.size(), all.faults.size());
        if (next < all.ordinary.size()) {
            all.ordinary[next]();
        } else {
            ++faults_;
            all.faults[next - all.ordinary.size()]();
        }
        settle();
    }
    if (wrong_.empty()) come_to_rest();
    return wrong_;
}

}  // namespace dynalease::tests
