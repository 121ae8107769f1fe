// One day of the payment system under one control: customers come, processes are killed, and the books are closed.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "payments/demo/books.hpp"
#include "payments/repositories/intent_repository.hpp"

#include <cstddef>
#include <cstdint>

namespace payments::demo {

struct day_result {
    control how = control::none;
    books closed{};
    customers_count demanded{};
    std::size_t kills = 0;
    bool ended_in_order = false;
    double seconds = 0;
};

day_result live_a_day(control how, std::size_t customers, std::uint64_t seed);

}  // namespace payments::demo
