// What those who wait learn of a call between its attempts.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "session/protocol/outage.hpp"

#include <dynalease/dynamodb/database.hpp>
#include <dynalease/dynamodb/failure.hpp>
#include <dynalease/runtime/time.hpp>

#include <memory>

namespace dynalease::detail {

/// Each attempt of a call is told as a request of its own: whoever gives up between two of them is told of the last.
class watched_call : public attempt_watch {
public:
    watched_call(protocol::outage& service, dynalease::time_point sent) noexcept : service_(service), sent_(sent) {
        service_.asked();
    }
    virtual ~watched_call() = default;

    void failed(const failure& why) override { service_.heard(sent_, std::make_shared<const failure>(why)); }
    bool goes_on() override {
        service_.asked();
        return true;
    }

private:
    protocol::outage& service_;
    const dynalease::time_point sent_;
};

}  // namespace dynalease::detail
