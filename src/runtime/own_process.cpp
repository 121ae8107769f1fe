// A number that the kernel takes from the children. It costs less at each use than asking for the process id.
// SPDX-License-Identifier: BSL-1.0
#include "runtime/own_process.hpp"

#include <pthread.h>
#include <sys/mman.h>

#include <atomic>
#include <new>

namespace dynalease::runtime {

namespace {

using number = std::atomic<unsigned>;

/// This process's number; 0 in a child that has not looked yet. Not every child is made by fork(), which alone runs
/// the handlers of pthread_atfork: the kernel empties the page in all of them.
number& own_number() noexcept {
    static number without_page{1};
    static number& own = [&]() -> number& {
        void* const page = ::mmap(nullptr, sizeof(number), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (page == MAP_FAILED) return without_page;
        ::madvise(page, sizeof(number), MADV_WIPEONFORK);  // before Linux 4.14 the handler below is all there is
        return *new (page) number(1);
    }();
    return own;
}

[[maybe_unused]] const int registered = ::pthread_atfork(nullptr, nullptr, [] { own_number() = 0; });

number last{1};  ///< given to this process or to one that it was copied from

}  // namespace

unsigned own_process::number_here() noexcept {
    auto& own = own_number();
    unsigned seen = own.load(std::memory_order_relaxed);
    if (seen != 0) return seen;
    const unsigned next = last.fetch_add(1) + 1;
    return own.compare_exchange_strong(seen, next) ? next : seen;
}

}  // namespace dynalease::runtime
