// A process begins, dies and begins again; and whose every request is.
#include "simulation/versioned/site.hpp"

#include "simulation/framework/machine.hpp"

#include <boost/asio/co_spawn.hpp>

#include <exception>
#include <utility>
#include <variant>

namespace dynalease::simulation::versions {

namespace asio = boost::asio;

namespace {

std::optional<std::size_t> item_in(const item_key& key) {
    const auto* text = find_string(key, "pk");
    constexpr std::string_view prefix = "item#";
    if (!text || !text->starts_with(prefix)) return std::nullopt;
    return static_cast<std::size_t>((*text)[prefix.size()] - '0');
}

/// A creation comes at once or not at all.
testing::fault never_late(testing::fault fate) {
    using enum testing::fault::kind;
    fate.before = std::min<clock::duration>(fate.before, std::chrono::milliseconds(50));
    if (fate.what == lose_answer || fate.what == apply_twice) fate.what = pass;
    if (fate.what == apply_then_fail) fate.what = fail;
    fate.after = std::min<clock::duration>(fate.after, std::chrono::milliseconds(200));
    return fate;
}

}  // namespace

site::site(version_world& where, std::size_t index)
    : world_(where),
      index_(index),
      name_("n" + std::to_string(index)),
      machine_(where.simulated(),
               draw_machine(where.choices(), where.made_of().drift_ppm, where.made_of().wall_error)) {
    where.run().census.fault("drift");
    open();
}

site::~site() = default;

void site::open() {
    auto plan = world_.sky().plan(index_, machine_);
    if (world_.made_of().no_late_creations) {
        plan = [plan](const any_request& request, const call_options& options) {
            auto fate = plan(request, options);
            return std::holds_alternative<put_item_request>(request) ? never_late(std::move(fate)) : fate;
        };
    }
    machine_.network().set_plan(std::move(plan));
    machine_.network().set_observer(this);
    machine_.network().keep_log(false);
    ++lives_;
    caller_ = std::make_shared<caller>(*this);
    asio::co_spawn(machine_.environment().executor, caller::live(caller_), [](std::exception_ptr thrown) {
        if (thrown) std::rethrow_exception(thrown);
    });
}

void site::crash(clock::duration down) {
    machine_.crash();
    // What the network knows of the former program's requests concerns nobody any more, but they still arrive.
    machine_.network().set_observer(this);
    caller_.reset();
    if (frames != 0) world_.fail("R1", std::to_string(frames) + " coroutines survived a crash");
    world_.simulated().scheduler().add_timer(world_.now() + down, [this, life = lives_] {
        if (life == lives_ && !world_.stopping()) reopen();
    });
}

void site::reopen() {
    if (machine_.crashed()) machine_.restart(world_.choices().choose("seed of a node", ~std::uint64_t{0}));
    caller_.reset();
    open();
}

site::account_of_requests site::requests_of(std::int64_t number) {
    const auto found = accounts_.find(number);
    if (found == accounts_.end()) return {};
    const auto met = found->second;
    accounts_.erase(found);
    return met;
}

// ---- requests ------------------------------------------------------------------------------------------------

void site::sent(const testing::logged_request& entry, const any_request& request) {
    requests_.erase(&entry);  // of an earlier one that lay in the same place
    if (is_write(request) && caller_) requests_[&entry] = {.number = caller_->number()};
}

void site::applied(const testing::logged_request& entry, const any_request& request,
                   const result<any_response>& answer) {
    const auto known = requests_.find(&entry);
    if (known == requests_.end()) return;
    const auto number = known->second.number;
    auto& census = world_.run().census;
    const bool late = entry.completed.has_value();
    if (late) census.hit(answer ? "late write applied" : "late write refused");
    // The service knows a transaction that it has carried out by its token, and does nothing when it comes again.
    const auto* together = std::get_if<transact_write_items_request>(&request);
    const bool replayed = together && answer && !carried_out_.insert(together->client_request_token).second;
    if (replayed) census.hit("transaction replayed");
    const auto on_item = [&](const auto& write, const auto& key) {
        const auto index = item_in(key);
        if (!index) return;
        if (!answer) {
            known->second.met = world_.judged().now(*index);
        } else if constexpr (std::is_same_v<std::decay_t<decltype(write)>, condition_check>) {
            if (!replayed) world_.tell(name_, found_right{.number = number, .item = *index});
        } else {
            world_.written_by(name_, number, *index, entry.applied.size() > 1);
        }
    };
    std::visit(
        [&](const auto& write) {
            using kind = std::decay_t<decltype(write)>;
            if constexpr (std::is_same_v<kind, put_item_request>) on_item(write, write.new_item);
            if constexpr (std::is_same_v<kind, update_item_request>) on_item(write, write.key);
            if constexpr (std::is_same_v<kind, delete_item_request>) on_item(write, write.key);
            if constexpr (std::is_same_v<kind, transact_write_items_request>) {
                for (const auto& action : write.actions) {
                    std::visit(
                        [&](const auto& each) {
                            if constexpr (requires { each.key; })
                                on_item(each, each.key);
                            else
                                on_item(each, each.new_item);
                        },
                        action);
                }
            }
        },
        request);
}

void site::answered(const testing::logged_request& entry, const any_request& request,
                    const result<any_response>& answer) {
    world_.run().trace.add(world_.now(), name_, static_cast<std::uint64_t>(entry.code.value()), [&] {
        return "r " + entry.operation + " " + entry.key + " -> " + (answer ? "ok" : entry.code.message());
    });
    const auto known = requests_.find(&entry);
    if (known == requests_.end() || !is_write(request)) return;
    auto& account = accounts_[known->second.number];
    const bool unknown = !answer && answer.error().outcome == outcome::unknown;
    account.unanswered = account.unanswered || unknown;
    account.last_refusal = unknown ? std::optional<serial>() : known->second.met;
}

}  // namespace dynalease::simulation::versions
