// The models of the requests, one for each operation.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "local/codec/shape.hpp"

namespace dynalease::codec::shapes {

extern const shape put_item;
extern const shape get_item;
extern const shape update_item;
extern const shape delete_item;
extern const shape query;
extern const shape scan;
extern const shape batch_get_item;
extern const shape batch_write_item;
extern const shape transact_write_items;
extern const shape transact_get_items;

extern const shape create_table;
extern const shape update_table;
extern const shape named_table;  ///< DescribeTable, DeleteTable, DescribeTimeToLive
extern const shape list_tables;
extern const shape update_time_to_live;
extern const shape tag_resource;
extern const shape untag_resource;
extern const shape list_tags_of_resource;
extern const shape nothing;  ///< DescribeLimits, DescribeEndpoints

}  // namespace dynalease::codec::shapes
