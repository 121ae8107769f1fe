// Where the tables of an engine are kept, to outlive it.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "local/operations/database_state.hpp"

namespace dynalease::local {

class table_keeper {
public:
    table_keeper() = default;
    virtual ~table_keeper() = default;
    table_keeper(const table_keeper&) = delete;
    table_keeper& operator=(const table_keeper&) = delete;

    /// Fills the state of a new engine with what was kept.
    /// @throws std::exception, as `save` does, with words for whoever runs the engine.
    virtual void load(database_state& into) = 0;
    /// Keeps what was changed, all of it or nothing, before the request that changed it is answered.
    virtual void save(const database_state& of, const unsaved& changed) = 0;
};

}  // namespace dynalease::local
