// The known mistakes of versioned writes: what requests and answers lack, and each by its rule. In brackets the
// section of the protocol of items.
// SPDX-License-Identifier: BSL-1.0
#include "simulation/framework/primitive.hpp"
#include "simulation/framework/rewriting_database.hpp"
#include "simulation/versioned/item_history.hpp"

#include "support/changed_texts.hpp"

#include <dynalease/item/item_version.hpp>

#include <algorithm>
#include <array>
#include <chrono>
#include <map>
#include <optional>
#include <set>
#include <utility>

namespace dynalease::simulation::versions {

namespace {

namespace asio = boost::asio;

constexpr std::string_view in_its_life = "#ver = :n AND #born = :b";
constexpr std::string_view own_stamp_absent =
    " AND (attribute_not_exists(#stamp) OR #stamp <> :m) AND (attribute_not_exists(#trail) OR NOT contains(#trail, "
    ":m))";
constexpr auto stamp_size = item_stamp{}.size();

bool of_an_item(const item_key& key) {
    return item_history::item_in(key).has_value();
}

template <class Request>
bool tests_life(const Request& request) {
    return of_an_item(request.key) && request.condition_expression.find(in_its_life) != std::string::npos;
}

update_item_request* update_in(any_request& request) {
    auto* update = std::get_if<update_item_request>(&request);
    return update && of_an_item(update->key) ? update : nullptr;
}
bool is_blind(const update_item_request& update) {
    return update.condition_expression.find(own_stamp_absent) != std::string::npos;
}
bool buries(const update_item_request& update) {
    return update.update_expression.find("#gone = :true") != std::string::npos;
}

void state_without_birth(any_request& request, purpose, const environment&) {
    if (auto* update = update_in(request); update && tests_life(*update))
        replace_clause(*update, in_its_life, "#ver = :n");
    auto* erase = std::get_if<delete_item_request>(&request);
    if (!erase || !tests_life(*erase)) return;
    erase->condition_expression.replace(erase->condition_expression.find(in_its_life), in_its_life.size(), "#ver = :n");
    erase->names.erase("#born");
    erase->values.erase(":b");
}

void state_by_stamp_alone(any_request& request, purpose, const environment&) {
    auto* update = update_in(request);
    if (!update || !tests_life(*update) || !update->values.contains(":tr")) return;
    // The newest stamp of the new trail is the one that the base had.
    auto trail = *update->values.at(":tr").get_if<binary>();
    if (trail.size() < stamp_size) return;
    trail.resize(stamp_size);
    update->values.insert_or_assign(":s", std::move(trail));
    update->names.emplace("#stamp", "_stamp");
    replace_clause(*update, in_its_life, "#stamp = :s");
}

void blind_raises_nothing(any_request& request, purpose, const environment&) {
    auto* update = update_in(request);
    if (!update || !is_blind(*update)) return;
    // "... if_not_exists(#version, :first) + :step ...": a step of nothing.
    const auto& text = update->update_expression;
    for (const auto& [name, value] : update->values) {
        const auto* step = value.get_if<number>();
        if (!step || text.find(") + " + name) == std::string::npos) continue;
        update->values.at(name) = 0;
        return;
    }
    stale("a blind update", text);
}

void blind_without_own_stamp(any_request& request, purpose, const environment&) {
    if (auto* update = update_in(request); update && is_blind(*update)) drop_clause(*update, own_stamp_absent);
}

void unchecked_past_locks(any_request& request, purpose, const environment&) {
    constexpr std::string_view unlocked = "attribute_not_exists(#W) AND attribute_not_exists(#R) AND ";
    if (auto* update = update_in(request); update && is_blind(*update)) drop_clause(*update, unlocked);
    auto* erase = std::get_if<delete_item_request>(&request);
    if (!erase || !of_an_item(erase->key) || !erase->condition_expression.starts_with(unlocked)) return;
    erase->condition_expression.erase(0, unlocked.size());
    tests::prune(*erase);
}

void unchecked_makes_items(any_request& request, purpose, const environment&) {
    constexpr std::string_view exists = "attribute_exists(#k) AND ";
    auto* update = update_in(request);
    if (update && is_blind(*update) && update->condition_expression.starts_with(exists)) drop_clause(*update, exists);
}

void joint_without_checks(any_request& request, purpose, const environment&) {
    auto* all = std::get_if<transact_write_items_request>(&request);
    if (!all) return;
    std::erase_if(all->actions, [](const auto& action) { return std::holds_alternative<condition_check>(action); });
}

void tombstone_expires_at_once(any_request& request, purpose, const environment& world) {
    auto* update = update_in(request);
    if (!update || !buries(*update)) return;
    const auto now = std::chrono::floor<std::chrono::seconds>(world.clock->wall().time_since_epoch());
    update->values.at(":t") = now.count();
}

void maps_untested(any_request& request, purpose, const environment&) {
    constexpr std::string_view test = " AND attribute_type(";
    auto* update = update_in(request);
    if (!update) return;
    auto& text = update->condition_expression;
    for (auto at = text.find(test); at != text.npos; at = text.find(test)) text.erase(at, text.find(')', at) + 1 - at);
    tests::prune(*update);
}

void create_over_any_tombstone(any_request& request, purpose, const environment&) {
    auto* put = std::get_if<put_item_request>(&request);
    if (!put || !of_an_item(put->new_item)) return;
    if (put->condition_expression != "attribute_not_exists(#k)") stale("a creation", put->condition_expression);
    put->condition_expression += " OR attribute_exists(#gone)";
    put->names.emplace("#gone", "_gone");
}

// ---- what stamps are -----------------------------------------------------------------------------------------

/// Changes the stamps of writes on their way, and changes them back in the items that come with answers.
class stamps_changed : public rewriting_database {
public:
    using rewriting_database::rewriting_database;

protected:
    void change_request(any_request& request, purpose meaning) override;
    void change_answer(result<any_response>& answer, const any_request& sent, purpose meaning) override;

