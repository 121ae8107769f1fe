// The environment of production.
#include "runtime/system_clock.hpp"
#include "runtime/system_random.hpp"

#include <dynalease/runtime/environment.hpp>

#include <boost/asio/strand.hpp>

namespace dynalease {

environment environment::system(const boost::asio::any_io_executor& executor) {
    return {boost::asio::make_strand(executor), std::make_shared<runtime::system_clock>(executor),
            std::make_shared<runtime::kernel_random>()};
}

}  // namespace dynalease
