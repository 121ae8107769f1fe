// A process begins, dies and begins again.
#include "simulation/queue/site.hpp"

#include "simulation/framework/machine.hpp"

#include <boost/asio/co_spawn.hpp>

#include <algorithm>
#include <exception>
#include <utility>

namespace dynalease::simulation::queues {

namespace asio = boost::asio;

site::site(queue_world& where, std::size_t index)
    : world_(where),
      index_(index),
      name_("n" + std::to_string(index)),
      machine_(where.simulated(), draw_machine(where.choices(), where.made_of().drift_ppm, where.made_of().wall_error)),
      owner_("owner-" + std::to_string(index)),
      heartbeat_(where.lease() / (where.choices().choose("heartbeat of a node", 3) == 1 ? 3 : 4)),
      watches_(where.lease(), heartbeat_, where.made_of().drift_ppm) {
    where.run().census.fault("drift");
    open();
}

site::~site() = default;

void site::open() {
    machine_.network().set_plan(world_.sky().plan(index_, machine_));
    machine_.network().set_observer(this);
    machine_.network().keep_log(false);
    ++lives_;
    note_disturbance();
    first_sends_.clear();
    written_.clear();
    const auto& made_of = world_.made_of();
    session_options options{.table = table,
                            .owner = owner_,
                            .lease = world_.lease(),
                            .heartbeat = heartbeat_,
                            .clock_drift_ppm = static_cast<std::uint32_t>(made_of.drift_ppm),
                            .retention = std::chrono::hours(24)};
    session_.emplace(machine_.database(), std::move(options));
    const auto count = world_.choices().between("users of a node", 1, made_of.most_users);
    for (std::uint64_t i = 0; i < count; ++i) {
        const auto queue = world_.choices().choose("queue of a user", world_.queues());
        users_.push_back(std::make_shared<user>(*this, queue, world_.next_number()));
        asio::co_spawn(machine_.environment().executor, user::live(users_.back()), [](std::exception_ptr thrown) {
            if (thrown) std::rethrow_exception(thrown);
        });
    }
}

queue site::queue_of(std::size_t index) {
    auto [entity, reason] = place_of(index);
    return queue(*session_, std::move(entity), {.reason = std::move(reason)});
}

void site::crash(bool same_owner, clock::duration down) {
    for (const auto& each : users_) each->let_go_of_all();
    machine_.crash();
    machine_.network().set_observer(this);
    users_.clear();
    session_.reset();
    if (frames != 0) world_.fail("R1: " + std::to_string(frames) + " coroutines survived a crash");
    if (!same_owner) owner_ = "owner-" + std::to_string(world_.next_number());
    arm_reopening(down);
}

void site::arm_reopening(clock::duration after) {
    world_.simulated().scheduler().add_timer(world_.now() + after, [this, life = lives_] {
        if (life == lives_ && !world_.stopping()) reopen();
    });
}

void site::reopen() {
    if (machine_.crashed()) machine_.restart(world_.choices().choose("seed of a node", ~std::uint64_t{0}));
    for (const auto& each : users_) each->let_go_of_all();
    users_.clear();
    session_.reset();
    open();
}

void site::user_gone() {
    for (const auto& each : users_) {
        if (each->now() != user::doing::gone) return;
    }
    if (!world_.stopping()) arm_reopening(std::chrono::milliseconds(500));
}

void site::unblocked() {
    for (const auto& each : users_) each->write_outside();
}

bool site::live() const {
    if (!session_ || machine_.crashed()) return false;
    const auto state = session_->state();
    return state == session_state::live || state == session_state::jeopardy;
}

bool site::is_written(const user::held_turn& turn) const {
    return written_.contains({turn.queue, turn.turn.ticket()});
}

time_point site::bound_of(const user::held_turn& turn) const {
    const auto* watch = watches_.of(session_->id());
    if (watch == nullptr || !watch->begun()) return time_point::min();
    const auto session_end = watch->is_told_over() ? time_point::min() : watch->deadline();
    if (is_written(turn)) return session_end;
    // A turn without a row is protected by its claim alone, which everybody counts as three seconds.
    const auto* ticket = world_.judged().find(turn.queue, turn.turn.ticket());
    const auto sent = ticket == nullptr ? first_sends_.end() : first_sends_.find(ticket->attempt);
    if (sent == first_sends_.end()) return time_point::min();
    return std::min(session_end, sent->second + std::chrono::seconds(3));
}

void site::check_state() {
    if (!session_ || machine_.crashed() || machine_.paused()) return;
    const auto* watch = watches_.of(session_->id());
    if (watch == nullptr || undisturbed_ + std::chrono::milliseconds(1) > clock_now()) return;
    const auto wrong = watch->judge(session_->state(), clock_now());
    if (!wrong.empty()) world_.fail("P5: " + wrong);
}

void site::shut() {
    users_.clear();
    session_.reset();
    closed_ = false;
}

void site::close() {
    if (!live()) {
        closed_ = true;
        return;
    }
    session_->close({}, [this](error_code, const close_report&) { closed_ = true; });
}

}  // namespace dynalease::simulation::queues
