// The environment of production, and the names that any environment gives.
// SPDX-License-Identifier: BSL-1.0
#include "runtime/context_tenant.hpp"
#include "runtime/identity.hpp"
#include "runtime/serial_executor.hpp"
#include "runtime/system_clock.hpp"
#include "runtime/system_random.hpp"

#include <dynalease/runtime/environment.hpp>

#include <boost/asio/query.hpp>

#include <atomic>
#include <memory>
#include <utility>

namespace dynalease {

namespace {

/// A strand that its context does not outlive may not end at all: its end goes to the context's service, whose memory
/// is then somebody else's. So the last copy of such a strand stays with us for good, some hundred bytes for each
/// client or database that was there longer than its context.
class strand_keeper final : public runtime::context_tenant {
public:
    explicit strand_keeper(boost::asio::any_io_executor strand)
        : context_tenant(boost::asio::query(strand, boost::asio::execution::context)), strand_(std::move(strand)) {}

private:
    void abandon() noexcept override {
        static std::atomic<strand_keeper*> last{nullptr};  // so that those who look for leaks find them all
        self_ = shared_from_this();
        before_ = last.exchange(this);
    }

    boost::asio::any_io_executor strand_;
    std::shared_ptr<context_tenant> self_;
    strand_keeper* before_ = nullptr;
};

/// Members of an environment end from the last to the first: the keeper, if the context still lives, before the strand.
struct kept_clock {
    kept_clock(const boost::asio::any_io_executor& strand, const boost::asio::any_io_executor& executor)
        : keeper(std::make_shared<strand_keeper>(strand)), clock(executor) {}

    std::shared_ptr<strand_keeper> keeper;
    runtime::system_clock clock;
};

}  // namespace

environment environment::system(const boost::asio::any_io_executor& executor) {
    const auto strand = runtime::serial_executor(executor);
    auto kept = std::make_shared<kept_clock>(strand, executor);
    std::shared_ptr<dynalease::clock> clock(kept, &kept->clock);
    return {strand, std::move(clock), std::make_shared<runtime::kernel_random>()};
}

std::array<std::uint64_t, 2> environment::new_identity() const {
    auto elapsed = static_cast<std::uint64_t>(clock->now().time_since_epoch().count());
    auto told = static_cast<std::uint64_t>(clock->wall().time_since_epoch().count());
    const auto high = random->next() ^ runtime::spread(elapsed);
    return {high, random->next() ^ runtime::spread(told)};
}

std::string environment::new_id() const {
    return runtime::text_of_identity(new_identity());
}

}  // namespace dynalease
