// One grant of a lock: what a `lock_guard` points to.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "session/hold.hpp"
#include "session/protocol/claim.hpp"

#include <dynalease/lock/lock_guard.hpp>

#include <cstdint>
#include <memory>
#include <string>
#include <utility>

namespace dynalease::detail {

class lock_impl;

class lock_hold final : public hold {
public:
    lock_hold(std::shared_ptr<session_impl> core, std::shared_ptr<lock_impl> front, const protocol::claim& claim);

    // ---- any thread ----
    const protocol::claim& claim() const noexcept { return claim_; }
    std::int64_t token() const noexcept override { return claim_.token; }
    lock_impl& front() const noexcept { return *front_; }
    const std::string& name() const noexcept override;

    static const std::shared_ptr<lock_hold>& of(const lock_guard& guard) noexcept { return guard.hold_.share(); }
    static lock_guard make_guard(std::shared_ptr<lock_hold> hold) noexcept { return lock_guard(std::move(hold)); }

private:
    void give_back() override;

    std::shared_ptr<lock_impl> front_;
    protocol::claim claim_;
};

}  // namespace dynalease::detail
