// Random histories of one session and one watcher whose clocks run at different rates: never over while believed live.
// SPDX-License-Identifier: BSL-1.0
#include "support/row_world.hpp"

#include "session/protocol/beat_ledger.hpp"
#include "session/protocol/session_lease.hpp"
#include "session/protocol/session_requests.hpp"
#include "session/protocol/session_watch.hpp"

#include <catch2/catch.hpp>

#include <functional>
#include <map>
#include <random>

namespace dynalease::protocol::test {

namespace {

using namespace std::chrono_literals;
using change = std::function<void(update_item_request&)>;

struct session_rules {
    change beat = [](update_item_request&) {};
    change mark = [](update_item_request&) {};
    bool from_send = true;          ///< the deadline counts from before the send
    bool from_receipt = true;       ///< a sight counts from after the answer
    bool new_beat_restarts = true;  ///< a new beat starts the watcher's lease again
    bool margin = true;
};

/// Time is the true one; the session's clock is slow by the bound, the watcher's is fast by it.
class session_walk {
public:
    session_walk(const session_rules& rules, std::uint64_t seed) : rules_(rules), random_(seed), lease_(times()) {}

    std::string run() {
        REQUIRE(world_.applies(create_session(table, "a", 1s, "host", "c", {})));
        lease_.open();
        lease_.acknowledge(slow(), slow());
        at(0ms, [this] { beat(); });
        at(0ms, [this] { look(); });
        while (!events_.empty() && wrong_.empty() && now_ < 60s) {
            auto next = events_.extract(events_.begin());
            now_ = next.key();
            next.mapped()();
        }
        return wrong_;
    }
    unsigned marks = 0;

private:
    lease_times times() const {
        auto result = lease_times_for(1s, 0ms, drift);
        if (!rules_.margin) result.hold = result.lease;
        return result;
    }
    static constexpr std::uint32_t drift = 100'000;
    time_point slow() const { return time_point(now_ * 9 / 10); }
    time_point fast() const { return time_point(now_ * 11 / 10); }

    void at(std::chrono::nanoseconds wait, std::function<void()> what) {
        events_.emplace(now_ + wait, std::move(what));
    }
    /// Mostly quick, sometimes as long as a lease and more.
    std::chrono::nanoseconds delay() {
        const auto longest = random_() % 3 == 0 ? 1'500'000'000u : 20'000'000u;
        return std::chrono::nanoseconds(random_() % longest);
    }
    bool over() {
        const auto row = world_.find(session_key("a"));
        return !row || !parse_session_row(*row).value().alive;
    }
    void check() {
        if (over() && lease_.live_at(slow())) wrong_ = "the session is over but believes itself live";
        if (was_over_ && !over()) wrong_ = "a session that was over came back";
        was_over_ = was_over_ || over();
    }

    void apply(const update_item_request& request, const std::function<void(bool)>& then) {
        const bool applied = world_.applies(request);
        check();
        then(applied);
    }

    void beat() {
        if (!lease_.live_at(slow()) && random_() % 2 == 0) return;
        const auto sending = beats_.next(slow());
        auto request = beat_session(table, "a", sending.number, {});
        rules_.beat(request);
        const auto sent = slow();
        const auto send = [this, request, sent](bool awaited) {
            at(delay(), [this, request, sent, awaited] {
                apply(request, [this, sent, awaited](bool applied) {
                    if (!applied || !awaited) return;
                    at(delay(), [this, sent] { lease_.acknowledge(rules_.from_send ? sent : slow(), slow()); });
                });
            });
        };
        send(true);
        if (random_() % 3 == 0) send(false);  // the network's own copy
        at(std::chrono::nanoseconds(random_() % 600'000'000), [this] { beat(); });
    }

    void look() {
        if (watch_.over()) return;
        const auto sent = fast();
        at(delay(), [this, sent] {
            const auto found = world_.find(session_key("a"));
            auto seen = found ? std::optional(parse_session_row(*found).value()) : std::nullopt;
            at(delay(), [this, sent, seen]() mutable {
                auto named = seen ? seen->beat : 0;
                if (seen && !rules_.new_beat_restarts) seen->beat = 1;
                watch_.sight(seen, rules_.from_receipt ? fast() : sent);
                if (watch_.due_for_mark(fast())) mark(named);
                at(std::chrono::nanoseconds(random_() % 300'000'000), [this] { look(); });
            });
        });
    }

    void mark(std::int64_t beat) {
        auto request = mark_session_dead(table, "a", beat, "b", wall_time{});
        rules_.mark(request);
        for (unsigned copies = 1 + static_cast<unsigned>(random_() % 2); copies > 0; --copies) {
            at(delay(), [this, request] { apply(request, [this](bool applied) { marks += applied; }); });
        }
    }

    session_rules rules_;
    std::mt19937_64 random_;
    row_world world_;
    std::chrono::nanoseconds now_{};
    std::multimap<std::chrono::nanoseconds, std::function<void()>> events_;
    session_lease lease_;
    beat_ledger beats_;
    session_watch watch_;
    bool was_over_ = false;
    std::string wrong_;
};

change stripping(std::string clause) {
    return [clause = std::move(clause)](update_item_request& request) { strip(request, clause); };
}

template <class T>
session_rules with(T session_rules::* rule, T value) {
    session_rules rules;
    rules.*rule = std::move(value);
    return rules;
}

}  // namespace

TEST_CASE("random histories of a session: never over while it believes itself live") {
    unsigned marks = 0;
    for (std::uint64_t seed = 0; seed < 300; ++seed) {
        session_walk walk({}, seed);
        INFO("seed " << seed);
        REQUIRE(walk.run() == "");
        marks += walk.marks;
    }
    CHECK(marks > 30);
}

TEST_CASE("random histories of a session find each rule that is left out", "[mistakes]") {
    struct mutant {
        const char* name;
        session_rules rules;
    };
    const mutant mutants[] = {
        {"the deadline counts from the answer", with(&session_rules::from_send, false)},
        {"a sight counts from the send of the look", with(&session_rules::from_receipt, false)},
        {"a new beat does not start the lease again", with(&session_rules::new_beat_restarts, false)},
        {"no margin for drift", with(&session_rules::margin, false)},
        {"a beat does not test its number", with(&session_rules::beat, stripping(" AND #beat < :n"))},
        {"a mark does not test the beat", with(&session_rules::mark, stripping(" AND #beat = :seen"))},
    };
    for (const auto& each : mutants) {
        std::string wrong;
        for (std::uint64_t seed = 0; seed < 3000 && wrong.empty(); ++seed) wrong = session_walk(each.rules, seed).run();
        INFO(each.name);
        CHECK(wrong != "");
    }
}

}  // namespace dynalease::protocol::test
