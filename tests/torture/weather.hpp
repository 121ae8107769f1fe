// Which request is struck by which fault: by chance, more or less often, and now and then aimed at one kind.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "torture/dice.hpp"
#include "torture/traffic.hpp"

#include <chrono>
#include <cstdint>
#include <optional>
#include <string_view>

namespace torture {

enum class request_fault {
    none,
    lose_request,  ///< it never reaches the store
    hold_request,  ///< it reaches the store late
    repeat,        ///< it reaches the store twice, the second time perhaps late
    lose_answer,   ///< the store did it, and nobody hears of it
    cut_answer,    ///< half of the answer arrives
    slow_answer,   ///< the answer drips
    error_before,  ///< 500, and the store never saw it
    error_after,   ///< 500, but the store did it
    throttle,      ///< the store is said to be too busy
};
inline constexpr std::uint64_t kinds_of_request_fault = static_cast<std::uint64_t>(request_fault::throttle);

std::string_view to_string(request_fault fault) noexcept;

struct strike {
    request_fault fault = request_fault::none;
    std::chrono::milliseconds delay{0};  ///< of what is late or slow; zero: a connection is cut at once, not hung
};

class weather {
public:
    explicit weather(dice chance) : chance_(std::move(chance)) {}

    /// Hardly any faults.
    void calm() noexcept;
    /// More of them, perhaps of one kind of request only.
    void turn();
    strike next(traffic kind);

private:
    dice chance_;
    std::uint64_t per_mille_ = 10;
    std::optional<traffic> aim_{};
};

}  // namespace torture
