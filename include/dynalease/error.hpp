// Errors of the whole library: codes, the conditions to branch on, and what is known about a failure.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <dynalease/named.hpp>

#include <boost/system/error_code.hpp>
#include <boost/system/error_condition.hpp>
#include <boost/system/system_error.hpp>

#include <iosfwd>
#include <string>
#include <string_view>
#include <type_traits>

#pragma GCC visibility push(default)
namespace dynalease {

using boost::system::error_code;

/// What went wrong, exactly. Branch on `condition` unless the exact cause matters.
///
/// Why a wait for a lock, a turn or an item has ended with nothing, once its time was over (`wait`). The first row that
/// is true is told; where a request has failed, with the diagnostics of the last:
///
/// | what was so then | code | equals |
/// | --- | --- | --- |
/// | a write that asks for it had no answer, and may still be applied | `in_doubt` | `in_doubt` |
/// | the session was closed, or lost for good | `session_closed`, `session_lost` | `lost` |
/// | the session was still being opened | of the last request; before it `timeout` | as that |
/// | another caller of this process held it | `wait_timeout` | `contended`, `timed_out` |
/// | nothing was answered since the call, or for a second | of the last request; before it `timeout` | as that |
/// | all else: others held it, or came before | `wait_timeout` | `contended`, `timed_out` |
///
/// "Of the last request" is `unreachable`, `timeout`, `server_error` and the like, all of which equal `unreachable`; or
/// `throttled`, which equals that. It is told whoever was seen to hold it before, and the message names who that was.
/// So `contended` is told of what the service has answered, and `unreachable` while nobody can know.
enum class errc {
    // The answer of a healthy system.
    wait_timeout = 1,      ///< the wait ended first: others held it
    condition_failed,      ///< the condition of a write was false; nothing was written
    transaction_canceled,  ///< a transaction was refused as a whole; the reasons are in the failure
    transaction_conflict,  ///< another transaction was at work on the same item
    idempotency_mismatch,  ///< a client request token came back with another request

    // The application's own items.
    conflict,  ///< the item is no longer as it was loaded; nothing was written
    exists,    ///< an item of that key is there already
    missing,   ///< there is no item of that key
    locked,    ///< a lock or a transaction of another holds the item

    // Leases.
    session_lost,    ///< the session's lease ran out or another process marked it dead
    session_closed,  ///< the session was closed by its owner
    lock_lost,       ///< the lock row no longer names this guard
    not_held,        ///< the guard is empty, or was released or left before
    not_exclusive,   ///< a reader's guard writes nothing

    // Transactions.
    already_committed,  ///< a transaction of this id has committed before; nothing was done again
    transaction_over,   ///< it was committed, or its commit has failed: it takes no more
    updated_blindly,    ///< what a transaction updates by an expression it cannot read before the commit, nor have made

    // Unfinished business.
    in_doubt,  ///< a write was sent and its answer never came: it may have happened, or may yet
    /// The caller cancelled: nothing was done, and nothing will be. But `session::close` goes on in the background (as
    /// do `release` and `leave`, which say `in_doubt`), and what batches and `create_table` have done by then stays.
    cancelled,
    throttled,  ///< the service asked to slow down, or the retry quota is used up

    // Refused by the service for who we are or what we asked.
    access_denied,        ///< the credentials are valid but may not do this
    invalid_signature,    ///< wrong secret key, or a clock that no correction could mend
    unknown_access_key,   ///< the access key or its session token is not known
    expired_credentials,  ///< temporary credentials past their end
    no_credentials,       ///< no source of credentials gave any
    table_not_found,      ///< the table does not exist in this region or at this endpoint
    table_in_use,         ///< the table exists already, or is being changed
    validation,           ///< the service refused the request as malformed
    limit_exceeded,       ///< an account or request limit of the service
    not_supported,        ///< the endpoint does not know this operation

    // Refused here, before anything was sent.
    invalid_option,       ///< an option outside its range; the diagnostics name it
    invalid_name,         ///< a lock, table or attribute name that is empty, too long, no UTF-8 or malformed
    item_too_large,       ///< beyond 400 KB, or another size the service would refuse
    bad_attribute,        ///< an attribute is absent, of another type, or does not fit; the diagnostics name it
    bad_version,          ///< the version attribute of an item is no integer; it is left untouched
    version_overflow,     ///< the version is as high as it may get
    reserved_name,        ///< an attribute name that belongs to the library
    duplicate_item,       ///< the same item twice in one call
    too_many_items,       ///< more items than one call takes
    too_many_members,     ///< more attributes than one update takes
    unsupported_version,  ///< a row written by a newer schema; it is left untouched
    corrupt_row,          ///< a row of ours that lacks what every row has

