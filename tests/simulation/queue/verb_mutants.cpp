// What callers do, done otherwise: `mutated::f` stands in for a verb of the library, which is `real::f`.
// SPDX-License-Identifier: BSL-1.0
#include "queue/queue_hold.hpp"
#include "queue/queue_impl.hpp"
#include "simulation/framework/mutant.hpp"
#include "simulation/framework/rewriting_database.hpp"
#include "simulation/queue/request_edits.hpp"
#include "simulation/queue/stand_ins.hpp"

#include <dynalease/queue.hpp>

#include <boost/asio/associated_cancellation_slot.hpp>
#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>

#include <cstddef>
#include <deque>
#include <memory>
#include <utility>
#include <vector>

namespace dynalease::simulation::queues {

namespace asio = boost::asio;
using all_turns = std::vector<queue_turn>;

// ---- several queues, entered one by one ------------------------------------------------------------------------

namespace {

/// Each draws a number of its own; who has its turn in one waits in the others.
class separate_entries : public std::enable_shared_from_this<separate_entries> {
public:
    explicit separate_entries(detail::handler_for<all_turns> handler) : handler_(std::move(handler)) {}

    void begin(const std::vector<queue>& queues, const enter_options& options) {
        turns_.resize(queues.size());
        cancels_.resize(queues.size());
        open_ = queues.size();
        if (auto slot = asio::get_associated_cancellation_slot(handler_); slot.is_connected()) {
            slot.assign([weak = weak_from_this()](asio::cancellation_type type) {
                if (const auto self = weak.lock()) self->cancel(type);
            });
        }
        for (std::size_t i = 0; i < queues.size(); ++i) {
            auto ended = [self = shared_from_this(), i](error_code code, queue_turn got) {
                self->end(i, code, std::move(got));
            };
            queues[i].enter(options, asio::bind_cancellation_slot(cancels_[i].slot(), std::move(ended)));
        }
    }

private:
    void cancel(asio::cancellation_type type) {
        for (auto& each : cancels_) each.emit(type);
    }
    void end(std::size_t index, error_code code, queue_turn got) {
        turns_[index] = std::move(got);
        if (code && !failed_) {
            failed_ = code;
            cancel(asio::cancellation_type::terminal);
        }
        if (--open_ != 0) return;
        if (auto slot = asio::get_associated_cancellation_slot(handler_); slot.is_connected()) slot.clear();
        if (failed_) turns_.clear();
        std::move(handler_)(failed_, std::move(turns_));
    }

    detail::handler_for<all_turns> handler_;
    all_turns turns_;
    std::deque<asio::cancellation_signal> cancels_;
    std::size_t open_ = 0;
    error_code failed_;
};

}  // namespace

void mutated::enter_all_verb_call(detail::enter_all_verb& verb, diagnostics* details,
                                  detail::handler_for<all_turns> handler) {
    if (!active("SEPARATE")) return real::enter_all_verb_call(verb, details, std::move(handler));
    std::make_shared<separate_entries>(std::move(handler))->begin(verb.queues, verb.options);
}

// ---- turns that are dropped ------------------------------------------------------------------------------------

void mutated::abandon(detail::queue_hold& hold) {
    const auto state = hold.state();
    if (state == guard_state::held || state == guard_state::jeopardy) {
        const auto fence = hold.front().requests().fence(hold.mine());
        notes_of_this_world().turns_dropped.emplace(text_of_head(fence.key), hold.mine().ticket);
    }
    real::abandon(hold);
}

}  // namespace dynalease::simulation::queues
