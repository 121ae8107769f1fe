// What became of a write that was in doubt.
// SPDX-License-Identifier: BSL-1.0
#include "database/called_verb.hpp"
#include "database/protocol/reply.hpp"
#include "versioned/versioned_impl.hpp"

#include <utility>

namespace dynalease::detail {

resolution resolution_of(protocol::verdict meant) {
    switch (meant) {
        case protocol::verdict::applied:
        case protocol::verdict::superseded:
            return resolution::applied;
        case protocol::verdict::conflict:
        case protocol::verdict::exists:
        case protocol::verdict::missing:
            return resolution::not_applied;
        default:
            return resolution::open;
    }
}

namespace {

using boost::asio::awaitable;
using protocol::verdict;

result<resolve_report> judge_item(const write_intent& intent, std::optional<item> found) {
    auto sight = protocol::visible_in(intent.core->layout(), std::move(found));
    if (!sight) return std::move(sight).error();
    const auto meant = decide(intent, *sight ? &**sight : nullptr, false);
    return resolve_report{.verdict = resolution_of(meant), .current = stored_in(*std::move(sight))};
}

awaitable<result<resolve_report>> ask(std::shared_ptr<const write_intent> intent) {
    auto request = intent->core->requests().look(intent->key, true);
    auto read = co_await intent->core->target().call(std::move(request));
    if (!read) co_return std::move(read).error();
    co_return judge_item(*intent, std::move(read->found));
}

/// A write onto the same state takes it away from every copy that may still be on its way.
awaitable<result<resolve_report>> take_state_away(std::shared_ptr<const write_intent> intent) {
    auto write = intent->write;
    write.mine = intent->core->new_stamp();
    auto touch = intent->core->requests().save(intent->key, write, {});
    touch.returned = return_values::all_new;
    auto answer = co_await intent->core->target().call(std::move(touch));
    if (answer) {
        resolve_report report{.verdict = resolution::not_applied};
        auto sight = protocol::visible_in(intent->core->layout(), std::move(answer->attributes));
        if (sight) report.current = stored_in(*std::move(sight));
        co_return report;
    }
    auto why = std::move(answer).error();
    if (classify(why) == detail::answer::refused) co_return judge_item(*intent, std::move(why.current));
    co_return why;
}

awaitable<runtime::completion<resolve_report>> run_resolve(std::shared_ptr<const write_intent> intent, bool closes,
                                                           diagnostics* details) {
    runtime::completion<resolve_report> done;
    // Nothing can take the place of an item that is not there, or of a write that tests no state.
    const bool can_close = closes && intent->how == write_intent::test::checked;
    auto resolved = can_close ? take_state_away(intent) : ask(intent);
    auto outcome = co_await std::move(resolved);
    if (outcome) {
        done.value = *std::move(outcome);
    } else {
        done.code = report(outcome.error(), details);
    }
    co_return done;
}

}  // namespace

void resolve_verb::operator()(diagnostics* details, handler_for<resolve_report> handler) && {
    const auto executor = intent->core->world().executor;
    called_verb called{details, closes ? "pending_write.close" : "pending_write.resolve", text_of(intent->key),
                       intent->core->options().table};
    start_verb<resolve_report>(executor, std::move(called), run_resolve(std::move(intent), closes, details),
                               std::move(handler));
}

}  // namespace dynalease::detail
