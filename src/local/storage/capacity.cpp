// Capacity units.
// SPDX-License-Identifier: BSL-1.0
#include "local/storage/capacity.hpp"

#include <algorithm>

namespace dynalease::local {

namespace {

double begun(std::size_t bytes, std::size_t block) {
    return static_cast<double>(std::max<std::size_t>(1, (bytes + block - 1) / block));
}

}  // namespace

double read_units(std::size_t bytes, read_kind kind) {
    constexpr std::size_t block = 4096;
    constexpr double half = 0.5;
    const double blocks = begun(bytes, block);
    switch (kind) {
        case read_kind::eventual:
            return blocks * half;
        case read_kind::consistent:
            return blocks;
        case read_kind::transactional:
            return blocks * 2;
    }
    return blocks;
}

double write_units(std::size_t bytes) {
    constexpr std::size_t block = 1024;
    return begun(bytes, block);
}

void capacity::add(const capacity& more, double times) {
    own += more.own * times;
    for (const auto& [index, units] : more.global) global[index] += units * times;
    for (const auto& [index, units] : more.local) local[index] += units * times;
}

consumed_capacity capacity::report(const std::string& table, bool by_index) const {
    consumed_capacity result{table, own};
    for (const auto& [index, units] : global) result.capacity_units += units;
    for (const auto& [index, units] : local) result.capacity_units += units;
    if (!by_index) return result;
    result.table_units = own;
    result.global_index_units = global;
    result.local_index_units = local;
    return result;
}

}  // namespace dynalease::local
