// What all connections of a server together may hold of large requests and answers.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <dynalease/runtime/time.hpp>

#include <chrono>
#include <cstddef>
#include <functional>
#include <list>
#include <utility>

namespace dynalease::local {

/// When it is used up, whoever has had his share for longest gives way: a peer that sends or reads slowly, or not at
/// all, hinders the others no longer than a term.
class memory_budget {
public:
    /// A buffer up to this size needs no share: there are many connections, but few are in the midst of a request.
    static constexpr std::size_t free_size = 64 * 1024;
    /// So long nobody has to give way.
    static constexpr std::chrono::seconds term{3};

    explicit memory_budget(std::size_t bytes) : left_(bytes) {}

    /// What one connection has of it. Must not outlive it.
    class share {
    public:
        /// @param give_way is called when the share is lost: the buffer that it covered has to go.
        share(memory_budget& budget, std::function<void()> give_way)
            : budget_(budget), give_way_(std::move(give_way)) {}
        ~share() { release(); }
        share(const share&) = delete;
        share& operator=(const share&) = delete;

        /// Makes it as large as a buffer of `size` needs. @returns false, and stays as it is, if too little is left.
        bool cover(std::size_t size, time_point now);
        void release() noexcept;

    private:
        friend memory_budget;

        memory_budget& budget_;
        std::function<void()> give_way_;
        std::size_t taken_ = 0;
        time_point since_{};
        std::list<share*>::iterator place_{};  ///< among the holders, if something is taken
    };

private:
    bool take_back(time_point now, const share* wanted_for);

    std::size_t left_;
    std::list<share*> holders_{};  ///< in the order of their taking
};

}  // namespace dynalease::local
