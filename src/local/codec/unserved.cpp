// The operations by name.
// SPDX-License-Identifier: BSL-1.0
#include "local/codec/unserved.hpp"

#include <algorithm>
#include <iterator>

namespace dynalease::codec {

namespace {

constexpr std::string_view operations[] = {
    "BatchExecuteStatement",
    "CreateBackup",
    "CreateGlobalTable",
    "DeleteBackup",
    "DeleteResourcePolicy",
    "DescribeBackup",
    "DescribeContinuousBackups",
    "DescribeContributorInsights",
    "DescribeExport",
    "DescribeGlobalTable",
    "DescribeGlobalTableSettings",
    "DescribeImport",
    "DescribeKinesisStreamingDestination",
    "DescribeTableReplicaAutoScaling",
    "DisableKinesisStreamingDestination",
    "EnableKinesisStreamingDestination",
    "ExecuteStatement",
    "ExecuteTransaction",
    "ExportTableToPointInTime",
    "GetResourcePolicy",
    "ImportTable",
    "ListBackups",
    "ListContributorInsights",
    "ListExports",
    "ListGlobalTables",
    "ListImports",
    "PutResourcePolicy",
    "RestoreTableFromBackup",
    "RestoreTableToPointInTime",
    "UpdateContinuousBackups",
    "UpdateContributorInsights",
    "UpdateGlobalTable",
    "UpdateGlobalTableSettings",
    "UpdateKinesisStreamingDestination",
    "UpdateTableReplicaAutoScaling",
};
constexpr std::string_view stream_operations[] = {"DescribeStream", "GetRecords", "GetShardIterator", "ListStreams"};

template <class Names>
bool contains(const Names& names, std::string_view name) {
    return std::ranges::find(names, name) != std::end(names);
}

}  // namespace

bool is_unserved(std::string_view target) noexcept {
    const auto dot = target.find('.');
    if (dot == std::string_view::npos) return false;
    const std::string_view service = target.substr(0, dot);
    const std::string_view operation = target.substr(dot + 1);
    if (service == "DynamoDBStreams_20120810") return contains(stream_operations, operation);
    return service == "DynamoDB_20120810" && contains(operations, operation);
}

}  // namespace dynalease::codec
