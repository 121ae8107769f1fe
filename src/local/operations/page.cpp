// Limits, selections and views of indexes.
// SPDX-License-Identifier: BSL-1.0
#include "local/operations/page.hpp"

#include "local/codec/translated_placeholder.hpp"
#include "local/values/refusal.hpp"

namespace dynalease::local {

void check_limit(const std::optional<std::int32_t>& limit) {
    if (limit && *limit < 1) {
        refuse("1 validation error detected: Value '" + std::to_string(*limit) +
               "' at 'limit' failed to satisfy constraint: Member must have value greater than or equal to 1");
    }
}

void check_select(selection select, std::string_view projection, bool has_index, bool is_query) {
    const bool has_projection = !projection.empty();
    if (select == selection::specific_attributes && !has_projection) {
        refuse(std::string(is_query ? "1 validation error detected: " : "") +
               "Must specify the AttributesToGet or ProjectionExpression when choosing to get SPECIFIC_ATTRIBUTES");
    }
    if (has_projection && select != selection::unspecified && select != selection::specific_attributes) {
        const char* what = select == selection::count            ? "only the Count"
                           : select == selection::all_attributes ? "ALL_ATTRIBUTES"
                                                                 : "ALL_PROJECTED_ATTRIBUTES";
        refuse("Cannot specify the " +
               std::string(codec::is_translated(projection) ? "AttributesToGet" : "ProjectionExpression") +
               " when choosing to get " + what);
    }
    if (select == selection::all_projected_attributes && !has_index) {
        refuse("ALL_PROJECTED_ATTRIBUTES can be used only when Querying using an IndexName");
    }
}

view::view(const table& from, const std::string& index_name, bool consistent) {
    if (index_name.empty()) return;
    index_ = from.find_index(index_name);
    if (!index_) refuse("The table does not have the specified index: " + index_name);
    if (consistent && index_->is_global()) refuse("Consistent reads are not supported on global secondary indexes");
}

void view::need(std::string_view attribute) {
    if (index_->projects(attribute)) return;
    if (!index_->is_global()) {
        fetches_ = true;
        return;
    }
    refuse("One or more parameter values were invalid: Global secondary index " + index_->name() +
           " does not project [" + std::string(attribute) + "]");
}

void view::need_all() {
    if (!index_->is_global()) {
        fetches_ = true;
        return;
    }
    refuse(
        "One or more parameter values were invalid: Select type ALL_ATTRIBUTES is not supported for global secondary "
        "index " +
        index_->name() + " because its projection type is not ALL");
}

item view::part_of(const item& whole) const {
    return index_->projected(whole);
}

capacity view::units(std::size_t bytes, double fetched, read_kind kind) const {
    capacity result;
    if (!index_) {
        result.own = read_units(bytes, kind);
        return result;
    }
    (index_->is_global() ? result.global : result.local)[index_->name()] = read_units(bytes, kind);
    result.own = fetched;
    return result;
}

}  // namespace dynalease::local
