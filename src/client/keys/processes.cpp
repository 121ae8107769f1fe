// Room client: running the programs that print keys.
#include "client/keys/processes.hpp"

#include "aws/refusal.hpp"
#include "client/keys/child.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/bind_executor.hpp>
#include <boost/asio/buffer.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/deferred.hpp>

#include <array>
#include <list>
#include <optional>
#include <utility>

namespace dynalease::keys {

namespace asio = boost::asio;

namespace {

constexpr auto outcome = asio::as_tuple(asio::deferred);
constexpr auto longest_run = std::chrono::minutes(1);
constexpr std::size_t longest_output = 64 * 1024;
constexpr auto advice = "run it by hand to see what it says";

failure no_keys(std::string what) {
    return aws::refusal(errc::no_credentials, "credential_process " + std::move(what), advice);
}

/// Why a process was killed, if it was.
struct run_state {
    run_state(const asio::any_io_executor& executor, const std::string& command) : process(executor, command) {}

    void stop(failure because) {
        if (!why) why = std::move(because);
        process.kill();
    }

    child process;
    std::string text;
    std::optional<failure> why;
    asio::cancellation_signal timer;
};

class posix_processes final : public processes {
public:
    explicit posix_processes(environment world) : world_(std::move(world)) {}

    asio::awaitable<result<std::string>> run(std::string command) override {
        if (closed_) co_return failure(errc::shut_down);
        const auto state = std::make_shared<run_state>(world_.executor, command);
        if (state->process.error()) co_return no_keys("cannot be started: " + state->process.error().message());
        const auto place = running_.insert(running_.end(), std::weak_ptr(state));
        limit_time(state);

        std::array<char, 4096> chunk;
        for (bool open = true; open;) {
            const auto [error, size] = co_await state->process.output().async_read_some(asio::buffer(chunk), outcome);
            state->text.append(chunk.data(), size);
            if (state->text.size() > longest_output) state->stop(no_keys("printed more than 64 KiB"));
            open = !error && !state->why;
        }
        co_await state->process.end().async_wait(asio::posix::descriptor_base::wait_read, outcome);
        state->timer.emit(asio::cancellation_type::terminal);
        running_.erase(place);
        if (state->why) co_return *std::move(state->why);
        if (!state->process.is_ours()) co_return no_keys("was started before a fork, by the parent");
        const auto status = state->process.status();
        if (!status) co_return no_keys("was ended by a signal");
        if (*status != 0) co_return no_keys("ended with status " + std::to_string(*status));
        co_return std::move(state->text);
    }

    void close() noexcept override {
        closed_ = true;
        for (const auto& running : running_) {
            if (const auto state = running.lock()) state->stop(failure(errc::shut_down));
        }
    }

private:
    void limit_time(const std::shared_ptr<run_state>& state) {
        auto late = [weak = std::weak_ptr(state)](const error_code& error) {
            const auto alive = weak.lock();
            if (!error && alive) alive->stop(no_keys("did not end within a minute"));
        };
        world_.clock->async_wait_until(
            world_.clock->now() + longest_run,
            asio::bind_cancellation_slot(state->timer.slot(), asio::bind_executor(world_.executor, std::move(late))));
    }

    environment world_;
    std::list<std::weak_ptr<run_state>> running_;  // a loop that ends takes its processes with it
    bool closed_ = false;
};

}  // namespace

std::shared_ptr<processes> make_processes(const environment& world) {
    return std::make_shared<posix_processes>(world);
}

}  // namespace dynalease::keys
