// Every verb of versioned items, as a program would call it.
// SPDX-License-Identifier: BSL-1.0
#include "simulation/versioned/process.hpp"
#include "simulation/versioned/user.hpp"
#include "simulation/versioned/world.hpp"

#include <dynalease/dynamodb/expression.hpp>

#include <utility>

namespace dynalease::simulation::versions {

namespace asio = boost::asio;

namespace {

update_expression appended(std::int64_t number) {
    const attribute_value mine(attribute_list{attribute_value(number)});
    return set("entries", list_append(path("entries"), mine));
}

}  // namespace

asio::awaitable<void> user::load(std::size_t item, bool consistent) {
    const auto since = process_.world().item_history().now(item);
    next_operation();
    auto done = co_await accounts_.load(key_of(item), {.consistent = consistent}, cancellable());
    next_operation();
    held_.reset();
    if (!std::get<0>(done)) held_ = note_loaded(item, std::get<1>(done), since, consistent);
}

asio::awaitable<void> user::load_all(std::size_t kept, bool consistent) {
    auto& world = process_.world();
    std::vector<std::size_t> items;
    std::vector<key_values> keys;
    std::vector<serial> since;
    for (std::size_t i = 0; i < world.items(); ++i) {
        items.push_back((kept + i) % world.items());
        keys.push_back(key_of(items.back()));
        since.push_back(world.item_history().now(items.back()));
    }
    std::vector<std::optional<loaded<account>>> found;
    held_.reset();
    try {
        auto loading = accounts_.load_many(std::move(keys), {.consistent = consistent});
        found = co_await std::move(loading);
    } catch (const error&) {
        co_return;
    }
    world.run().coverage.hit("loaded together");
    if (found.size() != items.size()) world.fail("O4", "a read of several items left some out");
    for (std::size_t i = 0; i < found.size(); ++i) {
        auto one = note_loaded(items[i], found[i], since[i], consistent);
        if (i == 0) held_ = std::move(one);
    }
}

std::optional<user::known> user::note_loaded(std::size_t item, const std::optional<loaded<account>>& found,
                                             serial since, bool consistent) {
    auto& item_history = process_.world().item_history();
    const auto shown = item_history.serial_of(item, found ? std::optional(found->attributes) : std::nullopt);
    item_history.tell(process_.name(),
                      loaded_state{.item = item, .shown = shown, .since = since, .consistent = consistent});
    if (!found || !shown) return std::nullopt;
    return known{.item = item, .value = *found, .state = *shown};
}

asio::awaitable<void> user::create(std::size_t item) {
    begin(item, intent::create);
    account fresh{
        .pk = item_history::name_of(item), .sk = "-", .entries = {number_}, .card = bank_card{.holder = "new"}};
    auto done = co_await accounts_.create(fresh, cancellable());
    end(item, std::move(done));
}

asio::awaitable<void> user::save(known base, save_scope scope) {
    begin(base.item, intent::save, base.state);
    base.value.value.entries.push_back(number_);
    sign(base.value.value, number_, process_.name());
    save_options how{.scope = scope};
    auto done = co_await accounts_.save(base.value, std::move(how), cancellable());
    end(base.item, std::move(done));
}

asio::awaitable<void> user::save_revision(known base) {
    const auto text = base.value.revision();
    if (!base.value.born) co_return;
    begin(base.item, intent::save_revision, base.state);
    base.value.value.entries.push_back(number_);
    const item_revision travelled(text);
    auto done = co_await accounts_.save(travelled, base.value.value, cancellable());
    end(base.item, std::move(done));
}

asio::awaitable<void> user::touch(known base) {
    begin(base.item, intent::touch, base.state);
    auto done = co_await accounts_.touch(base.value, cancellable());
    end(base.item, std::move(done));
}

asio::awaitable<void> user::remove(known base) {
    const bool by_text = base.value.born && process_.world().choices().choose("caller: removes by text", 3) == 1;
    begin(base.item, by_text ? intent::remove_revision : intent::remove, base.state);
    if (by_text) {
        const item_revision travelled(base.value.revision());
        auto done = co_await accounts_.remove(travelled, key_of(base.item), cancellable());
        end(base.item, std::move(done));
        co_return;
    }
    auto done = co_await accounts_.remove(base.value, cancellable());
    end(base.item, std::move(done));
}

asio::awaitable<void> user::update(std::size_t item) {
    auto& choices = process_.world().choices();
    begin(item, intent::update);
    update_options how{.create = choices.choose("caller: create by update", 2) == 1 || process_.world().calm()};
    how.consistent = choices.choose("caller: consistent update", 2) == 1;
    const auto change = [number = number_, user = process_.name()](account value) {
        value.entries.push_back(number);
        sign(value, number, user);
        return value;
    };
    auto done = co_await accounts_.update(key_of(item), change, how, cancellable());
    if (process_.world().calm() && !std::get<0>(done)) served_ = true;
    end(item, std::move(done));
}

asio::awaitable<void> user::blind(std::size_t item, bool exact) {
    begin(item, intent::blind);
    auto change = appended(number_);
    blind_options how{.exact = exact};
    auto done = co_await accounts_.blind(key_of(item), std::move(change), std::move(how), cancellable());
    end(item, std::move(done), !exact);
}

asio::awaitable<void> user::clobber(known base, bool upsert) {
    begin(base.item, upsert ? intent::upsert : intent::clobber);
    base.value.value.entries.push_back(number_);
    clobber_options how{.upsert = upsert};
    auto done = co_await accounts_.clobber(base.value.value, how, cancellable());
    if (upsert && !std::get<0>(done)) process_.world().run().coverage.hit("upserted");
    end(base.item, std::move(done));
}

asio::awaitable<void> user::clobber_remove(std::size_t item) {
    begin(item, intent::clobber_remove);
    auto done = co_await accounts_.clobber_remove(key_of(item), cancellable());
    if (!std::get<0>(done)) process_.world().run().coverage.hit("removed whatever was there");
    end(item, std::move(done));
}

/// One entry of several that are written together.
void user::join(versioned_writes& together, std::size_t item, const std::optional<known>& base) {
    auto& choices = process_.world().choices();
    const auto& habits = process_.world().made_of().users;
    if (!base) {
        begin(item, intent::create);
        account fresh{.pk = item_history::name_of(item), .sk = "-", .entries = {number_}};
        together.create(accounts_, fresh);
        return;
    }
    const auto way = choices.choose("caller: part of several", 6);
    if (way == 0 && habits.remove != 0) {
        begin(item, intent::remove, base->state);
        together.remove(accounts_, base->value);
    } else if (way == 1 && habits.blind != 0) {
        begin(item, intent::blind);
        together.blind(accounts_, key_of(item), appended(number_));
    } else if (way == 2) {
        begin(item, intent::touch, base->state);
        together.touch(accounts_, base->value);
    } else if (way == 3) {
        begin(item, intent::check, base->state);
        together.check(accounts_, base->value);
    } else {
        begin(item, intent::save, base->state);
        auto changed = base->value;
        changed.value.entries.push_back(number_);
        sign(changed.value, number_, process_.name());
        together.save(accounts_, changed, own_condition());
    }
}

void user::sign(account& value, std::int64_t number, const std::string& user) {
    if (!value.card) return;
    if (number % 2 == 0) value.card->holder = std::to_string(number);
    if (number % 3 != 0) ++value.card->uses["by." + user];
}

/// What somebody wants beside the state that it was made from.
save_options user::own_condition() {
    auto& world = process_.world();
    if (!world.made_of().foreign_actions || world.choices().choose("caller: own condition", 3) != 1) return {};
    const auto most = world.choices().between("caller: most entries", 1, 12);
    return {.condition = size_of(path("entries")) <= most};
}

/// Actions that the library knows nothing of: a sale from stock, and a row of an outbox.
void user::join_foreign(versioned_writes& together) {
    auto& world = process_.world();
    if (!world.made_of().foreign_actions) return;
    const auto which = world.choices().choose("caller: foreign actions", 4);
    if (which % 2 == 1) {
        condition_check enough{.table_name = table, .key = stock_key(), .condition_expression = {}};
        const auto some = attr("left") >= 1;
        apply(enough, some);
        together.add(std::move(enough));
    }
    if (which >= 2) {
        transact_put event{.table_name = table, .new_item = {{"pk", "event#" + std::to_string(number_)}, {"sk", "-"}}};
        const auto is_new = attribute_not_exists("pk");
        apply(event, is_new);
        together.add(std::move(event));
    }
}

asio::awaitable<void> user::joint(known base) {
    auto& world = process_.world();
    if (world.items() == 1) co_return;
    std::vector<std::pair<std::size_t, std::optional<known>>> others;
    const auto count = 1 + world.choices().choose("caller: others", world.items() - 1);
    for (std::size_t i = 1; i <= count; ++i) {
        const auto other = (base.item + i) % world.items();
        co_await load(other, true);
        others.emplace_back(other, std::exchange(held_, std::nullopt));
    }
    versioned_writes together;
    for (const auto& [item, found] : others) join(together, item, found);
    begin(base.item, intent::save, base.state);
    base.value.value.entries.push_back(number_);
    together.save(accounts_, base.value, own_condition());
    join_foreign(together);
    auto done = co_await save_all(process_.machine().database(), std::move(together), cancellable());
    const auto code = std::get<0>(done);
    auto what = answer::not_applied;
    if (!code) what = answer::applied;
    if (code == errc::in_doubt) {
        what = answer::doubt;
        joint_doubt_ = joint_doubt{.item = base.item, .number = number_, .write = std::get<1>(done).pending()};
    }
    if (code == errc::condition_failed) world.run().coverage.hit("a condition of others refused all");
    world.run().coverage.hit(!code ? "several written together" : "several refused together");
    tell(base.item, what, {});
}

asio::awaitable<void> user::resolve_joint() {
    const auto of = *joint_doubt_;
    auto verdict = resolution::open;
    try {
        auto asking = of.write.resolve();
        verdict = co_await std::move(asking);
    } catch (const error&) {
        co_return;
    }
    joint_doubt_.reset();
    process_.world().run().coverage.hit("several resolved together");
    if (verdict == resolution::open) co_return;
    const bool applied = verdict == resolution::applied;
    process_.world().item_history().tell(process_.name(),
                                         told{.number = of.number,
                                              .what = applied ? answer::superseded : answer::not_applied,
                                              .item = of.item,
                                              .since = 0});
}

asio::awaitable<void> user::resolve(bool close) {
    auto& world = process_.world();
    auto& coverage = world.run().coverage;
    const auto of = *doubt_;
    // What closes it is a write of its own.
    begin(of.item, of.by_text ? intent::close_revision : intent::close);
    resolved<account> found;
    bool answered = true;
    try {
        auto asking = close ? of.write.close() : of.write.resolve();
        found = co_await std::move(asking);
    } catch (const error&) {
        answered = false;
    }
    process_.recorder().requests_of(std::exchange(number_, 0));
    if (!answered) co_return;
    if (found.current) serial_of(of.item, found.current);
    if (found.verdict == resolution::open) {
        coverage.hit("left open");
        if (close) doubt_.reset();
        co_return;
    }
    const bool applied = found.verdict == resolution::applied;
    coverage.hit(applied ? "resolved: applied" : close ? "closed" : "resolved: not applied");
    world.item_history().tell(process_.name(), told{.number = of.number,
                                                    .what = applied ? answer::superseded : answer::not_applied,
                                                    .item = of.item,
                                                    .since = 0});
    doubt_.reset();
}

}  // namespace dynalease::simulation::versions
