// Virtual time, seeded chance and a strand, as in production.
#include <dynalease/testing/environment.hpp>
#include <dynalease/testing/seeded_random.hpp>

#include <boost/asio/strand.hpp>

#include <memory>

namespace dynalease::testing {

environment make_environment(process& process, std::uint64_t seed, const virtual_clock_options& clock) {
    return {boost::asio::make_strand(process.get_executor()), std::make_shared<virtual_clock>(process, clock),
            seeded_random(seed)};
}

environment make_environment(scheduler& scheduler, std::uint64_t seed) {
    return make_environment(scheduler.main(), seed);
}

}  // namespace dynalease::testing
