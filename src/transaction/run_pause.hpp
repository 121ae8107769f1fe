// Between two attempts of one run: a pause, or a turn among the runs of this process that met others at one item.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "transaction/transactions_impl.hpp"
#include "versioned/item_lines.hpp"

#include <dynalease/error.hpp>

#include <memory>
#include <string>

namespace dynalease::detail {

/// On the database's executor, where its end is brought from wherever it comes.
struct run_place {
    std::shared_ptr<transactions_impl> core;
    std::string item;
    item_lines::place in_line;
};

struct pause_verb {
    std::shared_ptr<transactions_impl> core;
    std::shared_ptr<run_place> place;
    std::string item;  ///< at which others were met; empty: it waits for nobody
    unsigned attempts;
    time_point until;  ///< no longer, whatever the pause

    void operator()(diagnostics* details, handler_for<std::shared_ptr<run_place>> handler) &&;
};

}  // namespace dynalease::detail
