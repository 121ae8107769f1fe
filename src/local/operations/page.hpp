// What Query and Scan share: which attributes they give, the filter, and where a page ends.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "local/expression/compiled.hpp"
#include "local/expression/condition.hpp"
#include "local/expression/projection.hpp"
#include "local/operations/key_paths.hpp"
#include "local/operations/operations.hpp"
#include "local/storage/capacity.hpp"
#include "local/storage/table.hpp"
#include "local/values/item_check.hpp"
#include "local/values/refusal.hpp"

#include <dynalease/dynamodb/operations.hpp>

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace dynalease::local {

void check_limit(const std::optional<std::int32_t>& limit);
/// Refuses a `select` that contradicts the projection or the index, of a Query in other words than of a Scan.
void check_select(selection select, std::string_view projection, bool has_index, bool is_query);

/// What of an item a page sees: all of it, or what an index projects.
class view {
public:
    /// Finds the index. Refuses one that is not there, and a consistent read of a global one.
    view(const table& from, const std::string& index_name, bool consistent);

    const table_index* index() const noexcept { return index_; }
    /// Refuses attributes that a global index does not project; a local one then reads the items.
    void need(std::string_view attribute);
    void need_all();

    item part_of(const item& whole) const;
    bool is_whole() const noexcept { return !index_ || fetches_ || index_->projects_all(); }

    /// Whether the index gives keys only, and the items are read from the table.
    bool fetches() const noexcept { return fetches_; }
    /// @param bytes read from what is seen first, the table or the index.
    /// @param fetched units for the items that were read from the table then.
    capacity units(std::size_t bytes, double fetched, read_kind kind) const;

private:
    const table_index* index_ = nullptr;
    bool fetches_ = false;
};

template <class Request>
class page {
public:
    page(const context& in, const Request& request)
        : request_(request),
          allowed_(in.state.allowed),
          expressions_(in.state.expressions, in.state.allowed, request.names, request.values) {
        check_limit(request.limit);
        check_depth(request.values);
        check_depth(request.exclusive_start_key);
        constexpr bool is_query = requires { request.key_condition_expression; };
        check_select(request.select, request.projection_expression, !request.index_name.empty(), is_query);
        if constexpr (is_query) {
            key_condition_ = expressions_.condition(request.key_condition_expression, "KeyConditionExpression");
        }
        filter_ = expressions_.condition(request.filter_expression, "FilterExpression");
        projection_ = expressions_.projection(request.projection_expression);
        if (projection_) project_.emplace(projection_->tree, expressions_.bound());
    }

    expression::compiler& expressions() noexcept { return expressions_; }
    /// Of a Query; empty for a Scan.
    const expression::condition& key_condition() const { return key_condition_->tree; }
    const expression::condition* filter() const { return filter_ ? &filter_->tree : nullptr; }

    /// Settles what is seen of the items. After `expressions().finish()`.
    void look_at(view of) {
        view_.emplace(of);
        if (!view_->index() || view_->index()->projects_all()) return;
        if (request_.select == selection::all_attributes) view_->need_all();
        if (projection_) {
            for (const auto& path : projection_->tree) view_->need(expressions_.bound().name(path.front()));
        }
    }

    /// Refuse what lies within a key, which has no inside.
    void check_projection(const table& from) const {
        if (projection_) refuse_nested_keys(projection_->tree, expressions_.bound(), from);
    }
    void check_filter(const table& from) const {
        if (filter_) refuse_nested_keys(filter_->tree, expressions_.bound(), from);
    }

    /// @param size of what its source gives of it, a table or an index.
    /// @returns false when the page ends; the caller then says where `last()` is.
    bool take(const row& each, std::size_t size) {
        constexpr std::size_t largest_page = 1024 * 1024;
        if (!is_affordable(each)) return false;
        last_ = &each;
        ++answer_.scanned_count;
        bytes_ += view_->fetches() ? each.size : size;
        if (view_->fetches()) {
            index_bytes_ += size;
            fetched_ += read_units(each.size, kind());
        }
        return bytes_ < largest_page && answer_.scanned_count != request_.limit && allowed_.has_room();
    }

    /// The last item of the page.
    const row& last() const { return *last_; }
    void end_at(item_key last) { answer_.last_evaluated_key = std::move(last); }

    page_response finish(const table& from) {
        const std::size_t bytes = view_->fetches() ? index_bytes_ : bytes_;
        answer_.consumed = consumed_if(request_, from.name(), view_->units(bytes, fetched_, kind()));
        return std::move(answer_);
    }

private:
    read_kind kind() const { return request_.consistent_read ? read_kind::consistent : read_kind::eventual; }

    /// Considers the item. Where that takes more than is left the page ends before it, but not without any item.
    bool is_affordable(const row& each) {
        try {
            if (view_->is_whole()) {
                consider(each.attributes);
            } else {
                consider(view_->part_of(each.attributes));
            }
            return true;
        } catch (const costly_refusal&) {
            if (!last_) throw;
            return false;
        }
    }

    void consider(const item& seen) {
        constexpr std::size_t steps_of_an_item = 4;
        allowed_.spend(steps_of_an_item);
        if (filter_ && !expression::holds(filter_->tree, seen, expressions_.bound())) return;
        if (request_.select != selection::count) give(seen);
        ++answer_.count;
    }

    void give(const item& seen) {
        if (project_) {
            answer_.items.push_back((*project_)(seen));
        } else {
            allowed_.copy(seen);
            answer_.items.push_back(seen);
        }
    }

    const Request& request_;
    allowance& allowed_;
    expression::compiler expressions_;
    expression::cache<expression::condition>::shared key_condition_;
    expression::cache<expression::condition>::shared filter_;
    expression::cache<expression::projection>::shared projection_;
    std::optional<expression::projector> project_;
    std::optional<view> view_;
    page_response answer_;
    const row* last_ = nullptr;  ///< of those that were taken
    std::size_t bytes_ = 0;
    std::size_t index_bytes_ = 0;  ///< of what an index gave before the items were fetched
    double fetched_ = 0;           ///< units
};

}  // namespace dynalease::local
