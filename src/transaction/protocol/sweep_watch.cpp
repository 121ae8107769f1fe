// Watching rows that stand still.
// SPDX-License-Identifier: BSL-1.0
#include "transaction/protocol/sweep_watch.hpp"

#include "session/protocol/row.hpp"

namespace dynalease::protocol {

scan_request open_transactions(const std::string& table, const item_key& from) {
    scan_request request{
        .table_name = table,
        .filter_expression = "begins_with(#pk, :prefix) AND attribute_exists(#state) AND attribute_not_exists(#done)",
        .names = {{"#pk", attribute::partition}, {"#done", header_attribute::done}, {"#state", attribute::state}},
        .exclusive_start_key = from};
    request.values.emplace(":prefix", transaction_prefix);
    return request;
}

sweep_step sweep_watch::sight(const transaction_header& header, time_point now) {
    if (header.done) return sweep_step::leave;
    const auto place = header.name.id + "/" + header.sort;
    const auto [at, is_new] = seen_.try_emplace(place, state{header.name, header.state, header.beat, now, now});
    auto& known = at->second;
    known.last = now;
    if (header.aside_until) return is_new ? sweep_step::look : sweep_step::leave;
    const bool moved = known.name != header.name || known.decided != header.state || known.beat != header.beat;
    if (moved) known = {header.name, header.state, header.beat, now, now};
    if (is_new || moved || now - known.since < older_than_) return sweep_step::leave;
    return header.state == header_state::pending ? sweep_step::roll_back : sweep_step::finish;
}

void sweep_watch::end_pass(time_point began) {
    std::erase_if(seen_, [&](const auto& each) { return each.second.last < began; });
}

}  // namespace dynalease::protocol
