// Writers of one versioned item, over a network that delays, doubles and loses their requests: the library's own
// sequences, in a process made for a test.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "support/histories.hpp"
#include "versioned/protocol/version_sequences.hpp"

#include <dynalease/local/engine.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace dynalease::protocol::test {

enum class write_kind { create, save, remove, blind };

/// What a mutant does otherwise.
struct version_rules {
    /// The verdict on a refusal; empty: the library's own.
    std::function<std::optional<verdict>(write_kind, const refusal&)> misjudges =
        [](write_kind, const refusal&) -> std::optional<verdict> { return std::nullopt; };
    std::function<void(std::string& condition, std::string& update, attribute_values& values, write_kind,
                       const item_version& base)>
        change = [](std::string&, std::string&, attribute_values&, write_kind, const item_version&) {};
    bool one_stamp_per_writer = false;
    bool stamp_per_copy = false;
    bool ignores_resends = false;   ///< of its client, within one call
    bool late_creates = false;      ///< although removals erase
    bool short_tombstones = false;  ///< TTL removes them while requests are on their way
};

/// How much may happen.
struct walk_size {
    bool tombstones = false;
    bool starts_with_item = true;
    std::size_t writers = 3;
    unsigned steps = 120;
    unsigned writes = 1000;
    unsigned faults = 1000;
    unsigned foreign_writes = 0;
};

class walking_writer;

/// One history. At its end all that is on its way arrives.
class version_walk {
public:
    version_walk(const version_rules& rules, const walk_size& size, chooser choose);
    ~version_walk();

    /// @returns what went wrong; empty if nothing did.
    std::string run();

    unsigned applied = 0;
    unsigned resolved = 0;   ///< successes that only the stamps told
    unsigned conflicts = 0;  ///< refusals after a lost answer that the stamps proved
    unsigned doubts = 0;
    unsigned closed = 0;  ///< doubts that a touch has ended

private:
    friend class walking_writer;

    enum class told { nothing, yes, no, doubt };
    /// One write, and all copies of it.
    struct record {
        write_kind kind;
        unsigned applied = 0;
        told end = told::nothing;
    };
    struct copy {
        walking_writer* by;
        std::size_t of;      ///< a record
        std::uint64_t call;  ///< of its writer: the answer is heard if that is still under way; 0: by nobody
        any_request request;
        item_stamp stamp;
        std::uint64_t from;                                      ///< the state that it was made from
        enum class effect { none, any, of_its_state } may_have;  ///< on versions
    };
    using event = std::function<void()>;
    struct events {
        std::vector<event> ordinary;
        std::vector<event> faults;
    };

    events possible();
    void add_beginnings(walking_writer& who, bool alone, events& all);
    void deliver(std::size_t place, bool keep_copy, bool lose_answer);
    void end(std::size_t of, told how);
    void expire_tombstone();
    void write_as_foreigner(bool drops);
    void come_to_rest();
    any_request as_changed(any_request request, write_kind kind, const item_version& base) const;
    bool is_punctual(write_kind kind) const;
    bool quiet() const;
    std::optional<item> look();
    std::optional<visible_item> sight();
    result<any_response> execute(any_request request);

    const version_rules& rules_;
    const walk_size size_;
    const chooser choose_;
    local::engine store_;
    local::engine::time wall_{std::chrono::sys_days{std::chrono::year{2026} / 3 / 1}};
    time_point now_{std::chrono::hours(1)};
    item_layout layout_{.table = "books", .key = "isbn"};
    item_key key_{{"isbn", "1"}};
    std::vector<std::unique_ptr<walking_writer>> writers_;
    std::vector<record> records_;
    std::vector<copy> flight_;
    std::uint64_t serial_ = 1;  ///< of the state that stands there
    std::uint64_t next_serial_ = 2;
    std::uint64_t stamps_ = 0;
    unsigned faults_ = 0;
    unsigned foreign_ = 0;
    std::string wrong_;
};

}  // namespace dynalease::protocol::test
