// Looks at other sessions, and marks those dead that stood still for their whole lease.
// SPDX-License-Identifier: BSL-1.0
#include "session/failure_detector.hpp"

#include "database/protocol/reply.hpp"
#include "session/protocol/session_requests.hpp"
#include "session/protocol/session_words.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/deferred.hpp>

#include <chrono>
#include <utility>

namespace dynalease::detail {

/// Among those who see a look between its attempts, while it lives.
class failure_detector::watching {
public:
    watching(record& about, attempt_watch* watch) : in_(about.watched_by), position_(in_.end()) {
        if (watch) position_ = in_.insert(in_.end(), watch);
    }
    ~watching() {
        if (position_ != in_.end()) in_.erase(position_);
    }
    watching(const watching&) = delete;
    watching& operator=(const watching&) = delete;

private:
    std::list<attempt_watch*>& in_;
    std::list<attempt_watch*>::iterator position_;
};

failure_detector::failure_detector(database target, protocol::session_view& by)
    : database_(std::move(target)), by_(by) {}

const protocol::session_watch& failure_detector::watch(std::string_view id) {
    return find(id)->watch;
}

const protocol::session_watch* failure_detector::known(const std::string& id) const {
    const auto found = records_.find(id);
    return found == records_.end() ? nullptr : &found->second->watch;
}

std::shared_ptr<failure_detector::record> failure_detector::find(std::string_view id) {
    std::string key(id);
    if (const auto known = records_.find(key); known != records_.end()) {
        by_age_.splice(by_age_.end(), by_age_, known->second->age);
        return known->second;
    }
    if (records_.size() >= capacity) {
        records_.erase(by_age_.front());
        by_age_.pop_front();
    }
    auto made = std::make_shared<record>(database_.get_executor());
    made->age = by_age_.insert(by_age_.end(), key);
    records_.emplace(std::move(key), made);
    return made;
}

void failure_detector::record::failed(const failure& why) {
    for (auto* each : watched_by) each->failed(why);
}

/// It is sent again for whoever wants that.
bool failure_detector::record::goes_on() {
    bool wanted = watched_by.empty();
    for (auto* each : watched_by) {
        const bool by_him = each->goes_on();
        wanted = wanted || by_him;
    }
    return wanted;
}

boost::asio::awaitable<std::optional<failure>> failure_detector::look(std::string id, attempt_watch* watch) {
    auto about = find(id);
    const watching in_it(*about, watch);
    if (about->looking) {
        auto told = co_await about->done.async_wait(boost::asio::as_tuple(boost::asio::deferred));
        co_return std::get<1>(std::move(told));
    }
    about->looking = true;
    auto why = co_await look_once(std::move(id), about);
    about->looking = false;
    while (about->done.complete_one(std::optional<failure>(why))) {
    }
    co_return why;
}

boost::asio::awaitable<std::optional<failure>> failure_detector::look_once(std::string id,
                                                                           std::shared_ptr<record> about) {
    auto request = protocol::look_at_session(by_.table(), id);
    const call_options watched{.watch = about.get()};
    auto seen = co_await database_.call(std::move(request), watched);
    if (!seen) co_return std::move(seen).error();

    std::optional<protocol::session_row> row;
    if (seen->found) {
        auto parsed = protocol::parse_session_row(*seen->found);
        if (!parsed) co_return std::move(parsed).error();
        row = *std::move(parsed);
    }
    about->watch.sight(row, by_.now());
    if (const auto still = about->watch.due_for_mark(by_.now())) co_await mark(std::move(id), about, *still);
    co_return std::nullopt;
}

boost::asio::awaitable<void> failure_detector::mark(std::string id, std::shared_ptr<record> about, std::int64_t beat) {
    auto request = protocol::mark_session_dead(by_.table(), id, beat, by_.id(), by_.wall());
    const call_options watched{.watch = about.get()};
    auto marked = co_await database_.call(std::move(request), watched);
    if (marked) {
        ++by_.counters().marked_dead;
        about->watch.mark_over();
        tell_mark(id, about->watch);
        co_return;
    }
    // Without an answer the next look tells; it may show our own mark.
    if (classify(marked.error()) != answer::refused) co_return;
    const auto& current = marked.error().current;
    if (!current) {
        about->watch.sight(std::nullopt, by_.now());
    } else if (auto row = protocol::parse_session_row(*current)) {
        about->watch.sight(*row, by_.now());
    }
}

void failure_detector::tell_mark(const std::string& id, const protocol::session_watch& about) const {
    const auto lease = std::chrono::floor<std::chrono::milliseconds>(about.lease()).count();
    by_.log(severity::info, protocol::words_of_session(id, &about) +
                                " is dead, and was marked so: no heartbeat of it " +
                                "was seen for its whole lease of " + std::to_string(lease) + " ms");
}

}  // namespace dynalease::detail
