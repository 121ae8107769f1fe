// What a guard owns: a grant that is given up with it.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <memory>
#include <utility>

#pragma GCC visibility push(default)
namespace dynalease::detail {

/// Move-only. When it ends, or takes another grant over, its own is abandoned, whoever else still looks at it: found by
/// `void abandon(Hold&) noexcept` beside the hold.
template <class Hold>
class grant_owner {
public:
    grant_owner() noexcept = default;
    explicit grant_owner(std::shared_ptr<Hold> hold) noexcept : hold_(std::move(hold)) {}
    ~grant_owner() {
        if (hold_) abandon(*hold_);
    }
    grant_owner(grant_owner&&) noexcept = default;
    grant_owner& operator=(grant_owner&& other) noexcept {
        grant_owner(std::move(other)).hold_.swap(hold_);
        return *this;
    }
    grant_owner(const grant_owner&) = delete;
    grant_owner& operator=(const grant_owner&) = delete;

    explicit operator bool() const noexcept { return hold_ != nullptr; }
    Hold* operator->() const noexcept { return hold_.get(); }
    const std::shared_ptr<Hold>& share() const noexcept { return hold_; }

private:
    std::shared_ptr<Hold> hold_;
};

}  // namespace dynalease::detail
#pragma GCC visibility pop
