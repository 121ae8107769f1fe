// Making, describing, listing and deleting tables.
// SPDX-License-Identifier: BSL-1.0
#include "dynamodb/key_parts.hpp"
#include "local/operations/operations.hpp"
#include "local/values/refusal.hpp"

#include <dynalease/local/engine.hpp>

#include <functional>
#include <random>
#include <utility>

namespace dynalease::local {

namespace {

constexpr std::size_t longest_attribute_name = 255;

void check_key_attribute(const key_attribute& attribute) {
    if (attribute.name.empty() || attribute.name.size() > longest_attribute_name) {
        refuse("1 validation error detected: Value '" + attribute.name +
               "' at 'keySchema.member.attributeName' failed to satisfy constraint: Member must have length between "
               "1 and 255");
    }
}

void check_index(const secondary_index& index) {
    each_part(index.key, check_key_attribute);
}

/// A text of the form of a UUID, the same for the same name and time.
std::string id_of(std::string_view name, engine::time now) {
    std::mt19937_64 digits(std::hash<std::string_view>{}(name) ^
                           static_cast<std::uint64_t>(now.time_since_epoch().count()));
    std::string id;
    for (const char c : std::string_view("xxxxxxxx-xxxx-4xxx-axxx-xxxxxxxxxxxx")) {
        constexpr std::uint64_t base = 16;
        id.push_back(c == 'x' ? "0123456789abcdef"[digits() % base] : c);
    }
    return id;
}

double epoch_seconds(engine::time when) {
    constexpr double milliseconds = 1000;
    return static_cast<double>(when.time_since_epoch().count()) / milliseconds;
}

table_description settings_of(const create_table_request& request, const context& in) {
    table_description settings;
    settings.table_name = request.table_name;
    settings.status = "ACTIVE";
    settings.key = request.key;
    settings.arn = arn_of_table(request.table_name);
    settings.id = id_of(request.table_name, in.now);
    settings.created = epoch_seconds(in.now);
    settings.billing = request.billing;
    settings.provisioned = request.provisioned.value_or(throughput{});
    if (request.billing == billing_mode::pay_per_request) settings.pay_per_request_since = settings.created;
    settings.deletion_protected = request.deletion_protected;
    settings.table_class = request.table_class;
    settings.on_demand = request.on_demand;
    if (request.encrypted) settings.encrypted = encryption{arn_of_key(request.encrypted->key)};
    return settings;
}

}  // namespace

std::string arn_of_key(const std::string& key) {
    if (key.starts_with("arn:")) return key;
    const std::string of_account = "arn:aws:kms:us-east-1:" + std::string(own_account) + ":";
    if (key.starts_with("alias/")) return of_account + key;
    return of_account + "key/" + (key.empty() ? id_of("aws/dynamodb", {}) : key);
}

void refuse_stream() {
    refuse("Streams are not supported by this server. Leave StreamSpecification out");
}

result<any_response> execute(const context& in, const create_table_request& request) {
    check_table_name(request.table_name);
    check_key_attribute(request.key.hash);
    if (request.key.range) {
        check_key_attribute(*request.key.range);
        if (request.key.range->name == request.key.hash.name) {
            refuse("Both the Hash Key and the Range Key element in the KeySchema have the same name");
        }
    }
    for (const auto* group : {&request.global_indexes, &request.local_indexes}) {
        for (const secondary_index& index : *group) check_index(index);
    }
    check_tags(request.tags);
    if (request.stream) refuse_stream();
    const auto [at, created] = in.state.tables.try_emplace(request.table_name, settings_of(request, in));
    if (!created) throw refusal(errc::table_in_use, "Table already exists: " + request.table_name);
    table& made = at->second;
    for (const secondary_index& index : request.global_indexes) made.add_index(index, true);
    for (const secondary_index& index : request.local_indexes) made.add_index(index, false);
    made.tags() = request.tags;
    in.state.note_table(made);
    create_table_response answer{made.describe()};
    answer.table.status = "CREATING";
    answer.table.pay_per_request_since = 0;  // told of the table that stands
    for (index_description& index : answer.table.global_indexes) index.status = "CREATING";
    return any_response(std::move(answer));
}

result<any_response> execute(const context& in, const describe_table_request& request) {
    return any_response(describe_table_response{in.described_table(request.table_name).describe()});
}

result<any_response> execute(const context& in, const delete_table_request& request) {
    table& gone = in.described_table(request.table_name);
    if (gone.settings().deletion_protected) {
        refuse(
            "Resource cannot be deleted as it is currently protected against deletion. Disable deletion protection "
            "first.");
    }
    delete_table_response answer{gone.describe()};
    answer.table.status = "DELETING";
    in.state.work.forget(&gone);
    in.state.note_deleted(gone);
    in.state.tables.erase(answer.table.table_name);
    // Of what goes away the service tells no keys, no indexes and no age.
    answer.table.key = {};
    answer.table.global_indexes.clear();
    answer.table.local_indexes.clear();
    answer.table.created = 0;
    return any_response(std::move(answer));
}

result<any_response> execute(const context& in, const list_tables_request& request) {
    constexpr std::int32_t most_names = 100;
    const std::int32_t limit = request.limit.value_or(most_names);
    if (limit < 1 || limit > most_names) {
        refuse("1 validation error detected: Value '" + std::to_string(limit) +
               "' at 'limit' failed to satisfy constraint: Member must have value between 1 and 100");
    }
    list_tables_response answer;
    auto at = in.state.tables.upper_bound(request.exclusive_start_table_name);
    for (; at != in.state.tables.end() && answer.table_names.size() < static_cast<std::size_t>(limit); ++at) {
        answer.table_names.push_back(at->first);
    }
    if (at != in.state.tables.end()) answer.last_evaluated_table_name = answer.table_names.back();
    return any_response(std::move(answer));
}

}  // namespace dynalease::local
