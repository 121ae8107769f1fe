// What Query and Scan share: filter, projection, and where a page ends.
#pragma once

#include "local/capacity.hpp"
#include "local/expression/compiled.hpp"
#include "local/expression/condition.hpp"
#include "local/expression/projection.hpp"
#include "local/operations.hpp"
#include "local/table.hpp"

#include <dynalease/dynamodb/operations.hpp>

#include <cstddef>
#include <optional>

namespace dynalease::local {

void refuse_index(const std::string& index_name);
void check_limit(const std::optional<std::int32_t>& limit);
/// Refuses a starting key that is no key of the table; decodes it to where it lies.
row_key starting_key(const table& from, const item_key& key);

template <class Request>
class page {
public:
    page(const context& in, const Request& request)
        : request_(request), expressions_(in.state.expressions, request.names, request.values) {
        refuse_index(request.index_name);
        check_limit(request.limit);
        filter_ = expressions_.condition(request.filter_expression, "FilterExpression");
        projection_ = expressions_.projection(request.projection_expression);
    }

    expression::compiler& expressions() noexcept { return expressions_; }
    const expression::condition* filter() const { return filter_ ? &filter_->tree : nullptr; }

    /// @returns false when this was the last item of the page; the caller then says which one it was.
    bool take(const row& each) {
        constexpr std::size_t largest_page = 1024 * 1024;
        ++answer_.scanned_count;
        bytes_ += each.size;
        if (!filter_ || expression::holds(filter_->tree, each.attributes, expressions_.bound())) {
            ++answer_.count;
            if (!request_.count_only) answer_.items.push_back(part_of(each.attributes));
        }
        return bytes_ < largest_page && answer_.scanned_count != request_.limit;
    }

    void end_at(item_key last) { answer_.last_evaluated_key = std::move(last); }

    page_response finish(const table& from) {
        const auto kind = request_.consistent_read ? read_kind::consistent : read_kind::eventual;
        answer_.consumed = consumed_if(request_.report_capacity, from.name(), read_units(bytes_, kind));
        return std::move(answer_);
    }

private:
    item part_of(const item& whole) const {
        return projection_ ? expression::project(whole, projection_->tree, expressions_.bound()) : whole;
    }

    const Request& request_;
    expression::compiler expressions_;
    expression::cache<expression::condition>::shared filter_;
    expression::cache<expression::projection>::shared projection_;
    page_response answer_;
    std::size_t bytes_ = 0;
};

}  // namespace dynalease::local
