// Query and Scan.
#include "local/key_condition.hpp"
#include "local/page.hpp"
#include "local/refusal.hpp"

#include <iterator>
#include <utility>

namespace dynalease::local {

void refuse_index(const std::string& index_name) {
    if (!index_name.empty()) refuse("The table does not have the specified index: " + index_name);
}

void check_limit(const std::optional<std::int32_t>& limit) {
    if (limit && *limit < 1) {
        refuse("1 validation error detected: Value '" + std::to_string(*limit) +
               "' at 'limit' failed to satisfy constraint: Member must have value greater than or equal to 1");
    }
}

row_key starting_key(const table& from, const item_key& key) {
    try {
        check_key(from.key(), key);
    } catch (refusal& fault) {
        fault.why.details.message = "The provided starting key is invalid: " + fault.why.details.message;
        throw;
    }
    return encode_key(from.key(), key);
}

namespace {

using rows = table::rows;

/// A filter works on what was found by the key, so it may not name the key again.
void refuse_key_in_filter(const expression::condition& tree, const expression::bindings& bound,
                          const key_schema& schema) {
    for (const auto& child : tree.children) refuse_key_in_filter(child, bound, schema);
    for (const auto& operand : tree.operands) {
        const auto* where = std::get_if<expression::path>(&operand.what);
        if (!where) continue;
        const std::string_view name = bound.name(where->front());
        if (name == schema.hash.name || (schema.range && name == schema.range->name)) {
            refuse("Filter Expression can only contain non-primary key attributes: Primary key attribute: " +
                   std::string(name));
        }
    }
}

template <class Iterator, class Done>
void walk(page<query_request>& answer, const key_schema& schema, Iterator at, Iterator end, Done done) {
    for (; at != end && !done(at->first); ++at) {
        if (!answer.take(at->second)) return answer.end_at(key_of(schema, at->second.attributes));
    }
}

void walk_forward(page<query_request>& answer, const table& from, const key_range& range, const row_key* after) {
    auto at = from.all().lower_bound(range.first);
    if (after && !range.is_below(*after)) at = from.all().upper_bound(*after);
    while (at != from.all().end() && range.is_below(at->first)) ++at;
    walk(answer, from.key(), at, from.all().end(), [&](const row_key& key) { return range.is_above(key); });
}

void walk_backward(page<query_request>& answer, const table& from, const key_range& range, const row_key* after) {
    // The first key beyond the range, found from its upper end and not by passing over all of it.
    row_key upper = range.first;
    auto at = from.all().end();
    if (after) {
        at = from.all().lower_bound(*after);
    } else if (range.last) {
        upper.range = *range.last;
        at = from.all().upper_bound(upper);
    } else {
        upper.range = range.prefix.value_or("");
        // Range keys are at most 1024 bytes, so this lies behind all of the hash key, or of the prefix.
        constexpr std::size_t beyond_any_key = 1100;
        upper.range.append(beyond_any_key, static_cast<char>(0xff));
        at = from.all().upper_bound(upper);
    }
    auto reverse = std::make_reverse_iterator(at);
    const auto end = from.all().rend();
    while (reverse != end && range.is_above(reverse->first)) ++reverse;
    walk(answer, from.key(), reverse, end, [&](const row_key& key) { return range.is_below(key); });
}

/// The share of a segment in the slots of the hash keys.
class segment_filter {
public:
    explicit segment_filter(const scan_request& request) {
        if (!request.segment && !request.total_segments) return;
        if (!request.segment || !request.total_segments) {
            refuse(
                "The TotalSegments parameter is required but was not present in the request when parameter "
                "Segment is present, and the other way round");
        }
        constexpr std::int32_t most_segments = 1'000'000;
        if (*request.total_segments < 1 || *request.total_segments > most_segments) {
            refuse("1 validation error detected: Value '" + std::to_string(*request.total_segments) +
                   "' at 'totalSegments' failed to satisfy constraint: Member must have value between 1 and 1000000");
        }
        if (*request.segment < 0 || *request.segment >= *request.total_segments) {
            refuse("The Segment parameter is zero-based and must be less than parameter TotalSegments: Segment: " +
                   std::to_string(*request.segment) +
                   " is not less than TotalSegments: " + std::to_string(*request.total_segments));
        }
        segment_ = static_cast<std::uint64_t>(*request.segment);
        total_ = static_cast<std::uint64_t>(*request.total_segments);
    }

    bool is_before(const row_key& key) const { return segment_at(key) < segment_; }
    bool is_behind(const row_key& key) const { return segment_at(key) > segment_; }
    /// Where the segment begins, or a little before.
    row_key first() const { return {segment_ == 0 ? 0 : ((segment_ << 32U) / total_) << 32U, {}, {}}; }

private:
    std::uint64_t segment_at(const row_key& key) const { return ((key.slot >> 32U) * total_) >> 32U; }

    std::uint64_t segment_ = 0;
    std::uint64_t total_ = 1;
};

}  // namespace

result<any_response> execute(const context& in, const query_request& request) {
    page<query_request> answer(in, request);
    if (request.key_condition_expression.empty()) {
        refuse("Either the KeyConditions or KeyConditionExpression parameter must be specified in the request.");
    }
    const auto key_condition =
        answer.expressions().condition(request.key_condition_expression, "KeyConditionExpression");
    answer.expressions().finish();
    const table& from = in.table_named(request.table_name);
    const auto& bound = answer.expressions().bound();
    const key_range range = range_of(key_condition->tree, bound, from.key());
    if (answer.filter()) refuse_key_in_filter(*answer.filter(), bound, from.key());
    row_key after;
    const bool resumed = !request.exclusive_start_key.empty();
    if (resumed) {
        after = starting_key(from, request.exclusive_start_key);
        if (after.hash != range.first.hash) {
            refuse("The provided starting key is outside query boundaries based on provided conditions");
        }
    }
    const auto step = request.scan_index_forward ? walk_forward : walk_backward;
    step(answer, from, range, resumed ? &after : nullptr);
    return any_response(answer.finish(from));
}

result<any_response> execute(const context& in, const scan_request& request) {
    page<scan_request> answer(in, request);
    answer.expressions().finish();
    const segment_filter segment(request);
    const table& from = in.table_named(request.table_name);
    auto at = from.all().lower_bound(segment.first());
    if (!request.exclusive_start_key.empty()) {
        at = from.all().upper_bound(starting_key(from, request.exclusive_start_key));
    }
    while (at != from.all().end() && segment.is_before(at->first)) ++at;
    for (; at != from.all().end() && !segment.is_behind(at->first); ++at) {
        if (answer.take(at->second)) continue;
        answer.end_at(key_of(from.key(), at->second.attributes));
        break;
    }
    return any_response(answer.finish(from));
}

}  // namespace dynalease::local
