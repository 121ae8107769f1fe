// Plans: a script, and chance.
// SPDX-License-Identifier: BSL-1.0
#include <dynalease/testing/faults.hpp>
#include <dynalease/testing/seeded_random.hpp>

#include <algorithm>
#include <cstddef>
#include <memory>
#include <numeric>
#include <stdexcept>
#include <utility>

namespace dynalease::testing {

fault_plan scripted_faults(std::vector<fault> fates) {
    return [fates = std::move(fates), next = std::size_t{0}](const any_request&, const call_options&) mutable {
        return next < fates.size() ? fates[next++] : fault{};
    };
}

namespace {

/// The fourth power makes most delays short and a few as long as can be: races hide at both ends.
clock::duration draw_delay(random& chance, const fault_rates& rates) {
    if (chance.unit() >= rates.delay) return {};
    const double part = chance.unit();
    return std::chrono::duration_cast<clock::duration>(part * part * part * part * rates.longest_delay);
}

fault draw_fault(random& chance, const fault_rates& rates) {
    fault fate;
    fate.before = draw_delay(chance, rates);
    fate.after = draw_delay(chance, rates);
    double drawn = chance.unit();
    const auto hit = [&drawn](double rate) {
        drawn -= rate;
        return drawn < 0;
    };
    if (hit(rates.lose_request)) {
        fate.what = fault::kind::lose_request;
    } else if (hit(rates.lose_answer)) {
        fate.what = fault::kind::lose_answer;
    } else if (hit(rates.apply_twice)) {
        fate.what = fault::kind::apply_twice;
        fate.copy = draw_delay(chance, rates);
    } else if (hit(rates.throttle)) {
        fate.what = fault::kind::fail;
        fate.answer = failure(errc::throttled, outcome::not_applied);
    } else if (hit(rates.server_error)) {
        fate.what = chance.below(2) == 0 ? fault::kind::fail : fault::kind::apply_then_fail;
        fate.answer = failure(errc::server_error, outcome::unknown);
    }
    return fate;
}

}  // namespace

fault_plan seeded_faults(std::uint64_t seed, const fault_rates& rates) {
    const auto all = {rates.lose_request, rates.lose_answer, rates.apply_twice, rates.throttle, rates.server_error};
    const bool fit = std::ranges::all_of(all, [](double rate) { return rate >= 0; });
    if (!fit || std::accumulate(all.begin(), all.end(), 0.0) > 1 + 1e-9) {
        throw std::invalid_argument("the rates of seeded_faults are at least 0, and together at most 1");
    }
    return [chance = seeded_random(seed), rates](const any_request&, const call_options&) {
        return draw_fault(*chance, rates);
    };
}

}  // namespace dynalease::testing
