// Every verb of versioned items, as a program would call it.
#include "simulation/versioned/caller.hpp"
#include "simulation/versioned/site.hpp"
#include "simulation/versioned/world.hpp"

#include <utility>

namespace dynalease::simulation::versions {

namespace asio = boost::asio;

asio::awaitable<void> caller::load(std::size_t item, bool consistent) {
    auto& world = site_.world();
    const auto since = world.ledger().now(item);
    next_operation();
    auto done = co_await accounts_.load(key_of(item), {.consistent = consistent}, cancellable());
    next_operation();
    held_.reset();
    if (std::get<0>(done)) co_return;
    const auto& found = std::get<1>(done);
    auto shown =
        found ? world.ledger().serial_of(item, found->attributes) : world.ledger().serial_of(item, std::nullopt);
    world.ledger().tell(site_.name(),
                        loaded_state{.item = item, .shown = shown, .since = since, .consistent = consistent});
    if (found && shown) held_ = known{.item = item, .value = *found, .state = *shown};
}

asio::awaitable<void> caller::create(std::size_t item) {
    begin(item, intent::create);
    account fresh{.pk = ledger::name_of(item), .sk = "-", .entries = {number_}};
    auto done = co_await accounts_.create(fresh, cancellable());
    end(item, std::move(done));
}

asio::awaitable<void> caller::save(known base, save_scope scope) {
    begin(base.item, intent::save, base.state);
    base.value.value.entries.push_back(number_);
    save_options how{.scope = scope};
    auto done = co_await accounts_.save(base.value, std::move(how), cancellable());
    end(base.item, std::move(done));
}

asio::awaitable<void> caller::save_revision(known base) {
    const auto text = base.value.revision();
    if (!base.value.born) co_return;
    begin(base.item, intent::save_revision, base.state);
    base.value.value.entries.push_back(number_);
    const item_revision travelled(text);
    auto done = co_await accounts_.save(travelled, base.value.value, cancellable());
    end(base.item, std::move(done));
}

asio::awaitable<void> caller::touch(known base) {
    begin(base.item, intent::touch, base.state);
    auto done = co_await accounts_.touch(base.value, cancellable());
    end(base.item, std::move(done));
}

asio::awaitable<void> caller::remove(known base) {
    begin(base.item, intent::remove, base.state);
    auto done = co_await accounts_.remove(base.value, cancellable());
    end(base.item, std::move(done));
}

asio::awaitable<void> caller::update(std::size_t item) {
    auto& choices = site_.world().choices();
    begin(item, intent::update);
    update_options how{.create = choices.choose("caller: create by update", 2) == 1 || site_.world().calm()};
    how.consistent = choices.choose("caller: consistent update", 2) == 1;
    auto change = [number = number_](account value) {
        value.entries.push_back(number);
        return value;
    };
    auto done = co_await accounts_.update(key_of(item), std::move(change), how, cancellable());
    if (site_.world().calm() && !std::get<0>(done)) served_ = true;
    end(item, std::move(done));
}

asio::awaitable<void> caller::blind(std::size_t item, bool exact) {
    begin(item, intent::blind);
    const attribute_value mine(attribute_list{attribute_value(number_)});
    auto change = set("entries", list_append(path("entries"), mine));
    blind_options how{.exact = exact};
    auto done = co_await accounts_.blind(key_of(item), std::move(change), std::move(how), cancellable());
    end(item, std::move(done), !exact);
}

asio::awaitable<void> caller::clobber(known base) {
    begin(base.item, intent::clobber);
    base.value.value.entries.push_back(number_);
    auto done = co_await accounts_.clobber(base.value.value, cancellable());
    end(base.item, std::move(done));
}

asio::awaitable<void> caller::joint(known base) {
    auto& world = site_.world();
    const auto other = (base.item + 1) % world.items();
    if (other == base.item) co_return;
    co_await load(other, true);
    if (!held_) co_return;
    auto second = *std::exchange(held_, std::nullopt);
    const bool only_checks = world.choices().choose("caller: check", 2) == 1;
    begin(other, only_checks ? intent::check : intent::save, second.state);
    begin(base.item, intent::save, base.state);
    base.value.value.entries.push_back(number_);
    versioned_writes together;
    together.save(accounts_, base.value);
    if (only_checks) {
        together.check(accounts_, second.value);
    } else {
        second.value.value.entries.push_back(number_);
        together.save(accounts_, second.value);
    }
    auto done = co_await save_all(site_.machine().database(), std::move(together), cancellable());
    const auto code = std::get<0>(done);
    auto what = answer::not_applied;
    if (!code) what = answer::applied;
    if (code == errc::in_doubt) what = answer::doubt;
    world.run().census.hit(!code ? "several written together" : "several refused together");
    tell(base.item, what, {});
}

asio::awaitable<void> caller::settle(bool close) {
    auto& world = site_.world();
    auto& census = world.run().census;
    const auto of = *doubt_;
    // What closes it is a write of its own.
    begin(of.item, intent::close);
    settled<account> found;
    bool answered = true;
    try {
        auto asking = close ? of.write.close() : of.write.settle();
        found = co_await std::move(asking);
    } catch (const error&) {
        answered = false;
    }
    site_.witness().requests_of(std::exchange(number_, 0));
    if (!answered) co_return;
    if (found.current) serial_of(of.item, found.current);
    if (found.verdict == settlement::open) {
        census.hit("left open");
        if (close) doubt_.reset();
        co_return;
    }
    const bool applied = found.verdict == settlement::applied;
    census.hit(applied ? "settled: applied" : close ? "closed" : "settled: not applied");
    world.ledger().tell(site_.name(), told{.number = of.number,
                                           .what = applied ? answer::superseded : answer::not_applied,
                                           .item = of.item,
                                           .since = 0});
    doubt_.reset();
}

}  // namespace dynalease::simulation::versions
