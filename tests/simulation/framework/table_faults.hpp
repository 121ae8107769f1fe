// What befalls a table itself: rows are lost, an old backup comes back, a newer program writes its own schema version.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "simulation/framework/nemesis.hpp"
#include "simulation/framework/played_world.hpp"

#include <dynalease/dynamodb/item.hpp>

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace dynalease::simulation {

class table_faults {
public:
    explicit table_faults(played_world& where) : where_(where) {}

    /// Empties or restores the table, or deletes the row of that key, in an outage of everything. What is restored is
    /// the table as it was at the loss before. @param told when it has happened
    void lose_rows(nemesis_fault kind, item_key key, std::function<void()> told);
    /// For five seconds the row is of another schema version. @param told of each change
    void change_version(const item_key& key, const std::function<void()>& told);
    /// An operator revokes a session that lives. @returns its id; empty: none lives
    std::string revoke_a_session();

private:
    bool set_version(const item_key& key, std::int64_t version);

    played_world& where_;
    std::vector<item> backup_;
};

}  // namespace dynalease::simulation
