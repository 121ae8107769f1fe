// What a process sees of a queue: the requests for its rows, each answer taken in at once.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "database/protocol/reply.hpp"
#include "queue/drawn_tickets.hpp"
#include "queue/protocol/head_sights.hpp"
#include "queue/protocol/known_places.hpp"
#include "queue/protocol/queue_decisions.hpp"
#include "queue/protocol/queue_requests.hpp"
#include "queue/protocol/queue_times.hpp"
#include "queue/queue_hold.hpp"
#include "runtime/waiter_list.hpp"
#include "session/protocol/outage.hpp"
#include "session/session_impl.hpp"
#include "session/watched_call.hpp"

#include <boost/asio/awaitable.hpp>

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

namespace dynalease::detail {

class queue_view {
public:
    /// Who is told when the head is not as it was.
    class watcher {
    public:
        virtual void seen(const protocol::head_sights::news& what) = 0;

    protected:
        ~watcher() = default;
    };

    /// @param ours the tickets of this process
    queue_view(session_impl& core, protocol::queue_name queue, const drawn_tickets& ours, watcher& told);

    const protocol::queue_name& queue() const noexcept { return queue_; }
    protocol::queue_requests requests() const;
    /// When TTL may delete the head of a queue that nobody uses.
    std::int64_t idle_expiry() const { return protocol::idle_head_expiry(core_.wall(), head_->tail); }

    // ---- requests ----
    /// One answer about the head row.
    struct head_answer {
        answer kind = answer::delayed;
        std::optional<protocol::queue_head> head{};
        shared_failure why{};
        bool doubtful = false;    ///< refused after a copy without an answer, which may be the very reason
        std::uint64_t sight = 0;  ///< as of which of `sights` it tells
    };
    boost::asio::awaitable<head_answer> look();
    boost::asio::awaitable<head_answer> send(update_item_request request);
    boost::asio::awaitable<head_answer> send(update_item_request request, watched_call& watch);
    /// One answer about a ticket's row.
    struct row_answer {
        answer kind = answer::delayed;
        std::optional<protocol::ticket_row> found{};  ///< what a refusal showed
        shared_failure why{};
    };
    boost::asio::awaitable<row_answer> put(put_item_request request, call_options options = {});
    /// The rows of the tickets in [first, last] of one page, but those that count for nothing (`drop_covered`), and
    /// whether there may be more.
    struct page {
        std::vector<protocol::seen_ticket> rows{};
        bool more = false;
        shared_failure why{};
    };
    boost::asio::awaitable<page> read_ahead(std::int64_t first, std::int64_t last,
                                            std::int32_t rows = protocol::page_of_rows);
    /// Between two of them, after so many have failed.
    boost::asio::awaitable<void> pause(unsigned failures);
    /// That, and looks, until the head is seen or `goes_on` says no: while nothing was answered the table may have gone
    /// back, and a number have become another's; what is to be sent again does not say whose it is.
    boost::asio::awaitable<void> look_after(unsigned& failures, std::function<bool()> goes_on);

    // ---- requests of others, about several queues ----
    /// One leaves.
    void asked_jointly() {
        ++joint_requests_;
        service_.asked();
    }
    /// ... and has ended that was sent then. @param why null: it was answered
    void heard(dynalease::time_point sent, const shared_failure& why) { service_.heard(sent, why); }
    /// What it showed of the head. @param asked `head().count()` when it was sent
    void sight(const std::optional<protocol::queue_head>& head, std::uint64_t asked);
    /// How it made the head: computed, not seen. It counts as far as it shows more than is known.
    void made(const protocol::queue_head& head);
    /// How many were sent about the queue, theirs among them.
    unsigned requests_made() const noexcept { return service_.requests(); }
    unsigned joint_requests_made() const noexcept { return joint_requests_; }

    // ---- what is seen ----
    protocol::head_sights& head() noexcept { return head_; }
    const protocol::head_sights& head() const noexcept { return head_; }
    /// The head, if it was seen within the last second.
    const protocol::queue_head* fresh_head() const;
    protocol::known_places& places() noexcept { return places_; }
    const protocol::known_places& places() const noexcept { return places_; }
    /// The row before all others; null: it was not seen.
    const protocol::ticket_row* foremost() const noexcept;
    /// Ends when that was seen, or is not found out.
    runtime::waiter_list<runtime::unit>& foremost_news() noexcept { return foremost_news_; }
    protocol::owner_is owner_of(const protocol::ticket_row& row) const;
    /// Its number was issued by the queue as it is: it was neither restored since nor made anew.
    bool counts(const drawn_ticket& ticket) const noexcept { return ticket.drawn_at >= head_.began(); }
    /// Whether the service answers.
    protocol::outage& service() noexcept { return service_; }
    const protocol::outage& service() const noexcept { return service_; }

private:
    head_answer read_head(answer kind, const item* shown, std::uint64_t asked);
    head_answer read_head_failure(failure why, std::uint64_t asked);
    void tell(const protocol::head_sights::news& what);

    session_impl& core_;
    const protocol::queue_name queue_;
    const drawn_tickets& ours_;
    watcher& told_;
    protocol::head_sights head_;
    protocol::known_places places_;
    protocol::ticket_row foremost_;
    runtime::waiter_list<runtime::unit> foremost_news_;
    protocol::outage service_;
    unsigned joint_requests_ = 0;
};

}  // namespace dynalease::detail
