// Keys in use: one fetch for all, ahead of time, and what happens when the source is away.
// SPDX-License-Identifier: BSL-1.0
#include "client/credentials/credentials_cache.hpp"

#include "unit/client/credentials/credentials_world.hpp"

#include "runtime/waiter_list.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/deferred.hpp>
#include <boost/asio/detached.hpp>

#include <array>
#include <deque>
#include <stdexcept>

namespace {

using namespace credentials_test;
using aws::shared_credentials;

shared_credentials keys_named(std::string id, std::optional<clock::wall_time> expiration = std::nullopt) {
    credentials made{std::move(id), "secret", "token"};
    if (expiration) made.expiration = std::chrono::floor<std::chrono::seconds>(*expiration);
    return std::make_shared<const credentials>(std::move(made));
}

/// Answers when it is told to.
class slow_source final : public credentials_provider {
public:
    explicit slow_source(asio::io_context& io) : asked_(io.get_executor()) {}

    asio::awaitable<result<shared_credentials>> get() override {
        ++fetches;
        auto [error, answer] = co_await asked_.async_wait(asio::as_tuple(asio::deferred));
        if (error) co_return failure(errc::cancelled);
        co_return *std::move(answer);
    }
    void invalidate() noexcept override { ++invalidated; }

    void answer(result<shared_credentials> with) { asked_.complete_one(std::move(with)); }

    int fetches = 0;
    int invalidated = 0;

private:
    runtime::waiter_list<std::optional<result<shared_credentials>>> asked_;
};

struct cache_world : credentials_world {
    std::shared_ptr<slow_source> source = std::make_shared<slow_source>(io);
    std::shared_ptr<detail::credentials_cache> cache = std::make_shared<detail::credentials_cache>(world, source);
    std::deque<result<shared_credentials>> got;

    ~cache_world() { cache->close(); }

    void ask() {
        asio::co_spawn(io, cache->get(time->now() + 5s),
                       [this](std::exception_ptr failure, result<shared_credentials> keys) {
                           if (failure) std::rethrow_exception(failure);
                           got.push_back(std::move(keys));
                       });
        resolve();
    }
    void answer(result<shared_credentials> with) {
        resolve();
        source->answer(std::move(with));
        resolve();
    }
    void resolve() {
        io.restart();
        io.poll();
    }
    void pass(clock::duration span) {
        time->advance(span);
        resolve();
    }
    /// What the last who asked got.
    std::string last() const {
        if (!got.back()) return got.back().error().code.message();
        return (*got.back())->access_key_id;
    }

    void hold(const char* id, clock::duration life) {
        ask();
        answer(keys_named(id, time->wall() + std::chrono::duration_cast<std::chrono::milliseconds>(life)));
        REQUIRE(last() == id);
    }
};

}  // namespace

