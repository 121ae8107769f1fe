// Writers of one versioned item, over a network that delays, doubles and loses their requests.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "versioned/protocol/version_decisions.hpp"
#include "versioned/protocol/version_requests.hpp"

#include <dynalease/local/engine.hpp>

#include <cstdint>
#include <functional>
#include <optional>
#include <random>
#include <string>
#include <variant>
#include <vector>

namespace dynalease::protocol::test {

enum class write_kind { create, save, remove, blind };

/// What a mutant does otherwise.
struct version_rules {
    /// The verdict on a refusal.
    std::function<verdict(write_kind, bool over_tombstone, const refusal&)> decide;
    std::function<void(std::string& condition, std::string& update, attribute_values& values, write_kind,
                       const item_version& base)>
        change = [](std::string&, std::string&, attribute_values&, write_kind, const item_version&) {};
    bool one_stamp_per_writer = false;
    bool stamp_per_copy = false;
    bool late_creates = false;      ///< although removals erase
    bool short_tombstones = false;  ///< TTL removes them while requests are on their way
};

struct walk_setting {
    bool tombstones = false;
    bool starts_with_item = true;
    unsigned foreign_writes = 0;
};

/// One random history; @returns of `run`: what went wrong, empty if nothing did.
class version_walk {
public:
    version_walk(const version_rules& rules, const walk_setting& setting, std::uint64_t seed);

    std::string run(unsigned steps);

    unsigned applied = 0;
    unsigned resolved = 0;    ///< successes that only the stamps told
    unsigned conflicts = 0;  ///< refusals after a lost answer that the stamps proved
    unsigned doubts = 0;

private:
    enum class status { pending, yes, no, doubt };
    using any_write = std::variant<put_item_request, update_item_request, delete_item_request>;
    struct intent {
        std::size_t writer;
        write_kind kind;
        bool over_tombstone = false;
        checked_write write{};
        std::uint64_t serial = 0;  ///< of the state it was made from
        any_write request{};
        unsigned sends = 0;
        bool unanswered = false;
        unsigned applied = 0;
        status end = status::pending;
    };
    struct copy {
        std::size_t of;
        any_write request;
        item_stamp stamp;
        bool awaited;
    };

    bool chance(unsigned one_in) { return random_() % one_in == 0; }
    item_stamp new_stamp(std::size_t writer);
    void build(intent& what);
    void start();
    void send(std::size_t index);
    void deliver(std::size_t place);
    void time_out();
    void judge(std::size_t index, const std::optional<item>& current);
    void end(std::size_t index, status how);
    void expire_tombstone();
    void write_as_foreigner();
    std::optional<item> look();
    bool pending(std::size_t writer) const;
    bool quiet() const;

    version_rules rules_;
    walk_setting setting_;
    std::mt19937_64 random_;
    local::engine store_;
    local::engine::time now_{std::chrono::sys_days{std::chrono::year{2026} / 3 / 1}};
    item_layout layout_{.table = "books", .key = "isbn"};
    item_key key_{{"isbn", "1"}};
    std::vector<intent> intents_;
    std::vector<copy> flight_;
    std::uint64_t serial_ = 1;  ///< of the state that stands there
    std::uint64_t next_serial_ = 2;
    unsigned foreign_left_ = 0;
    std::string wrong_;
};

}  // namespace dynalease::protocol::test
