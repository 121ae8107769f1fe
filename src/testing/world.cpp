// The world's own DynamoDB, and the faults that only a store can have.
// SPDX-License-Identifier: BSL-1.0
#include "testing/request_key.hpp"

#include <dynalease/testing/seeded_random.hpp>
#include <dynalease/testing/world.hpp>

#include <map>
#include <string>
#include <type_traits>

namespace dynalease::testing {

world::world(std::uint64_t seed) : world(seed == 0 ? nullptr : seeded_random(seed)) {}
world::world(tape& choices) : world(choices.random("order of steps")) {}
world::world(std::shared_ptr<random> order)
    : scheduler_(std::move(order)),
      store_clock_(std::make_shared<virtual_clock>(scheduler_.main())),
      store_(environment{scheduler_.get_executor(), store_clock_, seeded_random(1)}) {}
world::~world() = default;

void world::create_table(std::string name) {
    create_table_request create{
        .table_name = name,
        .key = {.hash = {.name = "pk"}, .range = key_attribute{.name = "sk"}},
    };
    call(std::move(create)).value();
    call(update_time_to_live_request{.table_name = std::move(name), .attribute_name = "ttl"}).value();
}

result<any_response> world::apply(const any_request& request, fault::kind what) {
    if (what == fault::kind::stale_read) {
        if (auto previous = read_previous(request)) return *std::move(previous);
    }
    if (what == fault::kind::partial_batch) {
        if (std::holds_alternative<batch_write_item_request>(request)) return write_first_half(request);
        if (std::holds_alternative<batch_get_item_request>(request)) return read_first_half(request);
    }
    if (keeps_previous_) remember(request);
    return store_.engine().execute(request, store_clock_->wall());
}

std::optional<item> world::row(std::string_view table, std::string_view partition_key, std::string_view sort_key) {
    get_item_request look{.table_name = std::string(table), .key = {}};
    const auto schema = call(describe_table_request{.table_name = look.table_name}).value().table.key;
    const auto add = [&look](const key_attribute& part, std::string_view value) {
        const bool counts = part.type == scalar_type::n;
        look.key.emplace(part.name, counts ? attribute_value(number(value)) : attribute_value(std::string(value)));
    };
    add(schema.hash, partition_key);
    if (schema.range) add(*schema.range, sort_key);
    return call(std::move(look)).value().found;
}

std::vector<item> world::image(std::string_view table) {
    std::vector<item> rows;
    scan_request scan;
    scan.table_name = table;
    do {
        auto page = call(scan).value();
        for (auto& each : page.items) rows.push_back(std::move(each));
        scan.exclusive_start_key = page.last_evaluated_key;
    } while (!scan.exclusive_start_key.empty());
    return rows;
}

void world::restore(const std::string& table, const std::vector<item>& image) {
    if (call(delete_table_request{.table_name = table})) previous_.clear();
    create_table(table);
    for (const auto& each : image) call(put_item_request{.table_name = table, .new_item = each}).value();
}

// ---- stale reads -------------------------------------------------------------------------------------------

namespace {
std::string row_of(const any_request& request) {
    return std::string(table_of(request)) + "/" + request_key(request);
}
}  // namespace

void world::remember(const any_request& request) {
    std::visit(
        [this](const auto& write) {
            using kind = std::decay_t<decltype(write)>;
            if constexpr (std::is_same_v<kind, update_item_request> || std::is_same_v<kind, delete_item_request>) {
                const any_request read = get_item_request{.table_name = write.table_name, .key = write.key};
                auto before = store_.engine().execute(read, store_clock_->wall());
                if (!before) return;
                previous_[row_of(read)] = std::get<get_item_response>(*std::move(before)).found;
            }
        },
        request);
}

std::optional<result<any_response>> world::read_previous(const any_request& request) const {
    const auto* read = std::get_if<get_item_request>(&request);
    if (read == nullptr || read->consistent_read) return {};
    const auto known = previous_.find(row_of(request));
    if (known == previous_.end()) return {};
    return any_response(get_item_response{.found = known->second, .consumed = {}});
}

// ---- partial batches ---------------------------------------------------------------------------------------

result<any_response> world::write_first_half(const any_request& request) {
    auto wanted = std::get<batch_write_item_request>(request);
    batch_write_item_response later;
    for (auto& [table, writes] : wanted.tables) {
        const auto half = writes.begin() + static_cast<std::ptrdiff_t>((writes.size() + 1) / 2);
        if (half == writes.end()) continue;
        later.unprocessed[table].assign(half, writes.end());
        writes.erase(half, writes.end());
    }
    auto answer = store_.engine().execute(wanted, store_clock_->wall());
    if (!answer) return answer;
    return any_response(std::move(later));
}

result<any_response> world::read_first_half(const any_request& request) {
    auto wanted = std::get<batch_get_item_request>(request);
    std::map<std::string, keys_and_options> later;
    for (auto& [table, read] : wanted.tables) {
        const auto half = read.keys.begin() + static_cast<std::ptrdiff_t>((read.keys.size() + 1) / 2);
        if (half == read.keys.end()) continue;
        auto& rest = later[table] = read;
        rest.keys.assign(half, read.keys.end());
        read.keys.erase(half, read.keys.end());
    }
    auto answer = store_.engine().execute(wanted, store_clock_->wall());
    if (answer) std::get<batch_get_item_response>(*answer).unprocessed.merge(later);
    return answer;
}

}  // namespace dynalease::testing
