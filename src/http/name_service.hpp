// The port to the name service.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "http/address_book.hpp"

#include <dynalease/error.hpp>

#include <boost/asio/any_io_executor.hpp>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace dynalease::http {

class name_service {
public:
    using handler = std::function<void(error_code, std::vector<tcp_address>)>;

    name_service() = default;
    name_service(const name_service&) = delete;
    name_service& operator=(const name_service&) = delete;
    virtual ~name_service() = default;

    /// Calls `done` once, on the executor it was made for, never inside this call; or never, after `cancel`, and if it
    /// throws `std::bad_alloc`.
    virtual void resolve(const std::string& host, std::uint16_t port, handler done) = 0;
    virtual void cancel() noexcept = 0;
};

/// getaddrinfo, on a thread for each question, the only one that the library ever causes. It may hang for as long as
/// the system's configuration says (some ten seconds a server); nobody waits for its thread: neither `run()` nor the
/// end of the context.
std::shared_ptr<name_service> system_name_service(const boost::asio::any_io_executor& executor);

}  // namespace dynalease::http