    /// What the library's stamp becomes.
    virtual item_stamp outward(const item_stamp& stamp) = 0;
    /// What a stamp in the store is to the library, whose last write bore `mine`.
    virtual item_stamp inward(const item_stamp& stamp, const item_stamp& mine) = 0;

private:
    item_stamp mine_{};
};

/// Every write of a process bears the same stamp.
class one_stamp_for_all final : public stamps_changed {
    using stamps_changed::stamps_changed;
    item_stamp outward(const item_stamp& stamp) override;
    item_stamp inward(const item_stamp& stamp, const item_stamp& mine) override;
    std::optional<item_stamp> shared_;
};

/// Every copy of a write bears a stamp of its own.
class new_stamp_for_each_copy final : public stamps_changed {
    using stamps_changed::stamps_changed;
    item_stamp outward(const item_stamp& stamp) override;
    item_stamp inward(const item_stamp& stamp, const item_stamp& mine) override;
    std::map<item_stamp, unsigned> copies_;
};

template <class Change>
void change_stamps(attribute_value& value, Change change) {
    const auto* bytes = value.get_if<binary>();
    if (!bytes || bytes->size() % stamp_size != 0) return;
    auto changed = *bytes;
    for (auto at = changed.begin(); at != changed.end(); at += stamp_size) {
        item_stamp stamp{};
        std::copy_n(at, stamp_size, stamp.begin());
        stamp = change(stamp);
        std::copy_n(stamp.begin(), stamp_size, at);
    }
    value = std::move(changed);
}

template <class Change>
void change_stamps(item& attributes, Change change) {
    for (const auto* name : {"_stamp", "_trail", "_born"}) {
        const auto found = attributes.find(name);
        if (found != attributes.end()) change_stamps(found->second, change);
    }
}

item_stamp stamp_in(const attribute_value& value) {
    item_stamp stamp{};
    std::copy_n(value.get_if<binary>()->begin(), stamp_size, stamp.begin());
    return stamp;
}

void stamps_changed::change_request(any_request& request, purpose) {
    const auto leave = [this](attribute_value& value) {
        mine_ = stamp_in(value);
        const auto sent = outward(mine_);
        value = binary(sent.begin(), sent.end());
    };
    if (auto* update = update_in(request); update && update->values.contains(":m")) leave(update->values.at(":m"));
    auto* put = std::get_if<put_item_request>(&request);
    if (!put || !of_an_item(put->new_item)) return;
    leave(put->new_item.at("_stamp"));
    put->new_item.at("_born") = put->new_item.at("_stamp");
}

void stamps_changed::change_answer(result<any_response>& answer, const any_request&, purpose) {
    const auto back = [this](const item_stamp& stamp) { return inward(stamp, mine_); };
    if (!answer) {
        auto why = answer.error();
        if (!why.current) return;
        change_stamps(*why.current, back);
        answer = std::move(why);
    } else if (auto* read = std::get_if<get_item_response>(&*answer)) {
        if (read->found) change_stamps(*read->found, back);
    }
}

item_stamp one_stamp_for_all::outward(const item_stamp& stamp) {
    if (!shared_) shared_ = stamp;
    return *shared_;
}

item_stamp one_stamp_for_all::inward(const item_stamp& stamp, const item_stamp& mine) {
    return stamp == shared_ ? mine : stamp;
}

item_stamp new_stamp_for_each_copy::outward(const item_stamp& stamp) {
    auto copy = stamp;
    copy[0] ^= static_cast<std::byte>(copies_[stamp]++);
    return copy;
}

item_stamp new_stamp_for_each_copy::inward(const item_stamp& stamp, const item_stamp& mine) {
    const auto copies = copies_[mine];
    if (copies < 2) return stamp;
    auto last = mine;
    last[0] ^= static_cast<std::byte>(copies - 1);
    if (stamp == last) return mine;
    auto other = stamp;
    if (stamp == mine) other[1] ^= std::byte{1};
    return other;
}

// ---- what removals are ---------------------------------------------------------------------------------------

/// Where tombstones are to be left, items are erased.
class erases final : public rewriting_database {
public:
    using rewriting_database::rewriting_database;
    boost::asio::awaitable<result<any_response>> perform(any_request request, call_options options) override;
};

/// An item that is gone after a removal without an answer was removed by it.
class gone_is_mine final : public rewriting_database {
    using rewriting_database::rewriting_database;
    void change_answer(result<any_response>& answer, const any_request& sent, purpose meaning) override;
    std::optional<attribute_values> unanswered_;
};

asio::awaitable<result<any_response>> erases::perform(any_request request, call_options options) {
    const auto* update = update_in(request);
    if (!update || !buries(*update)) {
        auto answer = co_await rewriting_database::perform(std::move(request), options);
        co_return answer;
    }
    delete_item_request erase{.table_name = update->table_name,
                              .key = update->key,
                              .condition_expression = update->condition_expression,
                              .names = update->names,
                              .values = update->values,
                              .current_on_refusal = true};
    tests::prune(erase);
    any_request instead(std::move(erase));
    auto answer = co_await network()->perform(std::move(instead), options);
    if (!answer) co_return answer;
    co_return any_response(update_item_response{});
}

void gone_is_mine::change_answer(result<any_response>& answer, const any_request& sent, purpose) {
    const auto* erase = std::get_if<delete_item_request>(&sent);
    if (!erase || answer || !of_an_item(erase->key)) return;
    const auto& why = answer.error();
    if (why.outcome == outcome::unknown) {
        unanswered_ = erase->values;
    } else if (why.code == errc::condition_failed && !why.current && unanswered_ == erase->values) {
        answer = any_response(delete_item_response{});
    }
}

// ---- reads -------------------------------------------------------------------------------------------------------

/// What a batch of reads leaves out is not there.
class first_answer_is_all final : public rewriting_database {
    using rewriting_database::rewriting_database;
    void change_answer(result<any_response>& answer, const any_request& sent, purpose meaning) override;
};

void first_answer_is_all::change_answer(result<any_response>& answer, const any_request&, purpose) {
    if (!answer) return;
    if (auto* batch = std::get_if<batch_get_item_response>(&*answer)) batch->unprocessed.clear();
}

// ---- all of them ---------------------------------------------------------------------------------------------

const contribution version_mutants{{
    .name = "versioned",
    .mutants =
        {
            {.name = "VERSION_ONLY",
             .rule = "a version counts within one life of the item only [2]",
             .wrap = editing<state_without_birth>,
             .scenario = "erased"},
            {.name = "STAMP_ONLY",
             .rule = "a stamp alone names no state: blind copies bring it back [4]",
             .wrap = editing<state_by_stamp_alone>,
             .scenario = "repeated-blind"},
            {.name = "NO_SETTLE", .rule = "a refusal after a lost answer is resolved by stamps [4]"},
            {.name = "CHAIN_FIRST", .rule = "the own stamp is looked for before all others [4]"},
            {.name = "BASE_SEEN",
             .rule = "that the base's stamp is still known proves nothing [4]",
             .scenario = "repeated-blind"},
            {.name = "CHAIN_ANY_LIFE", .rule = "the stamps of another life prove nothing [4]", .scenario = "erased"},
            {.name = "PLUS_ONE",
             .rule = "the next version by another stamp proves nothing without the birth [0]",
             .scenario = "erased"},
            {.name = "GONE_NOT", .rule = "no item after a lost answer proves nothing [4]", .scenario = "erased"},
            {.name = "GONE_MINE",
             .rule = "no item after a removal without an answer proves nothing [4]",
             .wrap = wrap<gone_is_mine>,
             .scenario = "erased"},
            {.name = "STAMP_SHARED",
             .rule = "a stamp is one write's [2]",
             .wrap = wrap<one_stamp_for_all>,
             .scenario = "swarm"},
            {.name = "RESEND_NEW",
             .rule = "all copies of a write bear the same stamp [4]",
             .wrap = wrap<new_stamp_for_each_copy>,
             .scenario = "swarm"},
            {.name = "BLIND_NO_BUMP",
             .rule = "blind writes raise the version [3]",
             .wrap = editing<blind_raises_nothing>},
            {.name = "BLIND_NO_GUARD",
             .rule = "a blind write is refused while its stamp is known [3]",
             .wrap = editing<blind_without_own_stamp>},
            {.name = "BLIND_NO_RESPECT",
             .rule = "writes that test no version respect locks all the same [3]",
             .wrap = editing<unchecked_past_locks>,
             .scenario = "unchecked"},
            {.name = "CLOBBER_CREATES",
             .rule = "a write that tests no version makes no item, unless it is told to [3]",
             .wrap = editing<unchecked_makes_items>,
             .scenario = "unchecked"},
            {.name = "JOINT_NO_CHECK",
             .rule = "what was only read is tested together with what is written [6]",
             .wrap = editing<joint_without_checks>,
             .scenario = "together"},
            {.name = "MANY_ONCE",
             .rule = "what a batch of reads leaves out is asked for again [6]",
             .wrap = wrap<first_answer_is_all>,
             .scenario = "together"},
            {.name = "NESTED_WHOLE",
             .rule = "what changes inside of an attribute leaves alone what stands beside it",
             .scenario = "beside-careless-strangers"},
            {.name = "MAPS_UNTESTED",
             .rule = "a change inside of a map tests that the map is there",
             .wrap = editing<maps_untested>,
             .scenario = "beside-careless-strangers"},
            {.name = "ERASE_LATE",
             .rule = "tombstones keep late creations out [5]",
             .wrap = wrap<erases>,
             .scenario = "short-lives"},
            {.name = "TOMB_SHORT",
             .rule = "a tombstone outlives all late copies [3]",
             .wrap = editing<tombstone_expires_at_once>,
             .scenario = "short-lives"},
            {.name = "TOMB_OPEN",
             .rule = "a creation goes over the tombstone that it saw, not over any [3]",
             .wrap = editing<create_over_any_tombstone>,
             .scenario = "short-lives"},
        },
}};

}  // namespace

}  // namespace dynalease::simulation::versions
