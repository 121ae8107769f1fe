// Query.
#include "local/key_condition.hpp"
#include "local/page.hpp"
#include "local/refusal.hpp"
#include "local/source.hpp"

#include <iterator>
#include <utility>

namespace dynalease::local {

namespace {

/// A filter works on what was found by the key, so it may not name the key again.
void refuse_key_in_filter(const expression::condition& tree, const expression::bindings& bound,
                          const key_schema& schema) {
    for (const auto& child : tree.children) refuse_key_in_filter(child, bound, schema);
    for (const auto& operand : tree.operands) {
        const auto* where = std::get_if<expression::path>(&operand.what);
        if (const auto* function = std::get_if<expression::call>(&operand.what)) {
            where = std::get_if<expression::path>(&function->arguments.front().what);
        }
        if (!where) continue;
        const std::string_view name = bound.name(where->front());
        if (name == schema.hash.name || (schema.range && name == schema.range->name)) {
            refuse("Filter Expression can only contain non-primary key attributes: Primary key attribute: " +
                   std::string(name));
        }
    }
}

/// A page goes on within what it asks for, or it is another query's.
void check_start_within(const key_range& range, const row_key& start) {
    const bool same_hash = start.hash == range.first.hash;
    if (!range.is_bounded()) {
        if (!same_hash) refuse("The provided starting key is outside query boundaries based on provided conditions");
        return;
    }
    row_key within = range.first;
    within.range = start.range;
    if (range.is_below(within) || range.is_above(within)) {
        refuse("The provided starting key does not match the range key predicate");
    }
    if (!same_hash) refuse("The query can return at most one row and cannot be restarted");
}

template <class Source, class Iterator, class At, class Done>
void walk(page<query_request>& answer, const Source& from, Iterator at, Iterator end, At forward, Done done) {
    for (; at != end && !done(Source::key_at(forward(at))); ++at) {
        const row& held = Source::row_at(forward(at));
        if (!answer.take(held)) return answer.end_at(from.start_after(held));
    }
}

template <class Source>
void walk_forward(page<query_request>& answer, const Source& from, const key_range& range,
                  const typename Source::position* after) {
    auto at = after ? from.after(*after) : from.at_or_after(range.first);
    while (at != from.end() && range.is_below(Source::key_at(at))) ++at;
    walk(
        answer, from, at, from.end(), [](auto each) { return each; },
        [&](const row_key& key) { return range.is_above(key); });
}

template <class Source>
void walk_backward(page<query_request>& answer, const Source& from, const key_range& range,
                   const typename Source::position* after) {
    // The first key beyond the range, found from its upper end and not by passing over all of it.
    row_key upper = range.first;
    auto at = from.end();
    if (after) {
        at = from.at_or_after(*after);
    } else if (range.last) {
        upper.range = *range.last;
        at = from.after(upper);
    } else {
        upper.range = range.prefix.value_or("");
        // Range keys are at most 1024 bytes, so this lies behind all of the hash key, or of the prefix.
        constexpr std::size_t beyond_any_key = 1100;
        upper.range.append(beyond_any_key, static_cast<char>(0xff));
        at = from.after(upper);
    }
    auto reverse = std::make_reverse_iterator(at);
    const auto end = std::make_reverse_iterator(from.begin());
    while (reverse != end && range.is_above(Source::key_at(std::prev(reverse.base())))) ++reverse;
    walk(
        answer, from, reverse, end, [](auto each) { return std::prev(each.base()); },
        [&](const row_key& key) { return range.is_below(key); });
}

template <class Source>
void query(page<query_request>& answer, const query_request& request, const Source& from,
           const expression::condition& key_condition) {
    const auto& bound = answer.expressions().bound();
    std::optional<typename Source::position> after;
    if (!request.exclusive_start_key.empty()) after = from.position_of(request.exclusive_start_key);
    const key_range range = range_of(key_condition, bound, from.key());
    if (after) check_start_within(range, Source::key_of(*after));
    if (answer.filter()) refuse_key_in_filter(*answer.filter(), bound, from.key());
    const auto step = request.scan_index_forward ? walk_forward<Source> : walk_backward<Source>;
    step(answer, from, range, after ? &*after : nullptr);
}

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
    const view seen(from, request.index_name, request.consistent_read);
    answer.look_at(from, seen);
    if (seen.index()) {
        query(answer, request, index_source(from, *seen.index()), key_condition->tree);
    } else {
        query(answer, request, table_source(from), key_condition->tree);
    }
    return any_response(answer.finish(from));
}

}  // namespace dynalease::local
