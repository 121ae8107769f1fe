// The known mistakes of several items locked, or written, at once. In brackets the section of the protocol of items.
// SPDX-License-Identifier: BSL-1.0
#include "simulation/framework/primitive.hpp"
#include "simulation/framework/rewriting_database.hpp"
#include "simulation/item_lock/stand_ins.hpp"
#include "simulation/versioned/item_history.hpp"

#include "item_lock/protocol/acquire_all.hpp"

#include <dynalease/runtime/clock.hpp>

#include <numeric>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace dynalease::simulation::item_locks {

namespace protocol = dynalease::protocol;

// ---- decisions ---------------------------------------------------------------------------------------------

std::vector<std::size_t> mutated::acquiring_order(const std::vector<std::string>& names) {
    auto order = real::acquiring_order(names);
    if (active("J_UNSORTED")) std::iota(order.begin(), order.end(), std::size_t{0});
    return order;
}

// ---- requests ----------------------------------------------------------------------------------------------

namespace {

bool has_text(const std::string& text, std::string_view part) {
    return text.find(part) != std::string::npos;
}

/// The transaction, if it claims items, or ends their grants; null: it is another request.
transact_write_items_request* joint_claim_in(any_request& request) {
    auto* all = std::get_if<transact_write_items_request>(&request);
    const auto* first = all && !all->actions.empty() ? std::get_if<transact_update>(&all->actions.front()) : nullptr;
    return first && has_text(first->condition_expression, "#F < :t") ? all : nullptr;
}
transact_write_items_request* joint_commit_in(any_request& request) {
    auto* all = std::get_if<transact_write_items_request>(&request);
    return all && !joint_claim_in(request) ? all : nullptr;
}

void claim_without_floor(any_request& request, purpose, const environment&) {
    auto* all = joint_claim_in(request);
    if (!all) return;
    constexpr std::string_view above_its_floor = " AND (attribute_not_exists(#F) OR #F < :t)";
    for (auto& action : all->actions) {
        auto& condition = std::get<transact_update>(action).condition_expression;
        condition.erase(condition.find(above_its_floor), above_its_floor.size());
    }
}

void claim_with_one_token(any_request& request, purpose, const environment&) {
    if (auto* all = joint_claim_in(request)) all->client_request_token = "the same for all";
}

void commit_with_token_of_its_own(any_request& request, purpose, const environment& world) {
    if (auto* all = joint_commit_in(request)) all->client_request_token = world.new_id();
}

void commit_by_session(any_request& request, purpose, const environment&) {
    auto* all = joint_commit_in(request);
    if (!all) return;
    for (auto& action : all->actions) {
        auto* update = std::get_if<transact_update>(&action);
        if (!update) continue;
        constexpr std::string_view own_step = "#W = :k";
        auto& condition = update->condition_expression;
        condition.replace(condition.find(own_step), own_step.size(), "begins_with(#W, :k)");
        auto& text = update->values.at(":k");
        const auto writer = *text.get_if<std::string>();
        text = writer.substr(0, writer.find('.') + 1);
    }
}

void commit_without_readers(any_request& request, purpose, const environment&) {
    auto* all = joint_commit_in(request);
    if (!all) return;
    std::erase_if(all->actions, [](const auto& action) { return std::holds_alternative<condition_check>(action); });
}

/// Claims the items by one write after the other, up to the first that is refused.
class claims_one_after_the_other final : public rewriting_database {
public:
    using rewriting_database::rewriting_database;

    boost::asio::awaitable<result<any_response>> perform(any_request request, call_options options) override {
        const auto* all = joint_claim_in(request);
        if (!all) co_return co_await network()->perform(std::move(request), options);
        failure refused(errc::transaction_canceled);
        for (const auto& action : all->actions) {
            const auto& part = std::get<transact_update>(action);
            update_item_request alone{.table_name = part.table_name,
                                      .key = part.key,
                                      .update_expression = part.update_expression,
                                      .condition_expression = part.condition_expression,
                                      .names = part.names,
                                      .values = part.values,
                                      .current_on_refusal = true};
            any_request sending = std::move(alone);
            auto answered = co_await network()->perform(std::move(sending), options);
            refused.reasons.push_back({.code = "None", .message = {}, .current = {}});
            if (answered) continue;
            auto why = std::move(answered).error();
            if (why.code != errc::condition_failed) co_return why;
            refused.reasons.back() = {
                .code = "ConditionalCheckFailed", .message = {}, .current = std::move(why.current)};
            refused.reasons.resize(all->actions.size());
            co_return refused;
        }
        co_return any_response(transact_write_items_response{});
    }
};

/// Of locks that a process gives back at one time only the first is given back.
class gives_back_one final : public rewriting_database {
public:
    using rewriting_database::rewriting_database;

    boost::asio::awaitable<result<any_response>> perform(any_request request, call_options options) override {
        const auto* update = std::get_if<update_item_request>(&request);
        const bool releases = update && versions::item_history::item_in(update->key) &&
                              update->update_expression == "REMOVE #W" && update->values.contains(":sa");
        if (releases) {
            const auto now = environment().clock->now();
            const bool another = std::exchange(last_, now) == now;
            if (another) co_return any_response(update_item_response{});
        }
        co_return co_await network()->perform(std::move(request), options);
    }

private:
    std::optional<time_point> last_;
};

const contribution joint_lock_mutants{{
    .name = "item_lock",
    .mutants =
        {
            {.name = "J_NOT_ATOMIC",
             .rule = "whoever waits for several together holds none of them [8]",
             .wrap = wrap<claims_one_after_the_other>,
             .scenario = "waits-for-one-of-two"},
            {.name = "J_NO_FLOOR",
             .rule = "a joint claim tests the floor of each item [7]",
             .wrap = editing<claim_without_floor>,
             .scenario = "late-take-of-all"},
            {.name = "J_NO_VOID",
             .rule = "a joint claim that is given up without an answer is closed [8]",
             .scenario = "late-take-of-all"},
            {.name = "J_ONE_TOKEN",
             .rule = "every joint claim has a token of its own [8]",
             .wrap = editing<claim_with_one_token>,
             .scenario = "twice-the-same"},
            {.name = "J_UNSORTED", .rule = "one by one goes in the order of the names [8]", .scenario = "two-orders"},
            {.name = "J_RELEASES_ONE",
             .rule = "after a failure all that is held is given back [8]",
             .wrap = wrap<gives_back_one>,
             .scenario = "last-of-three-in-vain"},
            {.name = "C_NEW_TOKEN",
             .rule = "all copies of a commit have one token [8]",
             .wrap = editing<commit_with_token_of_its_own>,
             .scenario = "commit-without-an-answer"},
            {.name = "C_BY_SESSION",
             .rule = "each part of a commit names its step [7]",
             .wrap = editing<commit_by_session>,
             .scenario = "late-commit"},
            {.name = "C_NO_FENCE",
             .rule = "a commit tests the grants of readers [7]",
             .wrap = editing<commit_without_readers>,
             .scenario = "commit-after-a-lost-read"},
        },
}};

}  // namespace

}  // namespace dynalease::simulation::item_locks
