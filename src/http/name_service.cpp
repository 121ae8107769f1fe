// Room http: names by the system.
#include "http/name_service.hpp"

#include <boost/asio/error.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>

#include <algorithm>
#include <exception>
#include <mutex>
#include <optional>
#include <system_error>
#include <thread>
#include <utility>

#include <signal.h>

namespace dynalease::http {

namespace asio = boost::asio;

namespace {

/// One question. Its thread may outlive whoever asked, and the whole context; then nothing of theirs is left in here.
class question {
public:
    question(asio::any_io_executor executor, name_service::handler done)
        : asker_(std::in_place, std::move(executor), std::move(done)) {}

    void answer(const error_code& error, std::vector<tcp_address> found) {
        // Posted under the lock: who drops it may destroy the executor's context next.
        const std::lock_guard lock(mutex_);
        if (!asker_) return;
        auto deliver = [done = std::move(asker_->done), error, found = std::move(found)]() mutable {
            done(error, std::move(found));
        };
        asio::post(asker_->executor, std::move(deliver));
        asker_.reset();
    }

    void drop() noexcept {
        std::unique_lock lock(mutex_);
        const auto unheard = std::exchange(asker_, std::nullopt);
        lock.unlock();
    }

private:
    struct asker {
        asker(asio::any_io_executor where, name_service::handler what)
            : executor(std::move(where)), done(std::move(what)) {}
        asio::any_io_executor executor;
        name_service::handler done;
    };

    std::mutex mutex_;
    std::optional<asker> asker_;
};

void look_up(const std::shared_ptr<question>& asked, const std::string& host, const std::string& port) noexcept {
    error_code error;
    std::vector<tcp_address> addresses;
    try {
        asio::io_context unused;
        const auto found = asio::ip::tcp::resolver(unused).resolve(host, port, error);
        addresses.assign(found.begin(), found.end());
    } catch (const std::exception&) {
        error = asio::error::no_memory;
    }
    asked->answer(error, std::move(addresses));
}

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
            std::thread(look_up, asked, host, std::to_string(port)).detach();
        } catch (const std::system_error&) {
            asked->answer(asio::error::no_memory, {});  // of the kernel's, for a thread
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
