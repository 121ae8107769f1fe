// What becomes of requests and answers.
// SPDX-License-Identifier: BSL-1.0
#include "simulation/lock/answer_edits.hpp"

#include "support/changed_texts.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>

#include <utility>

namespace dynalease::simulation::locks {

namespace asio = boost::asio;

namespace {

std::string partition_of(const any_request& request) {
    const auto* update = std::get_if<update_item_request>(&request);
    const auto* get = std::get_if<get_item_request>(&request);
    if (!update && !get) return {};
    return *find_string(update ? update->key : get->key, "pk");
}

asio::awaitable<void> send_alone(std::shared_ptr<database_backend> network, any_request request, call_options options) {
    co_await network->perform(std::move(request), options);
}

/// With the same condition. @returns the answer that the update would have had.
asio::awaitable<result<any_response>> delete_instead(std::shared_ptr<database_backend> network,
                                                     update_item_request update, call_options options) {
    delete_item_request removal{.table_name = update.table_name, .key = update.key};
    removal.condition_expression = update.condition_expression;
    update.update_expression.clear();
    tests::prune(update);
    removal.names = update.names;
    removal.values = update.values;
    removal.current_on_refusal = update.current_on_refusal;
    any_request request(std::move(removal));
    auto answer = co_await network->perform(std::move(request), options);
    if (!answer) co_return std::move(answer).error();
    co_return any_response(update_item_response{});
}

bool unknown(const result<any_response>& answer) {
    return !answer && answer.error().outcome == outcome::unknown;
}
bool about_a_lock(purpose meaning) {
    return meaning >= purpose::take && meaning <= purpose::leave_closed;
}

}  // namespace

asio::awaitable<result<any_response>> early_use::perform(any_request request, call_options options) {
    if (purpose_of(request) != purpose::create_session) {
        auto answer = co_await network()->perform(std::move(request), options);
        co_return answer;
    }
    asio::co_spawn(environment().executor, send_alone(network(), std::move(request), options), asio::detached);
    co_return any_response(put_item_response{});
}

asio::awaitable<result<any_response>> close_deletes::perform(any_request request, call_options options) {
    if (purpose_of(request) != purpose::close_session) {
        auto answer = co_await network()->perform(std::move(request), options);
        co_return answer;
    }
    auto update = std::get<update_item_request>(std::move(request));
    auto answer = co_await delete_instead(network(), std::move(update), options);
    co_return answer;
}

asio::awaitable<result<any_response>> release_deletes::perform(any_request request, call_options options) {
    if (purpose_of(request) != purpose::release) {
        auto answer = co_await network()->perform(std::move(request), options);
        co_return answer;
    }
    auto update = std::get<update_item_request>(std::move(request));
    auto answer = co_await delete_instead(network(), std::move(update), options);
    co_return answer;
}

void beat_sent_again::change_request(any_request& request, purpose meaning) {
    if (meaning != purpose::beat) return;
    auto& values = std::get<update_item_request>(request).values;
    asked_ = find_integer(values, ":n").value();
    if (unanswered_) values.at(":n") = *unanswered_;
}

void beat_sent_again::change_answer(result<any_response>& answer, const any_request& sent, purpose meaning) {
    if (meaning != purpose::beat) return;
    const auto number = find_integer(std::get<update_item_request>(sent).values, ":n").value();
    if (answer) {
        unanswered_.reset();
    } else if (answer.error().current) {
        auto why = answer.error();
        if (find_integer(*why.current, "beat") == number) {
            why.current->insert_or_assign("beat", asked_);
            answer = std::move(why);
        }
        unanswered_.reset();
    } else {
        unanswered_ = number;
    }
}

void answer_of_an_older_request::change_answer(result<any_response>& answer, const any_request& sent, purpose meaning) {
    if (!about_a_lock(meaning)) return;
    const auto lock = partition_of(sent);
    const auto older = refusals_.find(lock);
    if (older != refusals_.end()) {
        answer = older->second;
        refusals_.erase(older);
    } else if (!answer && answer.error().code == errc::condition_failed) {
        refusals_.emplace(lock, answer.error());
    }
}

void doubt_is_success::change_answer(result<any_response>& answer, const any_request&, purpose meaning) {
    if (about_a_lock(meaning) && unknown(answer)) answer = any_response(update_item_response{});
}

void doubt_is_failure::change_answer(result<any_response>& answer, const any_request&, purpose meaning) {
    if (about_a_lock(meaning) && unknown(answer)) answer = failure(errc::throttled, outcome::not_applied);
}

void line_not_seen::change_answer(result<any_response>& answer, const any_request&, purpose meaning) {
    if (meaning == purpose::hand_over && answer) std::get<update_item_response>(*answer).attributes.erase("line");
}

asio::awaitable<result<any_response>> look_noted::perform(any_request request, call_options options) {
    const bool looks = purpose_of(request) == purpose::look_at_session;
    const auto sent = environment().clock->now();
    auto answer = co_await network()->perform(std::move(request), options);
    // The watch is told next, before anything else happens in the world.
    if (looks) notes_of_this_world().look_sent = sent;
    co_return answer;
}

void marks_what_it_saw::change_request(any_request& request, purpose meaning) {
    if (meaning != purpose::mark_dead) return;
    const auto session = partition_of(request);
    std::get<update_item_request>(request).values.at(":seen") = beats_.at(session);
}

void marks_what_it_saw::change_answer(result<any_response>& answer, const any_request& sent, purpose meaning) {
    if (meaning != purpose::look_at_session || !answer) return;
    const auto& found = std::get<get_item_response>(*answer).found;
    if (found) beats_.insert_or_assign(partition_of(sent), find_integer(*found, "beat").value_or(0));
}

}  // namespace dynalease::simulation::locks
