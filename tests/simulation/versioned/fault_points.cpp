// Every public operation on versioned items, in the setting that shows it, disturbed at every point.
// SPDX-License-Identifier: BSL-1.0
#include "simulation/framework/fault_points.hpp"
#include "simulation/framework/directed.hpp"
#include "simulation/versioned/stage.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>

#include <utility>

namespace dynalease::simulation::versions {

using namespace std::chrono_literals;
namespace asio = boost::asio;

namespace {

void nothing(stage&) {}
void a_has_one(stage& on) {
    on.make(on.a);
}
void b_has_one(stage& on) {
    on.make(on.b);
}
void b_wrote_since(stage& on) {
    on.make(on.a);
    on.write(on.b);
}
void b_buried_one(stage& on) {
    on.make(on.b);
    on.intend(on.b, intent::remove);
    on.b.accounts->remove(*on.b.base, on.handler(on.keep(on.b)));
    on.run_for(100ms);
}
void both_have_one(stage& on) {
    on.make(on.b, 1);
    on.make(on.a);
}
/// Of a save whose answer was lost, and that others wrote over.
void a_doubts(stage& on) {
    on.make(on.a);
    on.a.machine.network().set_plan([](const any_request&, const call_options&) {
        return testing::fault{.what = testing::fault::kind::lose_request};
    });
    on.a.base->value.entries.push_back(on.intend(on.a, intent::save));
    on.a.accounts->save(*on.a.base, on.handler(on.keep(on.a)));
    on.run_for(20s);
    if (!on.a.pending) on.fail("the setting does not come about");
}

void load(stage& on) {
    on.a.accounts->load(stage::key(), {}, on.cancelled_handler(ignore));
}
/// With a handle of its own: that of the stage may be destroyed before the first step.
asio::awaitable<void> read_many(stage& on, versioned<account> accounts) {
    std::vector<key_values> keys{stage::key(1), stage::key(0)};
    auto loading = accounts.load_many(std::move(keys));
    const auto found = co_await std::move(loading);
    if (found.size() != 2 || found[0] || !found[1]) on.fail("O4: a read of two items showed others");
}
void load_many(stage& on) {
    asio::co_spawn(on.a.machine.environment().executor, read_many(on, *on.a.accounts),
                   on.handler([](std::exception_ptr) {}));
}
void create(stage& on) {
    on.intend(on.a, intent::create, 0, false);
    const account fresh{.pk = item_history::name_of(0), .sk = "-", .entries = {on.a.number}};
    on.a.accounts->create(fresh, on.cancelled_handler(on.keep(on.a)));
}
void save(stage& on) {
    auto base = *on.a.base;
    base.value.entries.push_back(on.intend(on.a, intent::save));
    on.a.accounts->save(base, on.cancelled_handler(on.keep(on.a)));
}
void save_while_b_writes(stage& on) {
    save(on);
    on.later(1100ms, [&on] {
        on.b.accounts->load(stage::key(), {}, on.handler([&on](error_code, std::optional<loaded<account>> found) {
            if (!found) return;
            on.b.base = std::move(found);
            on.b.base->value.entries.push_back(on.intend(on.b, intent::save));
            on.b.accounts->save(*on.b.base, on.handler(on.keep(on.b)));
        }));
    });
}
void save_revision(stage& on) {
    auto base = *on.a.base;
    base.value.entries.push_back(on.intend(on.a, intent::save_revision));
    const item_revision travelled(base.revision());
    on.a.accounts->save(travelled, base.value, on.cancelled_handler(on.keep(on.a)));
}
void replace(stage& on) {
    auto base = *on.a.base;
    base.value.entries.push_back(on.intend(on.a, intent::save));
    on.a.accounts->replace(base, on.cancelled_handler(on.keep(on.a)));
}
void touch(stage& on) {
    on.intend(on.a, intent::touch);
    on.a.accounts->touch(*on.a.base, on.cancelled_handler(on.keep(on.a)));
}
void remove(stage& on) {
    on.intend(on.a, intent::remove);
    on.a.accounts->remove(*on.a.base, on.cancelled_handler(on.keep(on.a)));
}
void update(stage& on) {
    const auto number = on.intend(on.a, intent::update, 0, false);
    auto change = [number](account value) {
        value.entries.push_back(number);
        return value;
    };
    update_options how{.create = true};
    on.a.accounts->update(stage::key(), std::move(change), how, on.cancelled_handler(on.keep(on.a)));
}
update_expression appended(std::int64_t number) {
    const attribute_value mine(attribute_list{attribute_value(number)});
    return set("entries", list_append(path("entries"), mine));
}
void blind(stage& on) {
    const auto number = on.intend(on.a, intent::blind, 0, false);
    on.a.accounts->blind(stage::key(), appended(number), on.cancelled_handler(on.keep(on.a)));
}
void exact(stage& on) {
    const auto number = on.intend(on.a, intent::blind, 0, false);
    blind_options how{.exact = true};
    on.a.accounts->blind(stage::key(), appended(number), std::move(how), on.cancelled_handler(on.keep(on.a)));
}
void clobber(stage& on) {
    auto base = *on.a.base;
    base.value.entries.push_back(on.intend(on.a, intent::clobber, 0, false));
    on.a.accounts->clobber(base.value, on.cancelled_handler(on.keep(on.a)));
}
void upsert(stage& on) {
    on.intend(on.a, intent::upsert, 0, false);
    const account fresh{.pk = item_history::name_of(0), .sk = "-", .entries = {on.a.number}};
    clobber_options how{.upsert = true};
    on.a.accounts->clobber(fresh, how, on.cancelled_handler(on.keep(on.a)));
}
void clobber_remove(stage& on) {
    on.intend(on.a, intent::clobber_remove, 0, false);
    on.a.accounts->clobber_remove(stage::key(), on.cancelled_handler(on.keep(on.a)));
}
void write_two(stage& on) {
    auto first = *on.a.base;
    on.a.number = on.item_history.next_number();
    on.intend(on.a, intent::save, 0);
    on.item_history.tell("", intended{.number = on.a.number,
                                      .item = 1,
                                      .what = intent::check,
                                      .base = on.item_history.serial_of(1, on.b.base->attributes)});
    first.value.entries.push_back(on.a.number);
    versioned_writes both;
    both.save(*on.a.accounts, first);
    both.check(*on.a.accounts, *on.b.base);
    save_all(
        on.a.machine.database(), std::move(both),
        on.cancelled_handler([&on, number = on.a.number](error_code code, const joint_result&) {
            on.a.number = 0;
            on.learn(number, 0, !code ? answer::applied : code == errc::in_doubt ? answer::doubt : answer::not_applied);
        }));
}

asio::awaitable<void> resolve(stage& on, pending_write<account> write, bool closes) {
    auto asking = closes ? write.close() : write.resolve();
    auto found = co_await std::move(asking);
    on.a.number = 0;
    if (closes && found.verdict == resolution::open) on.fail("O3: a write that was closed is open");
}
void resolve_on(stage& on, bool closes) {
    // Boost 1.81 throws out of its loop when a coroutine is cancelled before its first step.
    on.intend(on.a, intent::close);
    asio::co_spawn(on.a.machine.environment().executor, resolve(on, on.a.pending, closes),
                   on.handler([](std::exception_ptr) {}));
}
void resolve(stage& on) {
    resolve_on(on, false);
}
void close(stage& on) {
    resolve_on(on, true);
}

constexpr operation_on<stage> operations[] = {
    {"load", b_has_one, load},
    {"load nothing", nothing, load},
    {"load many", b_has_one, load_many},
    {"create", nothing, create},
    {"create over a tombstone", b_buried_one, create},
    {"create what exists", b_has_one, create},
    {"save", a_has_one, save},
    {"save in vain", b_wrote_since, save},
    {"save while another writes", a_has_one, save_while_b_writes, 1200ms},
    {"save a revision", a_has_one, save_revision},
    {"replace", a_has_one, replace},
    {"touch", a_has_one, touch},
    {"remove", a_has_one, remove},
    {"update", b_has_one, update},
    {"update that creates", nothing, update},
    {"blind", b_has_one, blind},
    {"blind, exact", b_has_one, exact},
    {"clobber", a_has_one, clobber},
    {"upsert", nothing, upsert},
    {"upsert over an item", b_has_one, upsert},
    {"remove whatever is there", b_has_one, clobber_remove},
    {"remove nothing", nothing, clobber_remove},
    {"save_all", both_have_one, write_two},
    {"resolve", a_doubts, resolve},
    {"close", a_doubts, close},
};

// ---- a rule of its own ---------------------------------------------------------------------------------------

testing::fault_plan first_write(testing::fault fate) {
    return [fate, met = false](const any_request& request, const call_options&) mutable {
        if (met || !is_write(request)) return testing::fault{.before = 2ms, .after = 2ms};
        met = true;
        return fate;
    };
}

/// A blind write whose copy comes back when the item has forgotten it: its stamp stands there for a second time.
void repeated_blind(stage& on) {
    on.make(on.b);
    on.a.machine.network().set_plan(first_write({.what = testing::fault::kind::apply_twice, .copy = 1100ms}));
    blind(on);
    on.run_for(100ms);
    on.load(on.a);
    auto old = on.a.base;
    const auto blindly = [&on] {
        const auto number = on.intend(on.b, intent::blind, 0, false);
        on.b.accounts->blind(stage::key(), appended(number), on.handler(on.keep(on.b)));
        on.run_for(50ms);
    };
    // It is applied, and its answer lost; the next copy of it comes when the blind one's has landed.
    on.a.machine.network().set_plan(first_write({.what = testing::fault::kind::lose_answer, .before = 500ms}));
    on.a.base = old;
    save(on);
    on.run_for(600ms);
    blindly();
    blindly();
    on.run_for(5s);
    // And what was made from the state that the blind write left is not saved over the one that its copy left.
    on.a.base = old;
    save(on);
    on.run_for(5s);
}

const contribution version_points{{.name = "versioned",
                                   .scenarios = {{"repeated-blind", 0, play_directed<repeated_blind>}},
                                   .fault_points = fault_points_of<operations>}};

}  // namespace

}  // namespace dynalease::simulation::versions
