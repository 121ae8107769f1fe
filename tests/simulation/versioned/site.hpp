// One process of a world of versioned items: its machine, its caller, and what its network tells.
#pragma once

#include "simulation/versioned/caller.hpp"
#include "simulation/versioned/world.hpp"

#include <dynalease/testing/node.hpp>

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>

namespace dynalease::simulation::versions {

class site final : public testing::network_observer {
public:
    site(version_world& where, std::size_t index);
    ~site() override;

    version_world& world() noexcept { return world_; }
    testing::node& machine() noexcept { return machine_; }
    const std::string& name() const noexcept { return name_; }
    caller* user() const noexcept { return caller_.get(); }
    /// Coroutines of the caller that stand somewhere.
    std::size_t frames = 0;

    void open();
    void crash(clock::duration down);
    /// After a crash, or once its caller has gone.
    void reopen();

    /// What the requests of an intent met; forgets it.
    struct account_of_requests {
        bool unanswered = false;
        std::optional<serial> last_refusal{};
    };
    account_of_requests requests_of(std::int64_t number);

    void sent(const testing::logged_request& entry, const any_request& request) override;
    void applied(const testing::logged_request& entry, const any_request& request,
                 const result<any_response>& answer) override;
    void answered(const testing::logged_request& entry, const any_request& request,
                  const result<any_response>& answer) override;

private:
    /// A request on its way, perhaps long after its caller has gone.
    struct sent_request {
        std::int64_t number = 0;
        std::optional<serial> met{};
    };

    version_world& world_;
    const std::size_t index_;
    const std::string name_;
    testing::node machine_;
    std::uint64_t lives_ = 0;
    std::shared_ptr<caller> caller_;
    std::unordered_map<const testing::logged_request*, sent_request> requests_;
    std::map<std::int64_t, account_of_requests> accounts_;
    std::set<std::string> carried_out_;  ///< transactions, by token
};

}  // namespace dynalease::simulation::versions
