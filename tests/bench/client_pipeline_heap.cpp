// Bench support: `operator new` that counts. OpenSSL allocates by itself and is not seen.
// SPDX-License-Identifier: BSL-1.0
#include "client_pipeline_heap.hpp"

#include <malloc.h>

#include <cstdlib>
#include <new>

namespace {

bench::heap_use used;

void* take(std::size_t size) {
    void* memory = std::malloc(size);
    if (memory == nullptr) throw std::bad_alloc();
    ++used.allocations;
    used.bytes += ::malloc_usable_size(memory);
    return memory;
}

void give_back(void* memory) noexcept {
    used.bytes -= ::malloc_usable_size(memory);
    std::free(memory);
}

}  // namespace

bench::heap_use bench::heap() noexcept {
    return used;
}

void* operator new(std::size_t size) {
    return take(size);
}
void* operator new[](std::size_t size) {
    return take(size);
}
void operator delete(void* memory) noexcept {
    give_back(memory);
}
void operator delete[](void* memory) noexcept {
    give_back(memory);
}
void operator delete(void* memory, std::size_t) noexcept {
    give_back(memory);
}
void operator delete[](void* memory, std::size_t) noexcept {
    give_back(memory);
}
