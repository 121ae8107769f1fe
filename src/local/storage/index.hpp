// A secondary index: the items that have its key, in its order, with the attributes it projects.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "local/storage/key.hpp"

#include <dynalease/dynamodb/operations.hpp>

#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>

namespace dynalease::local {

struct row;

/// An index may hold many items of one key; the table's own key tells them apart, and scatters them whole.
struct index_key {
    /// @param table the item's key in its table.
    index_key(row_key index, row_key table);

    row_key at;   ///< by the index's key
    row_key row;  ///< by the table's

    friend auto operator<=>(const index_key&, const index_key&) = default;
};

/// An item before and after a write, as all indexes of its table look at it: what several of them ask is looked up
/// once.
class item_change {
public:
    /// @param before null if there is none, as `after`
    /// @param size of all that is there afterwards
    item_change(const item* before, const item* after, std::size_t size)
        : before_(before), after_(after), size_(size) {}

    const item* before() const noexcept { return before_; }
    const item* after() const noexcept { return after_; }
    std::size_t size() const noexcept { return size_; }
    /// Of one attribute afterwards, with its name; 0 without it.
    std::size_t size(const std::string& name);
    bool is_same();
    bool is_same(const std::string& name);

private:
    const item* before_;
    const item* after_;
    std::size_t size_;
    std::optional<bool> same_{};
    std::map<std::string_view, std::size_t> sizes_{};
    std::map<std::string_view, bool> same_parts_{};
};

struct index_entry {
    const row* held;
    std::size_t size;  ///< of what is projected
};

class table_index {
public:
    using entries = std::map<index_key, index_entry>;

    table_index(secondary_index definition, const key_schema& table_key, bool is_global);

    const secondary_index& definition() const noexcept { return definition_; }
    const std::string& name() const noexcept { return definition_.name; }
    const key_schema& key() const noexcept { return definition_.key; }
    bool is_global() const noexcept { return is_global_; }
    void set_throughput(std::optional<throughput> provisioned) { definition_.provisioned = provisioned; }

    const entries& all() const noexcept { return entries_; }
    index_description describe() const;

    /// Refuses an item whose value for a key of the index is of another type, empty or too long. One that lacks a
    /// value is simply not in the index.
    void check(const item& whole) const;
    /// Takes in a row that has the index's key.
    void add(const row_key& where, const row& held);

    /// The two halves of a change: what may fail for want of memory, and what cannot.
    entries::node_type entry_of(const row_key& where, const row& held, item_change& of) const;
    entries::iterator find(const row_key& where, const row& held);
    void insert(entries::node_type entry) noexcept;
    void erase(entries::iterator entry) noexcept;

    bool projects(std::string_view attribute) const;
    bool projects_all() const noexcept { return definition_.projected == projection::all; }
    item projected(const item& whole) const;

    /// What a change of the item at `where` costs in this index. Before it is carried out.
    double write_units(const row_key& where, item_change& of) const;

private:
    std::optional<row_key> place(const item& whole) const;
    std::size_t size_afterwards(item_change& of) const;
    bool is_same_part(item_change& of) const;

    secondary_index definition_;
    bool is_global_;
    std::set<std::string, std::less<>> projected_;
    entries entries_;
    std::size_t bytes_ = 0;  ///< projected, of all entries
};

}  // namespace dynalease::local
