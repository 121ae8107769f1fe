// Every verb ends as its caller likes: with nothing, with a completion token, or with diagnostics and a token; and
// where all its options have defaults, they may be left out in each of these. It is compiled, and never runs.
// SPDX-License-Identifier: BSL-1.0
#include "support/every_verb.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/deferred.hpp>
#include <boost/asio/use_future.hpp>

#include <string>
#include <vector>

namespace dynalease {

namespace asio = boost::asio;

struct any_handler {
    template <class... Results>
    void operator()(Results&&...) const {}
};

/// @param verb passes its arguments on behind those of a verb.
template <class Verb>
void ends_as_callers_like(Verb verb) {
    diagnostics details;
    static_cast<void>(verb());
    verb(any_handler{});
    verb(details, any_handler{});
    static_cast<void>(verb(asio::deferred));
    static_cast<void>(verb(details, asio::deferred));
    static_cast<void>(verb(details, asio::as_tuple(asio::deferred)));
    static_cast<void>(verb(asio::use_future));
}

void all_end_as_callers_like(session& lease, database store, lock_guard& guard, queue_turn& turn, item_guard& kept,
                             wall_clock_guard& timed, lock by_name, queue line, item_lock of_item,
                             wall_clock_lock by_clock, versioned<item> table, loaded<item> base, item_revision revision,
                             pending_write<item> write, pending_joint_write joint, pages<scan_request> found) {
    const auto like = [](const char*, const std::string&, auto verb) { ends_as_callers_like(verb); };
    const update_expression change;
    tests::of_sessions(like, lease, store);
    tests::of_locks(like, by_name, guard, store);
    tests::of_queues(like, line, turn, {line});
    tests::of_item_locks(like, of_item, {item_demand{of_item}}, [] { return std::vector<item_commit>(); });
    tests::of_item_guards(like, kept, change, {});
    tests::of_wall_clock_locks(like, by_clock, timed, change);
    tests::of_versioned_items(like, table, base, revision, change);
    tests::of_transactions(like, transactions(store), table);
    tests::of_writes_in_doubt(like, write, joint, store);
    tests::of_databases(like, store, found);
}

}  // namespace dynalease
