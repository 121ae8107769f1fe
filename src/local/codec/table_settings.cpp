// Reading what a table is set to, with the service's words for what is wrong with it.
// SPDX-License-Identifier: BSL-1.0
#include "local/codec/table_settings.hpp"

#include <utility>

namespace dynalease::codec {

namespace {

constexpr std::string_view replicas = "there is one database for all Regions, and no replicas of it";
constexpr std::pair<const char*, std::string_view> members[] = {
    {"GlobalTableSettingsReplicationMode", replicas},
    {"GlobalTableSourceArn", replicas},
    {"GlobalTableWitnessUpdates", replicas},
    {"MultiRegionConsistency", replicas},
    {"ReplicaUpdates", replicas},
    {"ResourcePolicy", "whoever has the keys may do everything"},
    {"WarmThroughput", "throughput has no limit, and needs no warming"},
};

void check_bound(std::int64_t units, std::string_view name) {
    constexpr std::int64_t most_units = 1'000'000'000'000;
    if (units <= most_units) return;
    refuse_table("Given value " + std::to_string(units) + " for " + std::string(name) + " is out of bounds");
}

}  // namespace

void refuse_table(std::string what) {
    throw malformed{errc::validation, std::move(what)};
}
void refuse_table_parameter(std::string what) {
    refuse_table("One or more parameter values were invalid: " + std::move(what));
}

void refuse_unserved(json_input in) {
    for (const auto& [name, why] : members) {
        if (!in.find(name)) continue;
        throw malformed{errc::validation,
                        std::string(name) + " is not supported by this server: " + std::string(why) + ". Leave it out"};
    }
}

void check_bounds(const throughput& units) {
    check_bound(units.read_units, "ReadCapacityUnits");
    check_bound(units.write_units, "WriteCapacityUnits");
}

void check_billing(const create_table_request& request) {
    if (request.billing == billing_mode::pay_per_request) {
        if (!request.provisioned) return;
        refuse_table_parameter(
            "Neither ReadCapacityUnits nor WriteCapacityUnits can be specified when BillingMode is PAY_PER_REQUEST");
    }
    if (!request.provisioned) {
        refuse_table_parameter(
            "ReadCapacityUnits and WriteCapacityUnits must both be specified when BillingMode is PROVISIONED");
    }
    check_bounds(*request.provisioned);
}

stream_request read_stream(json_input in, const stream_words& words) {
    stream_request stream;
    const auto* specification = in.find("StreamSpecification");
    if (!specification) return stream;
    field_reader inner(json_input{*specification});
    inner.optional("StreamEnabled", stream.enabled);
    inner.optional("StreamViewType", stream.view);
    if (*stream.enabled && !stream.view) refuse_table_parameter(words.without_view);
    if (!*stream.enabled && stream.view) refuse_table_parameter(words.with_view);
    return stream;
}

void check_on_demand(const std::optional<on_demand_limits>& limits, std::optional<billing_mode> billing) {
    if (!limits) return;
    const auto check = [&](const std::optional<std::int64_t>& units, const std::string& name) {
        if (!units) return;
        if (billing == billing_mode::provisioned) {
            refuse_table_parameter(name +
                                   " for OnDemandThroughput cannot be specified when the table BillingMode is "
                                   "PROVISIONED");
        }
        constexpr std::int64_t no_limit = -1;
        if (*units < 1 && *units != no_limit) {
            refuse_table_parameter("Requested " + name + " for OnDemandThroughput for table is outside of valid range");
        }
    };
    check(limits->read_units, "MaxReadRequestUnits");
    check(limits->write_units, "MaxWriteRequestUnits");
}

std::optional<encryption> read_encryption(json_input in) {
    const auto* given = in.find("SSESpecification");
    if (!given) return std::nullopt;
    field_reader inner(json_input{*given});
    std::optional<bool> enabled;
    std::string type;
    encryption result;
    inner.optional("Enabled", enabled);
    inner.optional("SSEType", type);
    inner.optional("KMSMasterKeyId", result.key);
    if (!enabled.value_or(false)) {
        if (!type.empty()) refuse_table_parameter("SSEType can not be specified if Enabled is false");
        if (!result.key.empty()) refuse_table_parameter("KMSMasterKeyId can not be specified if Enabled is false");
        return std::nullopt;
    }
    if (type == "AES256") refuse_table_parameter("SSEType AES256 is not supported");
    if (type.empty() && !result.key.empty()) {
        refuse_table_parameter("SSEType KMS is required if KMSMasterKeyId is specified");
    }
    return result;
}

void check_table_class(const std::string& name) {
    if (name.empty() || name == "STANDARD" || name == "STANDARD_INFREQUENT_ACCESS") return;
    refuse_table(
        "Invalid table-class parameter provided. Please try again with a valid table-class value: [STANDARD, "
        "STANDARD_INFREQUENT_ACCESS].");
}

void check_alone(const update_table_request& request, bool has_index_changes) {
    const bool has_more = request.provisioned || has_index_changes || request.stream_enabled;
    const bool has_others = has_more || request.billing || request.on_demand;
    const auto refuse_with_others = [](const std::string& what) {
        refuse_table_parameter(what + " modification must be the only operation in the request");
    };
    const bool has_class = !request.table_class.empty();
    if (request.encryption_enabled && (has_others || has_class || request.deletion_protected)) {
        refuse_with_others("Server-Side Encryption");
    }
    if (has_class && (has_others || request.deletion_protected)) refuse_with_others("TableClass");
    if (request.deletion_protected && has_others) refuse_with_others("DeletionProtection");
    if (request.on_demand && has_more) {
        refuse_table_parameter("OnDemandThroughput can only be combined with BillingMode in an UpdateTable request");
    }
}

}  // namespace dynalease::codec
