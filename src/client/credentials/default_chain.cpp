// Room client: the chain of sources.
// SPDX-License-Identifier: BSL-1.0
#include "client/credentials/default_chain.hpp"

#include "client/credentials/sources.hpp"

#include <utility>
#include <vector>

namespace dynalease::detail {

namespace {

class role_credentials final : public credentials_provider {
public:
    role_credentials(shared_source_context context, std::shared_ptr<credentials_provider> base, assumed_role role)
        : context_(std::move(context)), base_(std::move(base)), role_(std::move(role)) {}

    fetched_credentials get() override {
        auto base = co_await base_->get();
        if (!base) co_return std::move(base).error();
        auto wanted = role_;
        auto keys = co_await assume_role(context_, *std::move(base), std::move(wanted));
        co_return keys;
    }

    void invalidate() noexcept override { base_->invalidate(); }

private:
    shared_source_context context_;
    std::shared_ptr<credentials_provider> base_;
    assumed_role role_;
};

}  // namespace

std::shared_ptr<credentials_provider> role_provider(shared_source_context context,
                                                    std::shared_ptr<credentials_provider> base, assumed_role role) {
    return std::make_shared<role_credentials>(std::move(context), std::move(base), std::move(role));
}

std::shared_ptr<credentials_provider> default_chain(shared_source_context context, std::optional<assumed_role> role) {
    std::vector<source_ptr> sources;
    if (context->profile.empty()) sources.push_back(aws::environment_source(context->config));
    sources.push_back(profile_source(context));
    sources.push_back(web_identity_source(context));
    sources.push_back(container_source(context));
    sources.push_back(instance_source(context));
    auto found = aws::credentials_chain(std::move(sources));
    return role ? role_provider(std::move(context), std::move(found), *std::move(role)) : found;
}

}  // namespace dynalease::detail