    // The way to the service.
    unreachable,   ///< name resolution, connection or TLS failed on every address
    tls_failed,    ///< the server's certificate was refused, or the handshake broke
    timeout,       ///< no answer within the deadline of the call, and nothing was written
    server_error,  ///< 5xx, or a connection cut before the answer
    bad_response,  ///< an answer that is not DynamoDB's: HTML, truncated, wrong checksum
    shut_down,     ///< the client was closed
};

/// What a caller can do about it: compare an `error_code` with these. What was cancelled equals the generic
/// `operation_canceled`, too, and what took too long (`errc::wait_timeout`, `errc::timeout`) `timed_out`.
enum class condition {
    contended = 1,  ///< somebody else holds it: try again later
    conflict,       ///< the data changed underneath: reload and decide again
    lost,           ///< no longer ours: stop the protected work
    throttled,      ///< slow down
    in_doubt,       ///< may have happened: read before deciding
    cancelled,      ///< the caller's own wish
    denied,         ///< credentials or permissions: for an operator
    misconfigured,  ///< options, names, tables, an endpoint that is no URL: for a developer
    unreachable,    ///< network or service: try again, or alarm
};

const boost::system::error_category& error_category() noexcept;
const boost::system::error_category& condition_category() noexcept;

error_code make_error_code(errc code) noexcept;
boost::system::error_condition make_error_condition(condition value) noexcept;
/// As it is written in this header: "wait_timeout".
std::string_view to_string(errc code) noexcept;
/// The same, "contended"; "none" of `condition{}`.
std::string_view to_string(condition value) noexcept;

/// The condition an error belongs to; also maps Asio's `operation_aborted` to `cancelled`.
/// @returns `condition{}` (zero) for success and for errors from elsewhere.
condition condition_of(const error_code& code) noexcept;

/// What is known about a failure beside its code. Holds no secret of the client's, and nothing of your items; of a lock
/// that others hold, what they put in its row (`acquire_options::data`). Of every verb that fails it says
/// which verb, and of what; of one that succeeds, nothing.
struct diagnostics {
    std::string operation;  ///< "lock.acquire", with the request of it that failed: "lock.acquire (UpdateItem)"
    std::string table;      ///< the table, if one was named
    /// A lock's or queue's name, an item's key (of two values in the order of their names), a session's owner, a
    /// transaction's id; of several, which is at fault.
    std::string key;
    std::string request_id;  ///< the service's id of the last attempt
    std::string message;     ///< the service's own words, or ours
    std::string advice;      ///< what to do about it, when that is known
    /// Requests that were sent, or tried: where nobody could be connected, or there were no keys, too. Of a verb that
    /// waits for a lock, a turn or an item: those of this process for that since the call, for whichever of its
    /// callers, but perhaps without looks at the sessions of others. Of any other: the copies of the request that
    /// failed; 0 where none did: of what an item showed, or what was refused here.
    unsigned attempts = 0;

    /// One line for a log: all fields that are set.
    std::string to_string() const;
};

/// That line.
template <class Traits>
std::basic_ostream<char, Traits>& operator<<(std::basic_ostream<char, Traits>& out, const diagnostics& details) {
    return out << details.to_string();
}

/// What a verb throws when it is awaited without a token.
class error : public boost::system::system_error {
public:
    error(error_code code, dynalease::diagnostics details);

    /// The diagnostics, what the code means, and its name: one line for a log.
    const char* what() const noexcept override { return text_.c_str(); }
    /// The condition of `code()`.
    dynalease::condition condition() const noexcept { return condition_of(code()); }
    const dynalease::diagnostics& diagnostics() const noexcept { return details_; }

private:
    std::string text_;
    dynalease::diagnostics details_;
};

}  // namespace dynalease
#pragma GCC visibility pop

template <>
struct boost::system::is_error_code_enum<dynalease::errc> : std::true_type {};
template <>
struct boost::system::is_error_condition_enum<dynalease::condition> : std::true_type {};
