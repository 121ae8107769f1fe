// The two error categories, and the words for each error: what happened, and what to do about it.
// SPDX-License-Identifier: BSL-1.0
#include <dynalease/error.hpp>

#include <boost/system/errc.hpp>

#include <algorithm>
#include <utility>

namespace dynalease {

namespace {

struct meaning {
    const char* name;
    dynalease::condition condition;
    const char* text;
};

meaning meaning_of(errc code) noexcept {
    using enum condition;
    switch (code) {
        case errc::wait_timeout:
            return {"wait_timeout", contended, "the wait ended before it was ours; try again later, or wait longer"};
        case errc::condition_failed:
            return {"condition_failed", conflict,
                    "a condition was not met and nothing was written; read again and decide"};
        case errc::transaction_canceled:
            return {"transaction_canceled", conflict,
                    "the transaction was refused as a whole and nothing was written; see its reasons"};
        case errc::transaction_conflict:
            return {"transaction_conflict", contended, "another transaction is at work on the same item; try again"};
        case errc::idempotency_mismatch:
            return {"idempotency_mismatch", misconfigured,
                    "the client request token was used for another request; use each for one only"};

        case errc::conflict:
            return {"conflict", condition::conflict,
                    "the item is no longer as it was loaded and nothing was written; decide again from what is there"};
        case errc::exists:
            return {"exists", condition::conflict,
                    "an item of that key is there already and nothing was written; load it"};
        case errc::missing:
            return {"missing", condition::conflict,
                    "there is no item of that key and nothing was written; create it first, unless it was to be gone"};
        case errc::locked:
            return {"locked", contended, "another holds the item and nothing was written; try again later"};

        case errc::session_lost:
            return {"session_lost", lost,
                    "the session was lost, and all its locks with it; stop the protected work, and acquire again"};
        case errc::session_closed:
            return {"session_closed", lost, "the session was closed, and its guards ended with it; open another"};
        case errc::lock_lost:
            return {"lock_lost", lost, "the lock is no longer held by this guard; stop the protected work"};
        case errc::not_held:
            return {"not_held", lost, "nothing is held; acquire the lock or the item, or enter the queue, first"};

        case errc::not_exclusive:
            return {"not_exclusive", misconfigured,
                    "a reader's guard writes nothing; release it and acquire the item exclusively"};

        case errc::already_committed:
            return {"already_committed", condition::conflict,
                    "a transaction of this id has committed before, and nothing was done again"};
        case errc::transaction_over:
            return {"transaction_over", misconfigured, "the transaction takes nothing more; begin another"};
        case errc::updated_blindly:
            return {"updated_blindly", misconfigured,
                    "what an update by an expression leaves is not known before the commit; read the item before it"};

        case errc::in_doubt:
            return {"in_doubt", condition::in_doubt,
                    "a write was sent, and no answer tells what became of it: it may have happened, or may happen "
                    "yet; read before deciding"};
        case errc::cancelled:
            return {"cancelled", condition::cancelled, "cancelled by the caller"};
        case errc::throttled:
            return {"throttled", condition::throttled,
                    "too many requests; slow down, or raise the capacity of the table"};

        case errc::access_denied:
            return {"access_denied", denied, "the credentials do not permit this; extend the IAM policy"};
        case errc::invalid_signature:
            return {"invalid_signature", denied,
                    "the signature was refused; check the secret key, the region and the system clock"};
        case errc::unknown_access_key:
            return {"unknown_access_key", denied,
                    "the access key or session token is not known; check the credentials and the endpoint"};
        case errc::expired_credentials:
            return {"expired_credentials", denied, "the credentials have expired; get new ones"};
        case errc::no_credentials:
            return {"no_credentials", denied,
                    "no credentials were found; set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, a profile, or "
                    "pass them in the options"};
        case errc::table_not_found:
            return {"table_not_found", misconfigured,
                    "the table does not exist; check its name, the region and the endpoint, or create it"};
        case errc::table_in_use:
            return {"table_in_use", conflict, "the table exists already or is being changed; wait until it is active"};
        case errc::validation:
            return {"validation", misconfigured, "the request is malformed; see the message for what to correct"};
        case errc::limit_exceeded:
            return {"limit_exceeded", condition::throttled,
                    "a limit of the account or service was reached; wait, or have it raised"};
        case errc::not_supported:
            return {"not_supported", misconfigured, "the endpoint does not know this operation; check the endpoint"};

        case errc::invalid_option:
            return {"invalid_option", misconfigured, "an option is out of its range; see the message for which"};
        case errc::invalid_name:
            return {"invalid_name", misconfigured,
                    "a name is empty, too long or malformed; see the message for its limits"};
        case errc::item_too_large:
            return {"item_too_large", misconfigured,
                    "an item or request exceeds what the service takes; make it smaller"};
        case errc::bad_attribute:
            return {"bad_attribute", misconfigured,
                    "an attribute is absent, of another type, or does not fit; see the message for which"};
        case errc::bad_version:
            return {"bad_version", misconfigured,
                    "the version attribute of the item is no integer, and the item is left alone; mend it"};
        case errc::version_overflow:
            return {"version_overflow", misconfigured,
                    "the version of the item is as high as it may get; raise version_limit"};
        case errc::reserved_name:
            return {"reserved_name", misconfigured, "an attribute name belongs to the library; give yours another"};
        case errc::duplicate_item:
            return {"duplicate_item", misconfigured, "an item stands twice in one call; name each once"};
        case errc::too_many_items:
            return {"too_many_items", misconfigured, "more items than one call takes; use several calls"};
        case errc::too_many_members:
            return {"too_many_members", misconfigured, "more attributes than one update takes; save fewer at a time"};
        case errc::unsupported_version:
            return {"unsupported_version", misconfigured,
                    "the row was written by a newer version of the library and is left alone; upgrade"};
        case errc::corrupt_row:
            return {"corrupt_row", misconfigured,
                    "the row lacks what every such row has; check that nothing else writes to the table"};

        case errc::unreachable:
            return {"unreachable", condition::unreachable,
                    "the service could not be reached on any address; check the endpoint and the network"};
        case errc::tls_failed:
            return {"tls_failed", condition::unreachable,
                    "the TLS handshake failed; check the endpoint, its certificate and the "
                    "trusted authorities"};
        case errc::timeout:
            return {"timeout", condition::unreachable, "no answer in time, and nothing was written; try again"};
        case errc::server_error:
            return {"server_error", condition::unreachable, "the service failed or closed the connection; try again"};
        case errc::bad_response:
            return {"bad_response", condition::unreachable,
                    "the answer is not one of DynamoDB; check the endpoint and what stands before it"};
        case errc::shut_down:
            return {"shut_down", condition::cancelled, "the client was closed"};
    }
    return {"unknown", condition{}, "unknown error"};
}

/// The generic condition that says the same; none: zero.
boost::system::error_condition generic_meaning_of(errc code) noexcept {
    switch (code) {
        case errc::cancelled:
        case errc::shut_down:
            return make_error_condition(boost::system::errc::operation_canceled);
        case errc::wait_timeout:
        case errc::timeout:
            return make_error_condition(boost::system::errc::timed_out);
        default:
            return {};
    }
}

struct naming {
    const char* name;
    const char* text;
};

naming words_of(condition value) noexcept {
    switch (value) {
        case condition::contended:
            return {"contended", "held by another; try again later"};
        case condition::conflict:
            return {"conflict", "the data changed underneath; reload and decide again"};
        case condition::lost:
            return {"lost", "no longer held; stop the protected work"};
        case condition::throttled:
            return {"throttled", "too many requests; slow down"};
        case condition::in_doubt:
            return {"in_doubt", "it may have happened; read before deciding"};
        case condition::cancelled:
            return {"cancelled", "cancelled"};
        case condition::denied:
            return {"denied", "the credentials do not permit it"};
        case condition::misconfigured:
            return {"misconfigured", "an option, name, table or endpoint is wrong"};
        case condition::unreachable:
            return {"unreachable", "the service cannot be reached"};
    }
    return {"unknown", "unknown condition"};
}

// Boost's category has a protected destructor on purpose: instances are never destroyed through it.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wnon-virtual-dtor"

class library_category final : public boost::system::error_category {
public:
    const char* name() const noexcept override { return "dynalease"; }
    std::string message(int value) const override { return meaning_of(static_cast<errc>(value)).text; }
    boost::system::error_condition default_error_condition(int value) const noexcept override {
        const auto condition = meaning_of(static_cast<errc>(value)).condition;
        if (condition == dynalease::condition{}) return {value, *this};
        return make_error_condition(condition);
    }
    /// Also as whoever knows nothing of the library asks, of any asynchronous operation.
    bool equivalent(int value, const boost::system::error_condition& asked) const noexcept override {
        const auto generic = generic_meaning_of(static_cast<errc>(value));
        return default_error_condition(value) == asked || (generic.failed() && generic == asked);
    }
};

class library_condition_category final : public boost::system::error_category {
public:
    const char* name() const noexcept override { return "dynalease.condition"; }
    std::string message(int value) const override { return words_of(static_cast<condition>(value)).text; }
    /// Asio's own errors know nothing of our conditions, so the conditions must know them.
    bool equivalent(const error_code& code, int value) const noexcept override {
        return code.failed() && condition_of(code) == static_cast<condition>(value);
    }
};

#pragma GCC diagnostic pop

}  // namespace

const boost::system::error_category& error_category() noexcept {
    static const library_category instance;
    return instance;
}

const boost::system::error_category& condition_category() noexcept {
    static const library_condition_category instance;
    return instance;
}

error_code make_error_code(errc code) noexcept {
    return {static_cast<int>(code), error_category()};
}

boost::system::error_condition make_error_condition(condition value) noexcept {
    return {static_cast<int>(value), condition_category()};
}

condition condition_of(const error_code& code) noexcept {
    if (!code.failed()) return {};
    if (code.category() == error_category()) return meaning_of(static_cast<errc>(code.value())).condition;
    // What Asio calls operation_aborted.
    if (code == boost::system::errc::operation_canceled) return condition::cancelled;
    return {};
}

std::string diagnostics::to_string() const {
    std::string out;
    const auto append = [&out](std::string_view label, std::string_view value) {
        if (value.empty()) return;
        if (!out.empty()) out += ", ";
        out += label;
        out += value;
    };
    append("", operation);
    append("table ", table);
    append("key ", key);
    append("request ", request_id);
    if (attempts != 0) append("attempts ", std::to_string(attempts));
    for (const auto& sentence : {message, advice}) {
        if (sentence.empty()) continue;
        if (!out.empty()) out += ": ";
        out += sentence;
    }
    // Keys and the service's words may hold line ends, and must not pass for lines of their own.
    std::ranges::replace_if(out, [](char c) { return static_cast<unsigned char>(c) < ' ' || c == 127; }, ' ');
    return out;
}

std::string_view to_string(errc code) noexcept {
    return meaning_of(code).name;
}

std::string_view to_string(condition value) noexcept {
    return value == condition{} ? "none" : words_of(value).name;
}

namespace {

/// What the code's own words add: no advice where better is known.
std::string_view added_to(const diagnostics& details, std::string_view words) {
    if (words == details.message) return {};
    const auto advice = words.find(';');
    if (advice == words.npos) return words;
    const bool to_the_message = words.substr(advice).starts_with("; see the message");
    const bool known = !details.advice.empty() || (to_the_message && !details.message.empty());
    return known ? words.substr(0, advice) : words;
}

std::string text_of(const error_code& code, const diagnostics& details) {
    auto text = details.to_string();
    if (!code.failed()) return text;
    const bool ours = code.category() == error_category();
    const auto words = code.message();
    if (const auto added = added_to(details, words); !added.empty()) {
        if (!text.empty()) text += ": ";
        text += added;
    }
    const auto name = ours ? std::string(to_string(static_cast<errc>(code.value()))) : code.to_string();
    return text + " [" + name + "]";
}

}  // namespace

error::error(error_code code, dynalease::diagnostics details)
    : system_error(code), text_(text_of(code, details)), details_(std::move(details)) {}

}  // namespace dynalease
