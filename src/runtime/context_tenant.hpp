// What keeps completion handlers on behalf of an execution context, and must let go of them when that context ends, or
// of its descriptors when the context finds itself in the child of a fork.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <boost/asio/execution_context.hpp>

#include <list>
#include <memory>

#pragma GCC visibility push(default)  // dynalease::local or dynalease::testing uses it, too
namespace dynalease::runtime {

class tenant_registry;

/// Base of the state that holds waiting handlers; always owned by a `shared_ptr`.
///
/// A handler may own a coroutine frame, and the frame may own the very object that keeps the handler. Only the
/// context can break such a ring: at its shutdown each tenant still alive is told to destroy its handlers.
class context_tenant : public std::enable_shared_from_this<context_tenant> {
public:
    context_tenant(const context_tenant&) = delete;
    context_tenant& operator=(const context_tenant&) = delete;
    virtual ~context_tenant();

protected:
    explicit context_tenant(boost::asio::execution_context& context);

private:
    friend class tenant_registry;

    /// Destroys all handlers. The context accepts no work after this call, so that none may be posted again.
    /// Handlers may destroy the owner of this state, or call into it.
    virtual void abandon() noexcept = 0;

    /// In the child of a fork, while its context is told of it (`notify_fork`): lets go of what belongs to the parent,
    /// who goes on using it. The context's own descriptors may not be in order yet.
    virtual void forked() {}

    tenant_registry* registry_ = nullptr;
    std::list<context_tenant*>::iterator position_;
};

}  // namespace dynalease::runtime
#pragma GCC visibility pop
