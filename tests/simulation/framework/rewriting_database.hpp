// Stands between the library and the network of one process, and changes what passes.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "simulation/framework/purpose.hpp"

#include <dynalease/dynamodb/database.hpp>

#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <utility>

namespace dynalease::simulation {

/// Passes everything on; a mutant overrides what it breaks. It lives as long as its process, so that it may remember.
class rewriting_database : public database_backend {
public:
    explicit rewriting_database(std::shared_ptr<database_backend> network);
    ~rewriting_database() override;

    const dynalease::environment& environment() const noexcept override { return network_->environment(); }
    wall_time wall() const noexcept override { return network_->wall(); }
    boost::asio::awaitable<result<any_response>> perform(any_request request, call_options options) override;

protected:
    const std::shared_ptr<database_backend>& network() const noexcept { return network_; }
    /// Before it leaves.
    virtual void change_request(any_request&, purpose) {}
    /// When it comes back: `sent` as it left.
    virtual void change_answer(result<any_response>&, const any_request& /*sent*/, purpose) {}

private:
    std::shared_ptr<database_backend> network_;
};

/// For the table of mutants.
template <class Rewriting>
std::shared_ptr<database_backend> wrap(std::shared_ptr<database_backend> network) {
    return std::make_shared<Rewriting>(std::move(network));
}

/// A mutant that only edits texts needs no memory, and no class of its own.
using request_edit = void (*)(any_request& request, purpose meaning, const environment& world);
template <request_edit Change>
std::shared_ptr<database_backend> editing(std::shared_ptr<database_backend> network) {
    struct editor final : rewriting_database {
        using rewriting_database::rewriting_database;
        void change_request(any_request& request, purpose meaning) override { Change(request, meaning, environment()); }
    };
    return wrap<editor>(std::move(network));
}

/// What rewriting databases and the decisions in the library's place tell each other. Of one world: it is cleared when
/// the last process of a world has gone, so that no world depends on the one before it.
struct notes {
    time_point look_sent{};                        ///< of the look at a session whose answer is being handled
    std::int64_t highest_token = 0;                ///< that any process of the world ever chose
    std::string handed_over{};                     ///< session and attempt of the grant that was handed over last
    std::set<std::int64_t> nothing_before{};       ///< places in queues before which no row was seen
    time_point later_life_seen{};                  ///< of a session, when it was valid last
    time_point claim_answered{};                   ///< of the claim by the wall clock that is being handled
    time_point last_draw_sent{};                   ///< of the request for a ticket
    std::chrono::nanoseconds claim_begins_late{};  ///< by how much the claim of a ticket is counted from too late
    std::set<std::pair<std::string, std::int64_t>>
        turns_dropped{};  ///< head and ticket: their guards went before a leave
};
notes& notes_of_this_world();

}  // namespace dynalease::simulation
