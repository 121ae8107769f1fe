// Scan, whole or by segments.
// SPDX-License-Identifier: BSL-1.0
#include "dynamodb/key_parts.hpp"
#include "local/codec/segments.hpp"
#include "local/operations/page.hpp"
#include "local/operations/source.hpp"
#include "local/values/refusal.hpp"

#include <utility>

namespace dynalease::local {

namespace {

/// The share of a segment in the slots of the hash keys.
class segment_filter {
public:
    explicit segment_filter(const scan_request& request) {
        if (auto fault = segment_fault(request); !fault.empty()) refuse(std::move(fault));
        if (!request.segment) return;
        segment_ = static_cast<std::uint64_t>(*request.segment);
        total_ = static_cast<std::uint64_t>(*request.total_segments);
    }

    bool is_before(const row_key& key) const { return segment_at(key) < segment_; }
    bool is_behind(const row_key& key) const { return segment_at(key) > segment_; }
    /// Refuses a start in another segment.
    void check_start(const row_key& start) const {
        if (segment_at(start) == segment_) return;
        refuse(
            "The provided starting key is invalid: Invalid ExclusiveStartKey. Please use ExclusiveStartKey with "
            "correct "
            "Segment. TotalSegments: " +
            std::to_string(total_) + " Segment: " + std::to_string(segment_));
    }
    /// Where the segment begins, or a little before.
    row_key first() const { return {segment_ == 0 ? 0 : ((segment_ << 32U) / total_) << 32U, {}, {}}; }

private:
    std::uint64_t segment_at(const row_key& key) const { return ((key.slot >> 32U) * total_) >> 32U; }

    std::uint64_t segment_ = 0;
    std::uint64_t total_ = 1;
};

/// Refuses a start that does not fit what is scanned; the part of it that is the table's key is left for later.
void check_start(const item_key& start, std::size_t wanted, const table_index* index) {
    if (start.size() != wanted) {
        refuse(index ? "The provided starting key is invalid"
                     : "The provided starting key is invalid: The provided key element does not match the schema");
    }
    if (!index) return;
    each_hash(index->key(), [&](const key_attribute& part) { check_start_part(part, start, true); });
    each_range(index->key(), [&](const key_attribute& part) { check_start_part(part, start, false); });
}

template <class Source>
void scan(page<scan_request>& answer, const scan_request& request, const table& of, const view& seen,
          const Source& from, const segment_filter& segment) {
    const item_key& start = request.exclusive_start_key;
    if (!start.empty()) check_start(start, from.start_size(), seen.index());
    answer.look_at(seen);
    auto at = from.at_or_after(segment.first());
    if (!start.empty()) {
        const auto after = from.position_of(start);
        segment.check_start(Source::key_of(after));
        at = from.after(after);
    }
    answer.check_projection(of);
    answer.check_filter(of);
    while (at != from.end() && segment.is_before(Source::key_at(at))) ++at;
    for (; at != from.end() && !segment.is_behind(Source::key_at(at)); ++at) {
        if (!answer.take(Source::row_at(at), Source::size_at(at)))
            return answer.end_at(from.start_after(answer.last()));
    }
}

}  // namespace

result<any_response> execute(const context& in, const scan_request& request) {
    const segment_filter segment(request);
    page<scan_request> answer(in, request);
    answer.expressions().finish();
    const table& from = in.table_named(request.table_name);
    const view seen(from, request.index_name, request.consistent_read);
    if (seen.index()) {
        scan(answer, request, from, seen, index_source(from, *seen.index()), segment);
    } else {
        scan(answer, request, from, seen, table_source(from), segment);
    }
    return any_response(answer.finish(from));
}

}  // namespace dynalease::local
