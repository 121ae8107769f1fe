// Tables and their time to live.
#include "local/operations.hpp"
#include "local/refusal.hpp"

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

}  // namespace

result<any_response> execute(const context& in, const create_table_request& request) {
    check_table_name(request.table_name);
    check_key_attribute(request.key.hash);
    if (request.key.range) {
        check_key_attribute(*request.key.range);
        if (request.key.range->name == request.key.hash.name) {
            refuse("Both the Hash Key and the Range Key element in the KeySchema have the same name");
        }
    }
    if (!request.global_indexes.empty() || !request.local_indexes.empty()) {
        refuse("One or more parameter values were invalid: this server has no secondary indexes");
    }
    const auto [at, created] = in.state.tables.try_emplace(request.table_name, request.table_name, request.key);
    if (!created) throw refusal(errc::table_in_use, "Table already exists: " + request.table_name);
    return any_response(create_table_response{at->second.describe()});
}

result<any_response> execute(const context& in, const describe_table_request& request) {
    return any_response(describe_table_response{in.table_named(request.table_name).describe()});
}

result<any_response> execute(const context& in, const delete_table_request& request) {
    delete_table_response answer{in.table_named(request.table_name).describe()};
    answer.table.status = "DELETING";
    in.state.tables.erase(answer.table.table_name);
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

result<any_response> execute(const context& in, const update_time_to_live_request& request) {
    table& where = in.table_named(request.table_name);
    if (request.attribute_name.empty() || request.attribute_name.size() > longest_attribute_name) {
        refuse("1 validation error detected: Value '" + request.attribute_name +
               "' at 'timeToLiveSpecification.attributeName' failed to satisfy constraint: Member must have length "
               "between 1 and 255");
    }
    const std::string& present = where.ttl_attribute();
    if (request.enabled) {
        if (present == request.attribute_name) refuse("TimeToLive is already enabled");
        if (!present.empty()) {
            refuse("TimeToLive is active on a different AttributeName: current AttributeName is " + present);
        }
        where.set_ttl_attribute(request.attribute_name);
    } else {
        if (present.empty()) refuse("TimeToLive is already disabled");
        if (present != request.attribute_name) {
            refuse("TimeToLive is active on a different AttributeName: current AttributeName is " + present);
        }
        where.set_ttl_attribute({});
    }
    return any_response(update_time_to_live_response{});
}

result<any_response> execute(const context& in, const describe_time_to_live_request& request) {
    const table& where = in.table_named(request.table_name);
    const bool enabled = !where.ttl_attribute().empty();
    return any_response(describe_time_to_live_response{where.ttl_attribute(), enabled ? "ENABLED" : "DISABLED"});
}

}  // namespace dynalease::local
