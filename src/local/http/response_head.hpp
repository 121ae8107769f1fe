// The head of an HTTP answer as DynamoDB sends it.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "local/http/request_service.hpp"

#include <chrono>
#include <cstdint>
#include <string>

namespace dynalease::local {

/// Writes answers into one string; keeps the text of the present second. One for all connections of a server.
class response_writer {
public:
    /// @param seed makes the request ids of two servers differ.
    explicit response_writer(std::uint64_t seed) : next_id_(seed) {}

    /// Replaces `out` by the whole answer: status line, headers, body.
    void write(const reply& answer, bool keep_alive, engine::time now, std::string& out);

private:
    void append_request_id(std::string& out);
    void refresh_date(engine::time now);

    std::uint64_t next_id_;
    std::chrono::sys_seconds date_at_{std::chrono::seconds{-1}};
    std::string date_;
};

}  // namespace dynalease::local
