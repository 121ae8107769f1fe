// Taking from a process that lives what it holds.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <dynalease/detail/braced.hpp>
#include <dynalease/detail/initiate.hpp>
#include <dynalease/dynamodb/database.hpp>

#include <boost/asio/awaitable.hpp>

#include <string>
#include <utility>

#pragma GCC visibility push(default)
namespace dynalease {

struct revoke_session_options {
    detail::braced<std::string> table;    ///< the coordination table
    detail::braced<std::string> session;  ///< its id, as `inspect` and `list_locks` show whoever holds something
    /// Who does it, for the log of the session's process; 1 to 256 bytes of UTF-8: a name, a ticket number.
    detail::braced<std::string> by;
};

namespace detail {
struct revoke_session_verb {
    database target;
    revoke_session_options options;
    void operator()(diagnostics* details, handler_for<bool> handler) &&;
};
}  // namespace detail

/// Ends the session of a process that lives, and hangs, or will not let go: for an operator, who cannot or would not
/// kill it. No heartbeat of it is taken any more. With the next one, after 2.5 s by default, that process learns of it:
/// all that it holds and waits for under the session is lost, as at any loss (`errc::session_lost`, the log says by
/// whom), and its work is cancelled; then, unless `begins_anew` is off, it may ask anew in another life. Whoever wants
/// what it held, that process too, has it a lease after he has noticed, as that of a dead process, and no sooner: at no
/// time do two hold it, and cancelled work has as long to end. As long as nobody wants it `inspect` shows it as held,
/// as after a crash.
///
/// @returns whether the session lived; where an answer was lost, whether it lived or `by` had revoked it before.
/// Neither that it has learnt of it, nor that all is free, has been waited for. Idempotent. Works on a process of any
/// version of the library; of an older one without this verb it is the deadline, at the end of the lease, that tells.
///
/// Errors: `errc::invalid_option` for a plain session's id, which has no row, and for the limits above;
/// `errc::invalid_name`; `errc::validation` for a table that is no coordination table; `errc::unsupported_version`,
/// `errc::corrupt_row`; `errc::in_doubt` if the answer stays away: call it again. Cancellation: all types; what was
/// sent is in doubt. Cost: 1 write.
boost::asio::awaitable<bool> revoke_session(database target, revoke_session_options options);
template <class... Tail>
    requires verb_tail<bool, Tail...>
auto revoke_session(database target, revoke_session_options options, Tail&&... tail) {
    auto where = target.get_executor();
    return detail::initiate<bool>(where, detail::revoke_session_verb{std::move(target), std::move(options)},
                                  std::forward<Tail>(tail)...);
}

}  // namespace dynalease
#pragma GCC visibility pop
