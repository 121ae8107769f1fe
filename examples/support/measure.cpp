// Reads getrusage, /proc/self/status and the allocator's own books.
// SPDX-License-Identifier: BSL-1.0
#include "support/measure.hpp"

#include <malloc.h>
#include <sys/resource.h>

#include <fstream>
#include <stdexcept>
#include <string>

namespace support {
namespace {

double seconds(const timeval& time) {
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * 1e-6;
}

std::uint64_t status_field(const std::string& name) {
    std::ifstream status("/proc/self/status");
    for (std::string field; status >> field; status.ignore(4096, '\n')) {
        std::uint64_t value = 0;
        if (field == name && status >> value) return value;
    }
    throw std::runtime_error("/proc/self/status has no " + name);
}

}  // namespace

double cpu_seconds() {
    rusage usage{};
    ::getrusage(RUSAGE_SELF, &usage);
    return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

std::uint64_t resident_kib() {
    ::malloc_trim(0);
    return status_field("VmRSS:");
}

std::uint64_t allocated_bytes() {
    const auto books = ::mallinfo2();
    return books.uordblks + books.hblkhd;
}

std::uint64_t thread_count() {
    return status_field("Threads:");
}

}  // namespace support
