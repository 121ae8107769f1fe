// Query.
// SPDX-License-Identifier: BSL-1.0
#include "local/codec/translated_placeholder.hpp"
#include "local/expression/paths.hpp"
#include "local/operations/key_range.hpp"
#include "local/operations/page.hpp"
#include "local/operations/source.hpp"
#include "local/values/refusal.hpp"

#include <iterator>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace dynalease::local {

namespace {

/// A filter works on what was found by the key, so it may not name the key again.
void refuse_key_in_filter(const expression::condition& tree, const expression::bindings& bound,
                          const key_schema& schema) {
    expression::each_path(tree, [&](const expression::path& path) {
        const std::string_view name = bound.name(path.front());
        if (!is_part_of(schema, name)) return;
        refuse(std::string(codec::is_translated(path.front().name) ? "QueryFilter" : "Filter Expression") +
               " can only contain non-primary key attributes: Primary key attribute: " + std::string(name));
    });
}

/// A page goes on within what it asks for, or it is another query's.
void check_start_within(const key_range& range, const row_key& start) {
    const bool same_hash = start.hash == range.from.hash;
    if (!range.is_bounded) {
        if (!same_hash) refuse("The provided starting key is outside query boundaries based on provided conditions");
        return;
    }
    row_key within = range.from;
    within.range = start.range;
    if (!range.contains(within)) {
        refuse("The provided starting key does not match the range key predicate");
    }
    if (!same_hash) refuse("The query can return at most one row and cannot be restarted");
}

template <class Source, class Iterator, class At>
void walk(page<query_request>& answer, const Source& from, const key_range& range, Iterator at, Iterator end,
          At forward) {
    for (; at != end && range.contains(Source::key_at(forward(at))); ++at) {
        if (!answer.take(Source::row_at(forward(at)), Source::size_at(forward(at))))
            return answer.end_at(from.start_after(answer.last()));
    }
}

template <class Source>
void walk_forward(page<query_request>& answer, const Source& from, const key_range& range,
                  const typename Source::position* after) {
    const auto at = after ? from.after(*after) : from.at_or_after(range.from);
    walk(answer, from, range, at, from.end(), [](auto each) { return each; });
}

template <class Source>
void walk_backward(page<query_request>& answer, const Source& from, const key_range& range,
                   const typename Source::position* after) {
    const auto behind = after ? from.at_or_after(*after) : from.at_or_after(range.to);
    walk(answer, from, range, std::make_reverse_iterator(behind), std::make_reverse_iterator(from.begin()),
         [](auto each) { return std::prev(each.base()); });
}

template <class Source>
void query(page<query_request>& answer, const query_request& request, const std::vector<key_test>& tests,
           const table& of, const view& seen, const Source& from) {
    const item_key& start = request.exclusive_start_key;
    if (!start.empty() && start.size() != from.start_size()) refuse("The provided starting key is invalid");
    const key_range range = range_of(tests, from.key(), start);
    std::optional<typename Source::position> after;
    if (!start.empty()) after = from.position_of(start);
    if (after) check_start_within(range, Source::key_of(*after));
    answer.check_projection(of);
    if (answer.filter()) refuse_key_in_filter(*answer.filter(), answer.expressions().bound(), from.key());
    answer.look_at(seen);
    answer.check_filter(of);
    const auto step = request.scan_index_forward ? walk_forward<Source> : walk_backward<Source>;
    step(answer, from, range, after ? &*after : nullptr);
}

}  // namespace

result<any_response> execute(const context& in, const query_request& request) {
    if (request.key_condition_expression.empty()) {
        refuse("Either the KeyConditions or KeyConditionExpression parameter must be specified in the request.");
    }
    page<query_request> answer(in, request);
    answer.expressions().finish();
    const auto tests = key_tests_of(answer.key_condition(), answer.expressions().bound());
    const table& from = in.table_named(request.table_name);
    const view seen(from, request.index_name, request.consistent_read);
    if (seen.index()) {
        query(answer, request, tests, from, seen, index_source(from, *seen.index()));
    } else {
        query(answer, request, tests, from, seen, table_source(from));
    }
    return any_response(answer.finish(from));
}

}  // namespace dynalease::local
