// Mutants of versioned writes that change requests on their way, or what is made of their answers.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "simulation/framework/rewriting_database.hpp"

#include <dynalease/item/item_version.hpp>

#include <map>
#include <optional>
#include <set>

namespace dynalease::simulation::versions {

// ---- texts ---------------------------------------------------------------------------------------------------
void state_without_birth(any_request& request, purpose meaning, const environment& world);
void state_by_stamp_alone(any_request& request, purpose meaning, const environment& world);
void blind_raises_nothing(any_request& request, purpose meaning, const environment& world);
void blind_without_own_stamp(any_request& request, purpose meaning, const environment& world);
void unchecked_past_locks(any_request& request, purpose meaning, const environment& world);
void unchecked_makes_items(any_request& request, purpose meaning, const environment& world);
void joint_without_checks(any_request& request, purpose meaning, const environment& world);
void tombstone_expires_at_once(any_request& request, purpose meaning, const environment& world);
void create_over_any_tombstone(any_request& request, purpose meaning, const environment& world);

// ---- what stamps are ---------------------------------------------------------------------------------------------

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

// ---- what removals are ---------------------------------------------------------------------------------------------

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

// ---- reads -------------------------------------------------------------------------------------------------------

/// What a batch of reads leaves out is not there.
class first_answer_is_all final : public rewriting_database {
    using rewriting_database::rewriting_database;
    void change_answer(result<any_response>& answer, const any_request& sent, purpose meaning) override;
};

}  // namespace dynalease::simulation::versions
