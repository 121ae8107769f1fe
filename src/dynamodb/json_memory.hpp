// Memory for RapidJSON, which goes on with a null pointer where malloc gives it one.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <rapidjson/document.h>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <new>

namespace dynalease::codec {

/// RapidJSON's idea of an allocator.
struct json_memory {
    static constexpr bool kNeedFree = true;

    /// @throws std::bad_alloc
    static void* Malloc(std::size_t size) { return size == 0 ? nullptr : ::operator new(size); }
    static void* Realloc(void* old, std::size_t old_size, std::size_t size) {
        void* const fresh = Malloc(size);
        if (old != nullptr && fresh != nullptr) std::memcpy(fresh, old, std::min(old_size, size));
        Free(old);
        return fresh;
    }
    static void Free(void* memory) noexcept { ::operator delete(memory); }
};

using json_pool = rapidjson::MemoryPoolAllocator<json_memory>;
using json_value = rapidjson::GenericValue<rapidjson::UTF8<>, json_pool>;

}  // namespace dynalease::codec
