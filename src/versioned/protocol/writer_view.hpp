// What a sequence of versioned writes knows of the process that it belongs to.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <dynalease/item/item_version.hpp>
#include <dynalease/runtime/time.hpp>

#include <string>

namespace dynalease::protocol {

class writer_view {
public:
    virtual time_point now() const noexcept = 0;
    /// A uniform random number in [0, 1).
    virtual double unit() = 0;
    /// Never the same again, as all names of writes.
    virtual item_stamp new_stamp() = 0;
    /// By which the service knows copies of one transaction.
    virtual std::string new_token() = 0;
    /// The caller has gone: nothing is sent any more.
    virtual bool cancelled() const noexcept = 0;

protected:
    ~writer_view() = default;
};

}  // namespace dynalease::protocol
