// A coroutine per process hears its output until it ends, and knows whether it may.
// SPDX-License-Identifier: BSL-1.0
#include "torture/crew.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/deferred.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/read_until.hpp>

#include <sys/resource.h>
#include <unistd.h>

#include <utility>
#include <vector>

namespace torture {

namespace asio = boost::asio;
using namespace std::chrono_literals;

namespace {
constexpr auto quietly = asio::as_tuple(asio::deferred);
constexpr std::chrono::seconds patience{2};
}  // namespace

crew::crew(asio::any_io_executor executor, std::deque<link>& links, witness& tell, worker_orders common)
    : executor_(std::move(executor)), links_(links), tell_(tell), common_(std::move(common)) {
    for (std::size_t i = 0; i < links_.size(); ++i) {
        places_.emplace_back(executor_);
        start(i);
    }
}

bool crew::runs(std::size_t place) const noexcept {
    const auto& member = places_[place];
    return member.process && !member.stopped;
}

void crew::start(std::size_t place) {
    auto& member = places_[place];
    member.who = std::to_string(place) + "." + std::to_string(member.started++);
    member.halted = false;
    member.stopped.reset();
    const std::vector<std::string> command{support::own_path(),
                                           "worker",
                                           member.who,
                                           links_[place].endpoint(),
                                           std::to_string(common_.judge),
                                           common_.primitive,
                                           std::to_string(common_.seed)};
    member.process.emplace(command);
    auto voice = std::make_shared<asio::posix::stream_descriptor>(executor_, ::dup(member.process->output()));
    asio::co_spawn(executor_, hear(member, std::move(voice), member.started), asio::detached);
}

asio::awaitable<void> crew::hear(seat& from, std::shared_ptr<asio::posix::stream_descriptor> voice,
                                 std::uint64_t started) {
    std::string buffer;
    for (;;) {
        auto heard = co_await asio::async_read_until(*voice, asio::dynamic_buffer(buffer), '\n', quietly);
        if (from.started != started || !from.process) co_return;  // killed
        if (std::get<0>(heard)) break;
        from.halted = buffer.substr(0, std::get<1>(heard)) == "halted\n";
        buffer.erase(0, std::get<1>(heard));
        from.news.cancel();
    }
    const bool well = from.process->wait() == 0 && from.dismissed;
    if (!well) tell_.report({.kind = what::crashed, .who = from.who});
    from.process.reset();
    from.news.cancel();
}

void crew::kill(std::size_t place) {
    auto& member = places_[place];
    if (!member.process) return;
    if (member.stopped)
        tell_.report({.kind = what::stopped, .at = *member.stopped, .until = boot_time(), .who = member.who});
    const auto begun = boot_time();
    member.process.reset();  // kills and reaps
    member.stopped.reset();
    tell_.report({.kind = what::killed, .at = begun, .until = boot_time(), .who = member.who});
}

void crew::stop(std::size_t place) {
    auto& member = places_[place];
    member.stopped = boot_time();
    member.process->stop();
}

void crew::resume(std::size_t place) {
    auto& member = places_[place];
    if (!member.stopped) return;
    member.process->tell("go");
    member.process->resume();
    tell_.report({.kind = what::stopped, .at = *member.stopped, .until = boot_time(), .who = member.who});
    member.stopped.reset();
}

void crew::renice(int niceness) {
    for (const auto& member : places_) {
        if (member.process) ::setpriority(PRIO_PROCESS, static_cast<id_t>(member.process->id()), niceness);
    }
}

asio::awaitable<bool> crew::halt(std::size_t place) {
    auto& member = places_[place];
    const auto started = member.started;
    if (!runs(place)) co_return false;
    member.halted = false;
    member.process->tell("halt");
    const auto give_up_at = std::chrono::steady_clock::now() + patience;
    while (!member.halted && runs(place) && member.started == started) {
        if (std::chrono::steady_clock::now() >= give_up_at) break;
        member.news.expires_at(give_up_at);
        co_await member.news.async_wait(quietly);
    }
    if (!runs(place) || member.started != started) co_return false;
    if (!member.halted) member.process->tell("go");
    co_return member.halted;
}

asio::awaitable<bool> crew::dismiss(std::chrono::seconds limit) {
    for (auto& member : places_) {
        member.dismissed = true;
        if (member.process) member.process->tell("end");
    }
    const auto give_up_at = std::chrono::steady_clock::now() + limit;
    bool all_gone = true;
    for (std::size_t i = 0; i < places_.size(); ++i) {
        auto& member = places_[i];
        while (member.process && std::chrono::steady_clock::now() < give_up_at) {
            member.news.expires_at(give_up_at);
            co_await member.news.async_wait(quietly);
        }
        all_gone = all_gone && !member.process;
        kill(i);
    }
    co_return all_gone;
}

}  // namespace torture
