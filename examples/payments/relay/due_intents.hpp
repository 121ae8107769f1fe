// Whose turn it is in the outbox: the intents with something due in one stage, a page at a time, round and round.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "payments/relay/outbox.hpp"

#include <dynalease/queue.hpp>
#include <dynalease/session.hpp>

#include <boost/asio/awaitable.hpp>

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace payments {

/// Those that cannot go on now (the gateway does not answer, another relay has the turn) keep their places in the
/// index. They keep nobody behind them waiting, for each page begins where the last one ended.
class due_intents {
public:
    due_intents(const outbox& where, dynalease::session& session, const char* stage)
        : outbox_(where), session_(session), stage_(stage) {}

    /// The next of them; empty at the end, and then it begins again with the longest due.
    boost::asio::awaitable<std::vector<std::string>> next(std::int32_t at_most);

    /// A queue that is found busy is kept while its intent is due: that its holder is dead shows only to who goes on
    /// looking.
    dynalease::queue& queue_of(const std::string& intent);
    /// Its turn was had.
    void forget_queue_of(const std::string& intent) { queues_.erase(intent); }

private:
    struct kept {
        dynalease::queue queue;
        bool met = true;  ///< since the first page
    };

    const outbox& outbox_;
    dynalease::session& session_;
    const char* stage_;
    dynalease::item_key last_;
    std::map<std::string, kept, std::less<>> queues_;
};

}  // namespace payments
