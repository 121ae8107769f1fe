// How the answer to a request is to be taken, and what it showed.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <dynalease/dynamodb/failure.hpp>
#include <dynalease/runtime/time.hpp>

#include <memory>
#include <utility>

namespace dynalease::detail {

enum class answer {
    applied,     ///< acknowledged
    refused,     ///< the condition was false; the failure brings the row
    unanswered,  ///< it may have happened, or may yet
    delayed,     ///< surely not applied, for a reason that passes: throttled, conflict, no connection
    rejected,    ///< surely not applied, and asking again would not help
};

/// Whether it is known what became of the write, and what stands there now.
constexpr bool was_answered(answer kind) noexcept {
    return kind == answer::applied || kind == answer::refused;
}

inline answer classify(const failure& why) {
    if (why.code == errc::condition_failed) return answer::refused;
    if (why.outcome == outcome::unknown) return answer::unanswered;
    const auto kind = condition_of(why.code);
    const bool passes = kind == condition::throttled || kind == condition::unreachable ||
                        why.code == errc::transaction_conflict || why.code == errc::server_error;
    return passes ? answer::delayed : answer::rejected;
}

/// The service calls a request malformed that would make an item too large.
inline void name_size(failure& why) {
    if (why.code == errc::validation && why.details.message.starts_with("Item size")) why.code = errc::item_too_large;
}

/// Why nobody was served; null: others have it.
using shared_failure = std::shared_ptr<const failure>;

/// Null where there is an answer.
template <class Response>
shared_failure why_not(const result<Response>& answer) {
    return answer ? nullptr : std::make_shared<const failure>(answer.error());
}

/// What a caller is told whose write is without an answer. @param about what is known of it
inline failure in_doubt(diagnostics about) {
    failure doubt(errc::in_doubt, outcome::unknown);
    doubt.details = std::move(about);
    return doubt;
}

/// ... who fails of `why` meanwhile.
inline shared_failure told_in_doubt(const shared_failure& why) {
    return std::make_shared<const failure>(in_doubt(why ? why->details : diagnostics{}));
}

/// What a caller is told who came after the write that fails of `why`: of the caller no write went without an answer.
inline shared_failure told_newcomer(const shared_failure& why) {
    if (why->outcome != outcome::unknown) return why;
    failure unheard(errc::timeout);
    unheard.details = why->details;
    return std::make_shared<const failure>(std::move(unheard));
}

/// A failure as it is told to one of those whom it concerns.
inline shared_failure after_requests(failure why, unsigned requests) {
    why.details.attempts = requests;
    return std::make_shared<const failure>(std::move(why));
}

/// The answer to one request about a row, and the row it showed.
template <class Row>
struct reply {
    answer kind = answer::delayed;
    Row row{};
    shared_failure why{};
    bool doubtful = false;  ///< refused after a copy without an answer, which may be the very reason
    time_point sent_at{};   ///< when it was asked for
};

/// @param parse makes a `result<Row>` of an item, or of a null pointer where there is none
template <class Row>
reply<Row> read_row(answer kind, const item* shown, result<Row> (*parse)(const item*)) {
    auto row = parse(shown);
    if (row) return {.kind = kind, .row = *std::move(row)};
    return {.kind = answer::rejected, .why = std::make_shared<const failure>(std::move(row).error())};
}

template <class Row>
reply<Row> read_failure(failure why, result<Row> (*parse)(const item*)) {
    const auto kind = classify(why);
    if (kind != answer::refused) return {.kind = kind, .why = std::make_shared<const failure>(std::move(why))};
    auto seen = read_row(kind, why.current ? &*why.current : nullptr, parse);
    seen.doubtful = why.outcome == outcome::unknown;
    return seen;
}

}  // namespace dynalease::detail
