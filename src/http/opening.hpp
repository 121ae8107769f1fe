// One connection being opened: the steps between a list of addresses and a socket that is ready for requests.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "http/connector.hpp"

#include <memory>
#include <new>
#include <string>
#include <vector>

namespace dynalease::http {

/// Whatever comes first, success, failure of the last address, the deadline or `abandon`, calls the handler;
/// what comes later finds it gone.
class connector::opening : public std::enable_shared_from_this<opening>, private deadline {
public:
    opening(std::shared_ptr<connector> owner, handler done);

    void begin() {
        attempt([this] { find_addresses(); });
    }
    /// Calls the handler no more.
    void forget() noexcept { done_ = nullptr; }
    void abandon() noexcept { fail(errc::shut_down, "the client was closed"); }

private:
    /// A step that finds no memory is the last: who waits for the connection is told, and others may be opened.
    template <class Step>
    void attempt(Step step) {
        try {
            step();
        } catch (const std::bad_alloc&) {
            if (!done_) throw;
            fail(errc::unreachable, "out of memory");
        }
    }

    void find_addresses();
    /// Begins with the addresses that are known by now.
    void start(const std::string& problem);
    void try_next();
    void connected(const error_code& error);
    /// The same buffer for question and answer, which outlives the attempt: a part of it may be under way then.
    using shared_text = std::shared_ptr<std::string>;
    void ask_for_tunnel();
    void tunnel_asked(const error_code& error, shared_text text);
    void tunnel_answered(const error_code& error, std::size_t size, const std::string& text);
    void shake_hands();
    void succeed();
    /// The present address is of no use: to the next.
    void go_on(errc code, std::string problem);
    void fail(errc code, std::string problem);
    void expired() override {
        attempt([this] { out_of_time(); });
    }
    void out_of_time();
    void limit(clock::time_point until);

    std::shared_ptr<connector> owner_;
    handler done_;
    std::shared_ptr<http::connection> connection_;
    std::vector<tcp_address> candidates_;
    std::size_t next_ = 0;
    clock::time_point until_{};
    bool started_ = false;
    errc code_ = errc::unreachable;  // of the address that problem_ is about
    std::string problem_;
};

}  // namespace dynalease::http
