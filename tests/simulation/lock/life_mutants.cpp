// Known mistakes about the end of a life of a session: if it did not end with its lease, or before the work under it.
// SPDX-License-Identifier: BSL-1.0
#include "simulation/framework/request_text.hpp"
#include "simulation/lock/request_edits.hpp"
#include "simulation/lock/stand_ins.hpp"

#include "session/hold.hpp"
#include "session/session_impl.hpp"

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace dynalease::simulation::locks {

namespace {

namespace asio = boost::asio;

std::string session_of(const any_request& creation) {
    return find_string(std::get<put_item_request>(creation).new_item, "pk")->substr(session_prefix.size());
}

void rename(attribute_value& value, const std::string& from, const std::string& to) {
    const auto* text = value.get_if<std::string>();
    if (text != nullptr && *text == from) value = to;
    if (text != nullptr && *text == std::string(session_prefix) + from) value = std::string(session_prefix) + to;
    if (const auto* list = value.get_if<attribute_list>()) {
        auto changed = *list;
        for (auto& each : changed) rename(each, from, to);
        value = std::move(changed);
    }
}

/// The next life goes on under the identity of the first.
struct life_keeps_id final : rewriting_database {
    using rewriting_database::rewriting_database;
    void change_request(any_request& request, purpose meaning) override;

private:
    std::string first_;
    std::string later_;
};

void life_keeps_id::change_request(any_request& request, purpose meaning) {
    if (meaning == purpose::create_session) {
        (first_.empty() ? first_ : later_) = session_of(request);
        if (!later_.empty()) std::get<put_item_request>(request).condition_expression.clear();
    }
    if (later_.empty()) return;
    const auto rename_all = [&](auto& attributes) {
        for (auto& [name, value] : attributes) rename(value, later_, first_);
    };
    if (auto* put = std::get_if<put_item_request>(&request)) {
        rename_all(put->new_item);
        put->names.clear();
    }
    if (auto* update = std::get_if<update_item_request>(&request)) {
        rename_all(update->key);
        rename_all(update->values);
    }
}

/// What the former life wanted of a lock is asked for once more when the next has begun.
struct life_claim_goes_on final : rewriting_database {
    using rewriting_database::rewriting_database;
    boost::asio::awaitable<result<any_response>> perform(any_request request, call_options options) override;

private:
    std::string session_;
    std::optional<update_item_request> claim_;
};

asio::awaitable<result<any_response>> life_claim_goes_on::perform(any_request request, call_options options) {
    const auto meaning = purpose_of(request);
    const bool begins = meaning == purpose::create_session;
    if (meaning == purpose::take || meaning == purpose::join) claim_ = std::get<update_item_request>(request);
    const bool goes_on = begins && claim_ && session_of(request) != session_;
    if (begins) session_ = session_of(request);
    auto answer = co_await network()->perform(std::move(request), options);
    if (goes_on) {
        any_request again = *std::exchange(claim_, std::nullopt);
        co_await network()->perform(std::move(again), options);
    }
    co_return answer;
}

const contribution life_mutants{{
    .name = "lock",
    .mutants =
        {
            {.name = "LIFE_KEEPS_ID",
             .rule = "the next life of a session has an identity of its own, and no place of the former [session]",
             .wrap = wrap<life_keeps_id>},
            {.name = "LIFE_CLAIM_GOES_ON",
             .rule = "what a life asked for ends with it [session]",
             .wrap = wrap<life_claim_goes_on>},
            {.name = "LIFE_GUARD_RETURNS",
             .rule = "guards of a former life stay lost [session]",
             .wrap = wrap<rewriting_database>,
             .scenario = "a-second-life"},
            {.name = "CLOSE_UNDER_WORK",
             .rule = "a session that closes gives nothing back before the work under it has ended [session: closing]",
             .scenario = "closing-under-work"},
        },
}};

}  // namespace

// ---- its guards --------------------------------------------------------------------------------------------

bool mutated::hold_in_use(const detail::hold& self) {
    return !active("CLOSE_UNDER_WORK") && real::hold_in_use(self);
}

bool mutated::hold_lose(detail::hold& self, std::string_view why) {
    return active("LIFE_GUARD_RETURNS") || real::hold_lose(self, why);
}

bool mutated::hold_held(const detail::hold& self) {
    if (!active("LIFE_GUARD_RETURNS")) return real::hold_held(self);
    const bool held = real::hold_held(self);
    auto& later = notes_of_this_world().later_life_seen;
    const auto now = self.core()->now();
    if (held && self.core()->number() > 1) later = now;
    return held || (self.kept() && now - later < std::chrono::seconds(1));
}

}  // namespace dynalease::simulation::locks
