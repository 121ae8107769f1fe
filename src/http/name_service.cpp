// Room http: names by the system.
// SPDX-License-Identifier: BSL-1.0
#include "http/name_service.hpp"

#include <boost/asio/error.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>

#include <algorithm>
#include <chrono>
#include <memory>
#include <mutex>
#include <new>
#include <optional>
#include <system_error>
#include <thread>
#include <utility>

#include <pthread.h>
#include <signal.h>

namespace dynalease::http {

namespace asio = boost::asio;

namespace {

/// Of all questions. A child of a fork has none of the threads that may be answering, and what they had locked would
/// stay locked there: no fork comes between.
std::mutex answering;
[[maybe_unused]] const int registered = ::pthread_atfork([] { answering.lock(); }, [] { answering.unlock(); },
                                                         [] { answering.unlock(); });

/// Its thread may outlive whoever asked, and the whole context; then nothing of theirs is left in here.
class question : public std::enable_shared_from_this<question> {
public:
    question(asio::any_io_executor executor, name_service::handler done)
        : asker_(std::in_place, std::move(executor), std::move(done)) {}

    void look_up(const std::string& host, const std::string& port) noexcept {
        do_at_last([&] {
            asio::io_context unused;
            const auto found = asio::ip::tcp::resolver(unused).resolve(host, port, error_);
            found_.assign(found.begin(), found.end());
        });
        do_at_last([&] { answer(); });
    }

    void fail(error_code why) {
        error_ = why;
        answer();
    }

    void drop() noexcept { take_asker(); }

private:
    struct asker {
        asker(asio::any_io_executor where, name_service::handler what)
            : executor(std::move(where)), done(std::move(what)) {}
        asio::any_io_executor executor;
        name_service::handler done;
    };

    /// Where there is no memory just now: nobody waits for this thread, and who asked looks at his own clock.
    template <class Work>
    static void do_at_last(Work work) noexcept {
        for (;;) {
            try {
                return work();
            } catch (const std::bad_alloc&) {
                std::this_thread::sleep_for(std::chrono::milliseconds(20));
            }
        }
    }

    void answer() {
        // Posted under the lock: who drops it may destroy the executor's context next.
        const std::lock_guard lock(answering);
        if (asker_) asio::post(asker_->executor, [self = shared_from_this()] { self->deliver(); });
    }

    void deliver() {
        if (const auto waiting = take_asker()) waiting->done(error_, std::move(found_));
    }

    std::optional<asker> take_asker() noexcept {
        const std::lock_guard lock(answering);
        return std::exchange(asker_, std::nullopt);
    }

    std::optional<asker> asker_;
    error_code error_{};
    std::vector<tcp_address> found_{};
};

/// The application's signals are none of a library's thread.
class no_signals {
public:
    no_signals() {
        sigset_t all;
        ::sigfillset(&all);
        ::pthread_sigmask(SIG_SETMASK, &all, &before_);
    }
    no_signals(const no_signals&) = delete;
    no_signals& operator=(const no_signals&) = delete;
    ~no_signals() { ::pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

private:
    sigset_t before_{};
};

class system_names final : public name_service {
public:
    explicit system_names(asio::any_io_executor executor) : executor_(std::move(executor)) {}
    ~system_names() override { cancel(); }

    void resolve(const std::string& host, std::uint16_t port, handler done) override {
        std::erase_if(asked_, [](const auto& other) { return other.expired(); });
        const auto asked = std::make_shared<question>(executor_, std::move(done));
        asked_.push_back(asked);
        try {
            const no_signals blocked;
            std::thread(&question::look_up, asked, host, std::to_string(port)).detach();
        } catch (const std::system_error&) {
            asked->fail(asio::error::no_memory);  // of the kernel's, for a thread
        }
    }

    void cancel() noexcept override {
        for (const auto& weak : std::exchange(asked_, {})) {
            if (const auto asked = weak.lock()) asked->drop();
        }
    }

private:
    asio::any_io_executor executor_;
    std::vector<std::weak_ptr<question>> asked_;  // the threads own them
};

}  // namespace

std::shared_ptr<name_service> system_name_service(const asio::any_io_executor& executor) {
    return std::make_shared<system_names>(executor);
}

}  // namespace dynalease::http
