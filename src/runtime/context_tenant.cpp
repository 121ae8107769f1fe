// The service that tells the tenants of a context about its end, and about forks.
// SPDX-License-Identifier: BSL-1.0
#include "runtime/context_tenant.hpp"

#include <mutex>
#include <utility>
#include <vector>

namespace dynalease::runtime {

class tenant_registry final : public boost::asio::execution_context::service {
public:
    using key_type = tenant_registry;
    static inline boost::asio::execution_context::id id;

    explicit tenant_registry(boost::asio::execution_context& context) : service(context) {}

    void enter(context_tenant& tenant) {
        const std::lock_guard lock(mutex_);
        if (closed_) return;
        tenant.position_ = tenants_.insert(tenants_.end(), &tenant);
        tenant.registry_ = this;
    }

    void leave(context_tenant& tenant) noexcept {
        const std::lock_guard lock(mutex_);
        tenants_.erase(tenant.position_);
    }

private:
    void shutdown() override {
        // One at a time: what a tenant destroys may end other tenants, or bring forth new ones.
        while (auto tenant = take_first()) tenant->abandon();
    }

    void notify_fork(boost::asio::execution_context::fork_event event) override {
        if (event != boost::asio::execution_context::fork_child) return;
        // In a copy: tenants may come and go meanwhile.
        std::vector<std::shared_ptr<context_tenant>> present;
        {
            const std::lock_guard lock(mutex_);
            for (auto* const tenant : tenants_) {
                if (auto alive = tenant->weak_from_this().lock()) present.push_back(std::move(alive));
            }
        }
        for (const auto& tenant : present) tenant->forked();
    }

    std::shared_ptr<context_tenant> take_first() {
        const std::lock_guard lock(mutex_);
        closed_ = true;
        while (!tenants_.empty()) {
            auto* first = tenants_.front();
            tenants_.pop_front();
            first->registry_ = nullptr;
            if (auto alive = first->weak_from_this().lock()) return alive;
        }
        return nullptr;
    }

    std::mutex mutex_;
    std::list<context_tenant*> tenants_;
    bool closed_ = false;
};

context_tenant::context_tenant(boost::asio::execution_context& context) {
    boost::asio::use_service<tenant_registry>(context).enter(*this);
}

context_tenant::~context_tenant() {
    if (registry_ != nullptr) registry_->leave(*this);
}

}  // namespace dynalease::runtime
