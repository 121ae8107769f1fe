// Client request tokens of transactions: a repeat within ten minutes is answered and not applied again.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "local/storage/fingerprint.hpp"

#include <chrono>
#include <deque>
#include <string>
#include <unordered_map>

namespace dynalease::local {

class token_memory {
public:
    using time = std::chrono::sys_time<std::chrono::milliseconds>;
    static constexpr std::chrono::minutes lifetime{10};

    struct entry {
        fingerprint request;
        time done;
    };

    /// Whether the token was used for this very request. Refuses it if it was used for another one, and while the
    /// first is still at work.
    bool was_done(const std::string& token, const fingerprint& request, time now);

    /// The transaction took effect.
    /// @param done when it is answered.
    void remember(const std::string& token, const fingerprint& request, time done);

    /// Null when it is not known.
    const entry* find(const std::string& token) const;

private:
    void forget(time now);

    std::unordered_map<std::string, entry> entries_;
    std::deque<std::pair<time, std::string>> by_age_;
};

}  // namespace dynalease::local