TEST_CASE("whoever waits shares one fetch, and later ones take what it brought") {
    cache_world w;
    for (int i = 0; i < 100; ++i) w.ask();
    CHECK(w.got.empty());
    CHECK(w.source->fetches == 1);
    w.answer(keys_named("A"));
    CHECK(w.got.size() == 100);
    CHECK(w.cache->present()->access_key_id == "A");
    w.pass(10'000h);
    CHECK(w.cache->present());
    CHECK(w.source->fetches == 1);
}

TEST_CASE("keys are replaced ahead of their end, and nobody waits for it") {
    cache_world w;
    w.hold("A", 6h);
    w.pass(5h + 50min);
    for (int i = 0; i < 10; ++i) {
        CHECK(w.cache->present()->access_key_id == "A");
        w.resolve();
    }
    CHECK(w.source->fetches == 2);
    w.answer(keys_named("B", w.time->wall() + 6h));
    CHECK(w.cache->present()->access_key_id == "B");
    CHECK(w.source->fetches == 2);
}

TEST_CASE("a source that is away does not stop who has keys, not even past their end") {
    cache_world w;
    w.hold("A", 1h);
    w.pass(50min);
    CHECK(w.cache->present());
    w.answer(nobody_there());
    w.pass(1s);
    CHECK(w.cache->present());
    CHECK(w.source->fetches == 2);  // not again at once
    w.pass(2h);
    CHECK_FALSE(w.cache->present());
    w.ask();
    CHECK(w.source->fetches == 3);
    w.answer(nobody_there());
    CHECK(w.last() == "A");
    CHECK(w.cache->present());  // and for a while without asking
    w.pass(40s);
    w.ask();
    CHECK(w.last() == "A");  // nobody waits for a source that was away just now
    w.answer(keys_named("B", w.time->wall() + 1h));
    CHECK(w.cache->present()->access_key_id == "B");
}

TEST_CASE("while its source is away nobody waits for it, not even past the end of the keys") {
    cache_world w;
    w.hold("A", 1h);
    w.pass(50min);
    for (int seconds = 0; seconds < 3600; ++seconds) {
        w.pass(1s);
        REQUIRE(w.cache->present());
        w.resolve();
        if (seconds % 20 == 0) w.answer(nobody_there());  // each fetch takes long
    }
    CHECK(w.source->fetches > 30);
    CHECK(w.source->fetches <= 120);
}

TEST_CASE("refused keys are not given again: the source's failure is told, and it is not pressed") {
    cache_world w;
    w.hold("A", 1h);
    const auto refused = w.cache->present();
    w.cache->refuse(refused);
    CHECK(w.source->invalidated == 1);
    CHECK_FALSE(w.cache->present());
    w.ask();
    w.answer(failure(errc::no_credentials));
    CHECK(w.got.back().has_error());
    w.ask();
    CHECK(w.got.back().has_error());
    CHECK(w.source->fetches == 2);
    w.pass(2s);
    w.ask();
    w.answer(keys_named("B"));
    CHECK(w.last() == "B");
    w.cache->refuse(refused);  // a late word about the old ones
    CHECK(w.cache->present()->access_key_id == "B");
}

TEST_CASE("keys that are refused over and over are fetched anew once a second at most") {
    cache_world w;
    w.hold("A", 1h);
    for (int i = 0; i < 50; ++i) {
        w.cache->refuse(w.cache->present());
        if (w.cache->present()) continue;
        w.ask();
        w.answer(keys_named("A", w.time->wall() + 1h));
    }
    CHECK(w.source->fetches == 2);
    w.pass(2s);
    w.cache->refuse(w.cache->present());
    CHECK_FALSE(w.cache->present());
}

TEST_CASE("a deadline ends a wait, not the fetch") {
    cache_world w;
    w.ask();
    w.pass(6s);
    REQUIRE(w.got.size() == 1);
    CHECK(w.got.back().error().code == errc::timeout);
    CHECK_FALSE(w.got.back().error().details.advice.empty());
    w.answer(keys_named("A"));
    CHECK(w.cache->present());
}

TEST_CASE("closing answers whoever waits, once, and whoever comes later") {
    cache_world w;
    for (int i = 0; i < 3; ++i) w.ask();
    w.cache->close();
    w.resolve();
    w.ask();
    REQUIRE(w.got.size() == 4);
    for (const auto& one : w.got) CHECK(one.error().code == errc::shut_down);
    w.answer(keys_named("A"));
    CHECK(w.got.size() == 4);
}

TEST_CASE("a provider of the user that throws or gives nothing is a failure with words") {
    struct broken final : credentials_provider {
        int throws = 0;
        asio::awaitable<result<shared_credentials>> get() override {
            if (throws == 1) throw std::runtime_error("vault is sealed");
            if (throws == 2) throw 42;
            co_return shared_credentials{};
        }
    };
    for (const int throws : {0, 1, 2}) {
        credentials_world w;
        const auto provider = std::make_shared<broken>();
        provider->throws = throws;
        const auto cache = std::make_shared<detail::credentials_cache>(w.world, provider);
        const auto got = w.run(cache->get(w.time->now() + 5s));
        REQUIRE(got.has_error());
        CHECK(got.error().code == errc::no_credentials);
        const std::array words{"none", "vault is sealed", "no std::exception"};
        CHECK_THAT(got.error().details.message, Catch::Contains(words[static_cast<std::size_t>(throws)]));
    }
}

TEST_CASE("a fetch that a fork ends in the child is begun anew there; the parent's goes on") {
    cache_world w;
    w.ask();
    const auto forked = failure(errc::no_credentials);
    CHECK(status_of_a_fork(w.io, [&] {
              w.answer(forked);
              if (!w.got.empty() || w.source->fetches != 2) return 1;
              w.answer(keys_named("child's"));
              return w.last() == "child's" ? 0 : 2;
          }) == 0);
    w.answer(forked);
    CHECK(w.last() == forked.code.message());
    CHECK(w.source->fetches == 1);
}
