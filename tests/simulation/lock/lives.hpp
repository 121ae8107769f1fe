// Mutants of what passes from one life of a session to the next: nothing should.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "simulation/framework/rewriting_database.hpp"

#include <optional>
#include <string>

namespace dynalease::simulation::locks {

/// The next life goes on under the identity of the first.
struct life_keeps_id final : rewriting_database {
    using rewriting_database::rewriting_database;
    void change_request(any_request& request, purpose meaning) override;

private:
    std::string first_;
    std::string later_;
};

/// What the former life wanted of a lock is asked for once more when the next has begun.
struct life_claim_goes_on final : rewriting_database {
    using rewriting_database::rewriting_database;
    boost::asio::awaitable<result<any_response>> perform(any_request request, call_options options) override;

private:
    std::string session_;
    std::optional<update_item_request> claim_;
};

/// For the decisions that let guards of a former life count again.
struct life_guard_returns final : rewriting_database {
    using rewriting_database::rewriting_database;
};

}  // namespace dynalease::simulation::locks
