// Capacity units.
#include "local/capacity.hpp"

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

}  // namespace dynalease::local
