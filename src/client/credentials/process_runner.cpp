// Room client: running the programs that print keys.
// SPDX-License-Identifier: BSL-1.0
#include "client/credentials/process_runner.hpp"

#include "aws/refusal.hpp"
#include "client/credentials/child_process.hpp"
#include "runtime/context_tenant.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/bind_executor.hpp>
#include <boost/asio/buffer.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/deferred.hpp>
#include <boost/asio/query.hpp>

#include <array>
#include <cstddef>
#include <list>
#include <optional>
#include <utility>

namespace dynalease::detail {

namespace asio = boost::asio;

namespace {

constexpr auto in_pair = asio::as_tuple(asio::deferred);
constexpr auto longest_run = std::chrono::minutes(1);
constexpr std::size_t longest_output = 64 * 1024;
constexpr auto advice = "run it by hand to see what it says";

failure no_keys(std::string what) {
    return aws::refusal(errc::no_credentials, "credential_process " + std::move(what), advice);
}

/// A process, what it has printed, and why it was killed, if it was.
struct run_state {
    run_state(const asio::any_io_executor& executor, const std::string& command) : process(executor, command) {}

    void stop(failure because) {
        if (!why) why = std::move(because);
        process.kill();
    }
    void take(std::size_t size) {
        text.append(chunk.data(), size);
        if (text.size() > longest_output) stop(no_keys("printed more than 64 KiB"));
    }
    /// What is there, without waiting for more.
    void take_rest() {
        error_code error;
        while (!error && !why) take(process.output().read_some(asio::buffer(chunk), error));
    }
    bool goes_on() const { return !why && !ended && process.is_ours(); }

    child_process process;
    std::array<char, 4096> chunk{};
    std::string text{};
    bool ended = false;
    std::optional<failure> why{};
    asio::cancellation_signal timer;
};

class posix_process_runner final : public process_runner, public runtime::context_tenant {
public:
    explicit posix_process_runner(environment world)
        : context_tenant(asio::query(world.executor, asio::execution::context)), world_(std::move(world)) {}

    asio::awaitable<result<std::string>> run(std::string command) override {
        if (closed_) co_return failure(errc::shut_down);
        const auto state = std::make_shared<run_state>(world_.executor, command);
        if (state->process.error()) co_return no_keys("cannot be started: " + state->process.error().message());
        const auto place = running_.insert(running_.end(), std::weak_ptr(state));
        limit_time(state);
        read_until_end(state);
        for (bool open = true; open;) {
            auto& output = state->process.output();
            const auto [error, size] = co_await output.async_read_some(asio::buffer(state->chunk), in_pair);
            state->take(size);
            open = !error && state->goes_on();
        }
        if (state->process.is_ours() && !state->ended) {
            co_await state->process.end().async_wait(asio::posix::descriptor_base::wait_read, in_pair);
        }
        state->timer.emit(asio::cancellation_type::terminal);
        running_.erase(place);
        if (!state->process.is_ours()) co_return no_keys("was started before a fork, by the parent");
        state->take_rest();
        if (state->why) co_return *std::move(state->why);
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
    void abandon() noexcept override {}  // whoever waits for a process is kept by the loop itself

    void forked() override {
        for (const auto& running : running_) {
            if (const auto state = running.lock()) state->process.forked();
        }
    }

    /// A process that ends has printed all, whoever else keeps its output open: what it has left behind, or what this
    /// one had forked just then.
    void read_until_end(const std::shared_ptr<run_state>& state) {
        auto ended = [weak = std::weak_ptr(state)](const error_code& error) {
            const auto alive = weak.lock();
            if (error || !alive) return;
            alive->ended = true;
            error_code ignored;
            alive->process.output().cancel(ignored);
        };
        state->process.end().async_wait(asio::posix::descriptor_base::wait_read,
                                        asio::bind_executor(world_.executor, std::move(ended)));
    }

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

std::shared_ptr<process_runner> make_process_runner(const environment& world) {
    return std::make_shared<posix_process_runner>(world);
}

}  // namespace dynalease::detail
