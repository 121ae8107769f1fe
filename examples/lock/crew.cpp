// One coroutine per worker reads its lines until its pipe ends.
// SPDX-License-Identifier: BSL-1.0
#include "lock/crew.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/read_until.hpp>

#include <unistd.h>

namespace asio = boost::asio;

namespace demo {

crew::crew(const asio::any_io_executor& executor, const std::string& endpoint, std::vector<std::string> names)
    : scene_(names), news_(executor) {
    for (std::size_t i = 0; i < names.size(); ++i) {
        processes_.emplace_back(
            std::vector<std::string>{support::own_path(), "worker", names[i], endpoint, std::to_string(i + 1)});
        scene_.worker(i).pid = processes_.back().id();
        voices_.emplace_back(executor, ::dup(processes_.back().output()));
        asio::co_spawn(executor, hear(i), [](std::exception_ptr) {});
    }
}

asio::awaitable<void> crew::hear(std::size_t worker) {
    std::string buffer;
    for (;;) {
        const auto [code, size] = co_await asio::async_read_until(voices_[worker], asio::dynamic_buffer(buffer), '\n',
                                                                  asio::as_tuple(asio::deferred));
        if (code) break;
        scene_.take(worker, buffer.substr(0, size - 1), std::chrono::steady_clock::now());
        buffer.erase(0, size);
        news_.cancel();
    }
    scene_.worker(worker).ended = true;
    news_.cancel();
}

}  // namespace demo
