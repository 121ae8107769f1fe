// Whether the sessions of other processes live: what all locks of this process know of them, in one place.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "runtime/waiter_list.hpp"
#include "session/protocol/session_view.hpp"
#include "session/protocol/session_watch.hpp"

#include <dynalease/dynamodb/database.hpp>

#include <boost/asio/awaitable.hpp>

#include <cstddef>
#include <list>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

namespace dynalease::detail {

/// Records live on between calls, so that repeated tries can take over a dead lock. No timer runs for them.
class failure_detector {
public:
    /// @param by the session that looks, by whose log others are marked dead
    failure_detector(database target, protocol::session_view& by);

    /// What is known of a session now; remembered from now on.
    const protocol::session_watch& watch(std::string_view id);
    /// Its row was closed by us.
    void note_over(std::string_view id) { find(id)->watch.mark_over(); }
    /// The same of one that is remembered already; null: it is not.
    const protocol::session_watch* known(const std::string& id) const;
    bool over(const std::string& id) const {
        const auto* about = known(id);
        return about && about->over();
    }

    /// One look at the session's row, and the mark when its beat stood still for a whole lease. Callers that come
    /// while a look is under way wait for that one: many locks of one dead session cost one mark.
    /// @param watch sees its requests between their attempts; null: it does not
    /// @returns the failure if nothing was learnt; empty otherwise.
    boost::asio::awaitable<std::optional<failure>> look(std::string id, attempt_watch* watch = nullptr);

private:
    struct record final : attempt_watch {
        explicit record(const boost::asio::any_io_executor& executor) : done(executor) {}
        void failed(const failure& why) override;
        bool goes_on() override;

        protocol::session_watch watch;
        bool looking = false;
        std::list<attempt_watch*> watched_by;  ///< while they wait
        runtime::waiter_list<std::optional<failure>> done;
        std::list<std::string>::iterator age;
    };
    class watching;
    static constexpr std::size_t capacity = 10'000;

    std::shared_ptr<record> find(std::string_view id);
    boost::asio::awaitable<std::optional<failure>> look_once(std::string id, std::shared_ptr<record> about);
    boost::asio::awaitable<void> mark(std::string id, std::shared_ptr<record> about, std::int64_t beat);
    void tell_mark(const std::string& id, const protocol::session_watch& about) const;

    database database_;
    protocol::session_view& by_;
    std::unordered_map<std::string, std::shared_ptr<record>> records_;
    std::list<std::string> by_age_;  ///< least recently used first
};

}  // namespace dynalease::detail
