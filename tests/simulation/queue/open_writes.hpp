// What a process has asked the store to do, and does not know the end of: what its callers may be told depends on that.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <dynalease/dynamodb/failure.hpp>
#include <dynalease/dynamodb/item.hpp>
#include <dynalease/dynamodb/operations.hpp>
#include <dynalease/runtime/time.hpp>

#include <algorithm>
#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <tuple>

namespace dynalease::simulation::queues {

class open_writes {
public:
    enum class kind { draw, draw_together, leave };
    struct name {
        kind what = kind::draw;
        std::size_t queue = 0;
        std::string id{};  ///< the attempt, or the ticket
        friend bool operator<(const name& one, const name& other) {
            return std::tie(one.what, one.queue, one.id) < std::tie(other.what, other.queue, other.id);
        }
    };

    void sent(const name& write) {
        ++writes_[write].under_way;
        writes_[write].shown = false;
    }
    /// A look has shown that it was carried out: whoever asked for it may know, or may have looked for another reason.
    void shown(const name& write) {
        const auto found = writes_.find(write);
        if (found != writes_.end() && found->second.under_way == 0) found->second.shown = true;
    }

    void answered(const name& write, const result<any_response>& answer, time_point now) {
        const auto found = writes_.find(write);
        if (found == writes_.end()) return;
        auto& copies_sent = found->second;
        --copies_sent.under_way;
        if (!answer && answer.error().outcome == outcome::unknown) copies_sent.unanswered = true;
        const bool told = answer || refused(answer.error()) || overtaken(answer.error());
        if (!told && (copies_sent.unanswered || copies_sent.under_way > 0)) return;
        writes_.erase(found);
        last_known_ = now;
    }

    std::size_t count(kind what, std::size_t queue) const {
        return static_cast<std::size_t>(std::count_if(writes_.begin(), writes_.end(), [&](const auto& each) {
            return each.first.what == what && each.first.queue == queue && !each.second.shown;
        }));
    }
    bool any_shown(kind what, std::size_t queue) const {
        return std::any_of(writes_.begin(), writes_.end(), [&](const auto& each) {
            return each.first.what == what && each.first.queue == queue && each.second.shown;
        });
    }
    bool contains(const name& write) const { return writes_.contains(write); }
    /// When the end of one of them was last told: whoever decided in the same moment did not know it yet.
    time_point last_known() const noexcept { return last_known_; }
    void clear() { *this = {}; }

private:
    struct copies {
        unsigned under_way = 0;
        bool unanswered = false;  ///< a copy may have been applied, or may yet be
        bool shown = false;       ///< as applied
    };

    /// It shows what stands there, whatever became of earlier copies, unless that is a newer library's.
    static bool refused(const failure& why) {
        const auto version = why.current ? find_integer(*why.current, "v") : std::nullopt;
        return why.code == errc::condition_failed && (!why.current || version == 1);
    }
    static bool overtaken(const failure& why) {
        return std::any_of(why.reasons.begin(), why.reasons.end(),
                           [](const auto& reason) { return reason.code == "ConditionalCheckFailed"; });
    }

    std::map<name, copies> writes_;
    time_point last_known_{};
};

}  // namespace dynalease::simulation::queues
