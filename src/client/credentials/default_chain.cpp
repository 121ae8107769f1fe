// Room client: the chain of sources.
// SPDX-License-Identifier: BSL-1.0
#include "client/credentials/default_chain.hpp"

#include "client/credentials/sources.hpp"

#include <utility>
#include <vector>

namespace dynalease::keys {

namespace {

class role_keys final : public credentials_provider {
public:
    role_keys(shared_surroundings around, std::shared_ptr<credentials_provider> base, assumed_role role)
        : around_(std::move(around)), base_(std::move(base)), role_(std::move(role)) {}

    fetched get() override {
        auto base = co_await base_->get();
        if (!base) co_return std::move(base).error();
        auto wanted = role_;
        auto keys = co_await assume_role(around_, *std::move(base), std::move(wanted));
        co_return keys;
    }

    void invalidate() noexcept override { base_->invalidate(); }

private:
    shared_surroundings around_;
    std::shared_ptr<credentials_provider> base_;
    assumed_role role_;
};

}  // namespace

std::shared_ptr<credentials_provider> role_provider(shared_surroundings around,
                                                    std::shared_ptr<credentials_provider> base, assumed_role role) {
    return std::make_shared<role_keys>(std::move(around), std::move(base), std::move(role));
}

std::shared_ptr<credentials_provider> default_chain(shared_surroundings around, std::optional<assumed_role> role) {
    std::vector<source> sources;
    if (around->profile.empty()) sources.push_back(aws::environment_source(around->config));
    sources.push_back(profile_source(around));
    sources.push_back(web_identity_source(around));
    sources.push_back(container_source(around));
    sources.push_back(instance_source(around));
    auto found = aws::credentials_chain(std::move(sources));
    return role ? role_provider(std::move(around), std::move(found), *std::move(role)) : found;
}

}  // namespace dynalease::keys
