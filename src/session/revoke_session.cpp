// Taking from a process that lives what it holds.
// SPDX-License-Identifier: BSL-1.0
#include <dynalease/session/revoke_session.hpp>

#include "database/argument_check.hpp"
#include "database/called_verb.hpp"
#include "database/protocol/reply.hpp"
#include "database/table_key.hpp"
#include "database/table_name.hpp"
#include "session/protocol/plain_identity.hpp"
#include "session/protocol/row.hpp"
#include "session/protocol/session_requests.hpp"

#include <optional>
#include <utility>

namespace dynalease {

namespace {

using boost::asio::awaitable;

std::optional<failure> fault_of(const revoke_session_options& options) {
    if (auto why = detail::malformed_table_name(options.table)) return why;
    const auto invalid = [](std::string message) {
        failure why(errc::invalid_option);
        why.details.message = std::move(message);
        return why;
    };
    if (options.session.empty()) return invalid("session is empty");
    if (options.session.size() > protocol::longest_session_id || !detail::is_utf8(options.session)) {
        return invalid("session is no id of a session: those have 22 characters");
    }
    if (protocol::is_plain(options.session)) {
        return invalid("a plain session has no row: its locks end with their leases, or with its process");
    }
    const bool named = !options.by.empty() && options.by.size() <= 256 && detail::is_utf8(options.by);
    return named ? std::nullopt : std::optional(invalid("by must have 1 to 256 bytes of UTF-8"));
}

awaitable<runtime::completion<bool>> revoke(database target, revoke_session_options options, diagnostics* details) {
    runtime::completion<bool> done;
    if (const auto why = fault_of(options)) {
        done.code = detail::report(*why, details);
        co_return done;
    }
    auto request = protocol::revoke_session(options.table, options.session, options.by);
    auto revoked = co_await target.call(std::move(request));
    done.value = revoked.has_value();
    if (revoked) co_return done;
    auto why = std::move(revoked).error();
    if (detail::classify(why) == detail::answer::refused) {
        if (!why.current) co_return done;
        const auto row = protocol::parse_session_row(*why.current);
        // By an earlier copy of this very request, perhaps, whose answer was lost.
        done.value = row && why.outcome == outcome::unknown && row->marked_by == std::string_view(options.by);
        if (row && !row->alive) co_return done;
        if (!row) why = row.error();
    }
    why = co_await detail::explained_by_key(std::move(target), std::move(options.table), std::move(why));
    done.code = detail::report(why, details);
    co_return done;
}

}  // namespace

void detail::revoke_session_verb::operator()(diagnostics* details, handler_for<bool> handler) && {
    const auto executor = target.get_executor();
    called_verb called{details, "revoke_session", options.session, options.table};
    start_verb<bool>(executor, std::move(called), revoke(std::move(target), std::move(options), details),
                     std::move(handler));
}

boost::asio::awaitable<bool> revoke_session(database target, revoke_session_options options) {
    auto where = target.get_executor();
    return detail::await_verb<bool>(where, detail::revoke_session_verb{std::move(target), std::move(options)});
}

}  // namespace dynalease
