// Of what the texts of a transaction's requests about items are made.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "transaction/protocol/planned_writes.hpp"

#include <dynalease/dynamodb/expression.hpp>
#include <dynalease/dynamodb/operations.hpp>

#include <optional>
#include <string>
#include <string_view>

namespace dynalease::protocol {

/// Our names, each under the placeholder by which the texts call it. Those that no text uses are taken out at the end.
attribute_names names_in_texts(const item_layout& layout);

/// The clauses of an update, put together piece by piece.
class update_clauses {
public:
    update_clauses(attribute_names& names, attribute_values& values) : names_(names, values) {}

    std::string name(const std::string& attribute);
    void set(const std::string& text) { add(sets_, text); }
    void remove(const std::string& text) { add(removes_, text); }
    void apply(const update_expression& change);
    std::string text() const;

private:
    static void add(std::string& list, const std::string& text);

    expression_names names_;
    std::string sets_, removes_, adds_, deletes_;
};

/// What the first write to an item demands of it: that it is there, nobody holds it, the write may be made, and it is
/// as the transaction saw it.
std::string free_item(const guarded_table& on, mark_kind kind, const std::optional<item_sight>& seen,
                      attribute_values& values);
/// That the item has the stamp, and where there are versions the version, that was seen; to be added to a condition.
std::string same_stamp(const guarded_table& on, const item_sight& seen, attribute_values& values);

/// This very lock, whoever's copy it is of.
inline constexpr std::string_view this_lock = "#tx = :tx AND #stamp = :held AND #before = :before";
/// What `this_lock` compares with.
void name_lock(const item_mark& mark, attribute_values& values);

/// The next version, and the stamp before in the trail. @param trail as an operand: what is to stand there
void raise_version(const item_layout& layout, std::string_view trail, update_clauses& text, attribute_values& values);

/// The item of an insert, without a mark.
item made_item(const guarded_table& on, const planned_write& insert);

/// The action of the item's first write, with what that demands, and with those names alone that its texts use.
template <class Action>
Action completed(Action action, const planned_item& what, std::string_view update = {}) {
    apply(action, what.writes.front().demand);
    keep_used_names(what.on.layout, action.names, update, action.condition_expression);
    return action;
}

/// A token of the service for one body: the stamp is never used for another of this form.
std::string token_of(const item_stamp& stamp, std::string_view form = {});

}  // namespace dynalease::protocol
