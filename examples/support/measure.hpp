// What a process costs: CPU time, memory, threads.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstdint>

namespace support {

/// User and system time of this process, without its children, in seconds.
double cpu_seconds();

/// Resident memory of this process in KiB, after the allocator gave back what it does not use.
std::uint64_t resident_kib();

/// Bytes in blocks that `malloc` handed out and that were not freed.
std::uint64_t allocated_bytes();

std::uint64_t thread_count();

}  // namespace support
