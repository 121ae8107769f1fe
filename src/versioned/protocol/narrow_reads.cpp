// Which attributes stand for the members of a struct.
// SPDX-License-Identifier: BSL-1.0
#include "versioned/protocol/narrow_reads.hpp"

#include "item/protocol/item_mark.hpp"

#include <set>

namespace dynalease::protocol {

std::vector<path> shown_attributes(const item_layout& layout, const std::vector<std::string>& members) {
    std::set<std::string> names(members.begin(), members.end());
    names.insert({layout.key, layout.version, layout.stamp, item_attribute::born, item_attribute::trail,
                  item_attribute::gone, item_attribute::versioned_by});
    if (!layout.sort.empty()) names.insert(layout.sort);
    std::set<std::string> marks{mark_attribute::owner,
                                mark_attribute::before,
                                mark_attribute::kind,
                                mark_attribute::write,
                                mark_attribute::stamp_name,
                                next_version_name(layout.version),
                                layout.writer(),
                                layout.readers()};
    for (const auto& name : names) marks.insert(image_name(name));
    names.merge(marks);
    return {names.begin(), names.end()};
}

}  // namespace dynalease::protocol
