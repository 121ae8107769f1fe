// What the sources of keys work with: time, configuration, and the two ways out of this process.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "aws/config_source.hpp"
#include "aws/profile.hpp"
#include "client/credentials/process_runner.hpp"
#include "client/credentials/web_transport.hpp"

#include <dynalease/runtime/environment.hpp>

#include <memory>
#include <string>

namespace dynalease::detail {

struct source_context {
    environment world;
    aws::config_source config;
    std::shared_ptr<web_transport> web;
    std::shared_ptr<process_runner> processes;
    std::string profile{};  ///< chosen by code
    std::string region{};   ///< of STS, chosen by code

    /// Ends what is on its way.
    void close() const noexcept {
        web->close();
        processes->close();
    }
};
using shared_source_context = std::shared_ptr<const source_context>;

}  // namespace dynalease::detail
