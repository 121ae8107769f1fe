// The embedded DynamoDB behind HTTP, for other processes and other languages.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <dynalease/detail/braced.hpp>
#include <dynalease/local/engine.hpp>
#include <dynalease/runtime/clock.hpp>

#include <boost/asio/any_io_executor.hpp>

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>

#pragma GCC visibility push(default)
namespace dynalease::local {

struct server_options {
    /// 0: any free port; `server::port` tells which.
    std::uint16_t port = 0;
    /// The address to listen on. Beyond the loopback, remember that the keys below are the only guard.
    detail::braced<std::string> address = "127.0.0.1";
    /// Requests must be signed with this pair, at most five minutes ago.
    detail::braced<std::string> access_key = "local";
    detail::braced<std::string> secret_key = "local";
    /// Take every request, signed or not.
    bool anyone = false;
    /// The pages in browsers that may ask, by their origin ("http://localhost:3000"); "*", as on AWS: all, "none":
    /// none. The keys are no secret from a page when they are the ones above.
    detail::braced<std::string> cors = "*";
    /// Refuse requests in the words that AWS had before June 2026. Since then PutItem and UpdateItem say "1 validation
    /// error detected: " before faults of the request itself, and AWS turns that on by Region. The exceptions are the
    /// same; do not go by texts.
    bool older_words = false;
    /// Wait so long before each answer. Writes are at work as long, so that requests which meet them conflict as on
    /// AWS; see `engine::set_write_time`.
    std::chrono::milliseconds latency{0};
    /// What requests meet besides.
    fault_rates faults{};
    /// The tables to serve; empty: a new, empty engine.
    detail::braced<std::shared_ptr<local::engine>> store{};
    /// For signatures, expiry and latency; empty: the system's.
    detail::braced<std::shared_ptr<dynalease::clock>> clock{};
};

/// HTTP/1.1 with keep-alive; one request of a connection at a time. A connection holds up to 128 KiB, and all of them
/// together up to 256 MiB of larger requests and answers, of which the largest has 16 MB. When that is used up, whoever
/// has been at it for longest, and for more than 3 s, is cut off; if there is nobody, the request is answered with 503.
/// So is one that finds no memory. Who has been silent for two minutes is cut off when somebody else comes, and sooner
/// when descriptors are used up.
///
/// A request of 64 KB, also one that is packed, takes less than a second of the processor and 256 MiB while it is
/// carried out, and a larger one more by its size. What would take more is refused with a ValidationException that says
/// so, and a page or a batch ends before that; but what is done to a whole table at once takes its time.
class server {
public:
    /// Listens at once.
    /// @param executor must be serial: a single-threaded context's own, or a strand. `stop` and the destructor are
    /// called there, or when it no longer runs.
    /// @throws dynalease::error when the address is malformed or in use.
    explicit server(const boost::asio::any_io_executor& executor, server_options options = {});
    ~server();
    server(server&&) noexcept = default;
    server& operator=(server&&) = delete;

    std::uint16_t port() const noexcept;
    /// "http://127.0.0.1:4711"
    std::string endpoint() const;

    /// Closes the listener and every connection, answered or not. Idempotent; the destructor does the same.
    void stop() noexcept;

private:
    class listener;
    std::shared_ptr<listener> listener_;
};

}  // namespace dynalease::local
#pragma GCC visibility pop
