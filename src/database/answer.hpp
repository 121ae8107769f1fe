// How the answer to one write is to be taken.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <dynalease/dynamodb/failure.hpp>

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

}  // namespace dynalease::detail
