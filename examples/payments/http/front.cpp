// Routes, and what comes of them.
// SPDX-License-Identifier: BSL-1.0
#include "payments/http/front.hpp"

#include "payments/domain/refused.hpp"
#include "payments/http/fingerprint.hpp"
#include "payments/http/json.hpp"
#include "payments/use_cases/charge.hpp"
#include "payments/use_cases/intents.hpp"
#include "payments/use_cases/once.hpp"
#include "payments/use_cases/settle.hpp"

#include <dynalease/error.hpp>

#include <boost/beast/http/verb.hpp>
#include <boost/describe/enum_to_string.hpp>

#include <algorithm>
#include <chrono>
#include <iostream>

namespace asio = boost::asio;

namespace payments::web {

namespace {

using http::status;
using http::verb;

status status_of(problem what) {
    switch (what) {
        case problem::invalid:
            return status::bad_request;
        case problem::not_found:
            return status::not_found;
        case problem::payload_differs:
            return status::unprocessable_entity;
        case problem::wrong_state:
        case problem::in_progress:
        case problem::busy:
        case problem::conflict:
        case problem::already_received:
            return status::conflict;
        case problem::lost:
        case problem::unknown:
            return status::service_unavailable;
    }
    return status::internal_server_error;
}

reply reply_to(const refused& why) {
    auto answer = error_reply(status_of(why.what_is_wrong()), boost::describe::enum_to_string(why.what_is_wrong(), ""),
                              why.what());
    if (!why.for_good()) answer.message.set(http::field::retry_after, "1");
    return answer;
}

/// Later may be better, or never.
reply reply_to(const dynalease::error& why) {
    using enum dynalease::condition;
    const auto met = why.condition();
    const bool passes = met == contended || met == conflict || met == throttled || met == unreachable ||
                        met == in_doubt || met == lost || met == cancelled;
    if (!passes) std::cerr << why.what() << '\n';
    auto answer = passes ? error_reply(status::service_unavailable, "unavailable", "the database did not answer well")
                         : error_reply(status::internal_server_error, "failed", "something went wrong here");
    if (passes) answer.message.set(http::field::retry_after, "1");
    return answer;
}

/// @throws refused for one that is no key.
std::string key_of(const request& asked) {
    const auto given = asked.find("Idempotency-Key");
    if (given == asked.end()) return {};
    std::string key(given->value());
    const bool plain = std::ranges::all_of(key, [](char c) { return c > ' ' && c < '\x7f'; });
    if (key.empty() || key.size() > 200 || !plain) {
        throw refused(problem::invalid, "an Idempotency-Key has 1 to 200 visible ASCII characters");
    }
    return key;
}

json_object body_of(const request& asked) {
    const auto type = asked[http::field::content_type];
    if (!type.empty() && !type.starts_with("application/json")) {
        throw refused(problem::invalid, "the body is to be application/json");
    }
    return json_object(asked.body());
}

std::string fingerprint_of(const request& asked) {
    return fingerprint(asked.method_string(), asked.target(), asked.body());
}

}  // namespace

/// Where a request goes to.
struct front::route {
    std::string name;            ///< for the metrics: a few names, whatever comes
    std::string id{};            ///< of an intent
    std::string_view allowed{};  ///< the methods of the path, where the request's is none of them
};

front::route front::route_of(const request& asked) {
    std::string_view path(asked.target().data(), asked.target().size());
    path = path.substr(0, path.find('?'));
    const auto method = asked.method();
    constexpr std::string_view intents = "/payment_intents";
    if (path == intents) return method == verb::post ? route{"create"} : route{"create", {}, "POST"};
    if (path == "/gateway/answers") return method == verb::post ? route{"answer"} : route{"answer", {}, "POST"};
    if (!path.starts_with(intents) || path[intents.size()] != '/') return {"none"};
    path.remove_prefix(intents.size() + 1);
    const auto end = path.find('/');
    std::string id(path.substr(0, end));
    const auto fits = [](char c) {
        return (c >= '0' && c <= '9') || (c | 32) >= 'a' ? (c | 32) <= 'z' || c == '_' : c == '-';
    };
    if (id.empty() || id.size() > 64 || !std::ranges::all_of(id, fits)) return {"none"};
    if (end == path.npos) {
        if (method == verb::get) return {"get", std::move(id)};
        if (method == verb::patch) return {"change", std::move(id)};
        return {"get", std::move(id), "GET, PATCH"};
    }
    if (path.substr(end) != "/charge") return {"none"};
    if (method != verb::post) return {"charge", std::move(id), "POST"};
    return {"charge", std::move(id)};
}

asio::awaitable<reply> front::handle(const request& asked) {
    const auto to = route_of(asked);
    reply answer;
    try {
        auto work = carry_out(asked, to);
        answer = co_await std::move(work);
    } catch (const refused& why) {
        ++counts_.refusals[boost::describe::enum_to_string(why.what_is_wrong(), "")];
        answer = reply_to(why);
    } catch (const dynalease::error& why) {
        ++counts_.refusals["database"];
        answer = reply_to(why);
    }
    ++counts_.answers[{to.name, static_cast<int>(answer.message.result_int())}];
    co_return answer;
}

asio::awaitable<reply> front::carry_out(const request& asked, const route& to) {
    if (!to.allowed.empty()) {
        auto wrong = error_reply(status::method_not_allowed, "method_not_allowed", "that path has other methods");
        wrong.message.set(http::field::allow, to.allowed);
        co_return wrong;
    }
    asio::awaitable<reply> work;
    if (to.name == "create") work = create(asked);
    if (to.name == "get") work = get(to.id);
    if (to.name == "change") work = change(asked, to.id);
    if (to.name == "charge") work = charge_one(asked, to.id);
    if (to.name == "answer") work = receive(asked);
    if (to.name == "none") co_return error_reply(status::not_found, "not_found", "there is no such path");
    co_return co_await std::move(work);
}

asio::awaitable<reply> front::create(const request& asked) {
    const auto body = body_of(asked);
    body.has_only({"customer", "amount", "currency"});
    new_intent wanted;
    wanted.id = with_.new_id();
    wanted.customer = body.text("customer");
    wanted.amount = body.integer("amount");
    wanted.currency = body.text("currency");
    use_case work = [&](ticket* under) { return create_intent(with_.intents, wanted, under); };
    auto doing = once(with_.requests, key_of(asked), fingerprint_of(asked), std::move(work));
    const auto made = co_await std::move(doing);
    auto answer = json_reply(status::created, to_json(made));
    answer.message.set(http::field::location, "/payment_intents/" + made.id);
    co_return answer;
}

asio::awaitable<reply> front::get(std::string id) {
    auto reading = get_intent(with_.intents, std::move(id));
    const auto found = co_await std::move(reading);
    co_return json_reply(status::ok, to_json(found));
}

asio::awaitable<reply> front::change(const request& asked, std::string id) {
    const auto body = body_of(asked);
    body.has_only({"amount"});
    const auto amount = body.integer("amount");
    use_case work = [&](ticket* under) { return change_amount(with_.intents, id, amount, under); };
    auto doing = once(with_.requests, key_of(asked), fingerprint_of(asked), std::move(work));
    const auto left = co_await std::move(doing);
    co_return json_reply(status::ok, to_json(left));
}

asio::awaitable<reply> front::charge_one(const request& asked, std::string id) {
    if (!asked.body().empty()) body_of(asked).has_only({});
    use_case work = [&](ticket* under) { return charge(with_.intents, with_.bank, id, under); };
    auto doing = once(with_.requests, key_of(asked), fingerprint_of(asked), std::move(work));
    const auto left = co_await std::move(doing);
    const bool over = left.state != intent_state::CHARGE_REQUESTED;
    co_return json_reply(over ? status::ok : status::accepted, to_json(left));
}

asio::awaitable<reply> front::receive(const request& asked) {
    const auto now = std::chrono::floor<std::chrono::seconds>(with_.clock->wall());
    if (!with_.from_gateway.signs(asked[answer_signature::field], asked.body(), now)) {
        auto stranger =
            error_reply(status::unauthorized, "not_signed", "no signature of the gateway, or none that is good");
        stranger.message.set(http::field::www_authenticate, answer_signature::field);
        co_return stranger;
    }
    auto settling = settle(with_.intents, answer_in(body_of(asked)));
    const bool made_a_difference = co_await std::move(settling);
    co_return json_reply(status::ok, made_a_difference ? R"({"settled":true})" : R"({"settled":false})");
}

}  // namespace payments::web
