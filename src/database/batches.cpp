// Batches: a line of pieces of work, taken from the front, and what is left over joins its end.
// SPDX-License-Identifier: BSL-1.0
#include <dynalease/dynamodb/batches.hpp>

#include "database/called_verb.hpp"
#include "runtime/alarm.hpp"
#include "runtime/cancellation.hpp"

#include <algorithm>
#include <deque>

namespace dynalease {

namespace {

using boost::asio::awaitable;

/// Puts and deletes.
class write_work {
public:
    using request = batch_write_item_request;

    explicit write_work(std::map<std::string, std::vector<batch_write>> writes) { add(std::move(writes)); }

    std::size_t left() const noexcept { return line_.size(); }

    request next() {
        constexpr std::size_t most = 25;
        request out;
        for (std::size_t i = 0; i < most && !line_.empty(); ++i) {
            out.tables[line_.front().first].push_back(std::move(line_.front().second));
            line_.pop_front();
        }
        return out;
    }

    /// What was left over joins the line.
    void take(batch_write_item_response answer, batch_write_all_response&) { add(std::move(answer.unprocessed)); }

private:
    void add(std::map<std::string, std::vector<batch_write>> writes) {
        for (auto& [table, list] : writes) {
            for (auto& write : list) line_.emplace_back(table, std::move(write));
        }
    }

    std::deque<std::pair<std::string, batch_write>> line_;
};

/// Keys, each read as its table's options say.
class get_work {
public:
    using request = batch_get_item_request;

    explicit get_work(std::map<std::string, keys_and_options> wanted) {
        for (auto& [table, part] : wanted) {
            for (auto& key : part.keys) line_.emplace_back(table, std::move(key));
            part.keys.clear();
        }
        how_ = std::move(wanted);
    }

    std::size_t left() const noexcept { return line_.size(); }

    request next() {
        constexpr std::size_t most = 100;
        request out;
        for (std::size_t i = 0; i < most && !line_.empty(); ++i) {
            const auto& table = line_.front().first;
            const auto [part, added] = out.tables.try_emplace(table);
            if (added) part->second = how_.at(table);
            part->second.keys.push_back(std::move(line_.front().second));
            line_.pop_front();
        }
        return out;
    }

    void take(batch_get_item_response answer, batch_get_all_response& into) {
        for (auto& [table, found] : answer.items) {
            auto& all = into.items[table];
            std::move(found.begin(), found.end(), std::back_inserter(all));
        }
        for (auto& [table, part] : answer.unprocessed) {
            for (auto& key : part.keys) line_.emplace_back(table, std::move(key));
            part.keys.clear();
            how_.try_emplace(table, std::move(part));  // the service may call a table by another name than we did
        }
    }

private:
    std::deque<std::pair<std::string, item_key>> line_;
    std::map<std::string, keys_and_options> how_;
};

failure too_late(std::size_t left) {
    failure why(errc::throttled);
    why.details.message = std::to_string(left) + " items of the batch are left at the deadline";
    why.details.advice = "slow down, allow more time in batch_options::timeout, or raise the table's capacity";
    return why;
}

template <class Work, class Response>
awaitable<runtime::completion<Response>> work_through(database target, Work work, batch_options options,
                                                      diagnostics* details) {
    const auto& world = target.environment();
    const auto begun = world.clock->now();
    const auto deadline = begun + std::min(options.timeout, time_point::max() - begun);
    constexpr clock::duration shortest_pause = std::chrono::milliseconds(50);
    constexpr clock::duration longest_pause = std::chrono::seconds(2);
    auto pause = shortest_pause;
    runtime::completion<Response> done;
    while (work.left() != 0) {
        if (world.clock->now() >= deadline) {
            done.code = detail::report(too_late(work.left()), details);
            co_return done;
        }
        const auto all = work.left();
        auto request = work.next();
        const auto others = work.left();
        request.report_capacity = options.report_capacity;
        auto answer = co_await target.call(std::move(request), options.call);
        if (!answer) {
            done.code = detail::report(answer.error(), details);
            co_return done;
        }
        ++done.value.requests;
        for (const auto& part : answer->consumed) done.value.consumed[part.table_name] += part.capacity_units;
        work.take(*std::move(answer), done.value);
        const auto left_over = work.left() - others;
        if (left_over < all - others) pause = shortest_pause;  // something was taken
        if (left_over == 0) continue;
        const auto wait = std::chrono::duration_cast<clock::duration>(pause * world.random->unit());
        pause = std::min(pause * 2, longest_pause);
        if (world.clock->now() + wait >= deadline) {
            done.code = detail::report(too_late(work.left()), details);
            co_return done;
        }
        runtime::alarm alarm(world);
        co_await alarm.wait_until(world.clock->now() + wait);
        const bool cancelled = co_await runtime::cancellation_requested();
        if (cancelled) {
            done.code = errc::cancelled;
            co_return done;
        }
    }
    co_return done;
}

}  // namespace

void detail::batch_write_all_verb::operator()(diagnostics* details, handler_for<batch_write_all_response> handler) && {
    const auto executor = target.get_executor();
    start_verb<batch_write_all_response>(executor, {details, "batch_write_all"},
                                         work_through<write_work, batch_write_all_response>(
                                             std::move(target), write_work(std::move(writes)), options, details),
                                         std::move(handler));
}

void detail::batch_get_all_verb::operator()(diagnostics* details, handler_for<batch_get_all_response> handler) && {
    const auto executor = target.get_executor();
    start_verb<batch_get_all_response>(executor, {details, "batch_get_all"},
                                       work_through<get_work, batch_get_all_response>(
                                           std::move(target), get_work(std::move(wanted)), options, details),
                                       std::move(handler));
}

boost::asio::awaitable<batch_write_all_response> batch_write_all(database target,
                                                                 std::map<std::string, std::vector<batch_write>> writes,
                                                                 batch_options options) {
    const auto where = target.get_executor();
    return detail::await_verb<batch_write_all_response>(
        where, detail::batch_write_all_verb{std::move(target), std::move(writes), options});
}

boost::asio::awaitable<batch_get_all_response> batch_get_all(database target,
                                                             std::map<std::string, keys_and_options> wanted,
                                                             batch_options options) {
    const auto where = target.get_executor();
    return detail::await_verb<batch_get_all_response>(
        where, detail::batch_get_all_verb{std::move(target), std::move(wanted), options});
}

}  // namespace dynalease
