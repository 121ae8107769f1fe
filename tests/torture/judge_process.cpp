// One coroutine per connection; what is reported before a process is killed still arrives.
// SPDX-License-Identifier: BSL-1.0
#include "torture/judge_process.hpp"

#include "torture/fenced_resource.hpp"
#include "torture/judge.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/deferred.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/read_until.hpp>
#include <boost/asio/write.hpp>

#include <fstream>
#include <iostream>
#include <stdexcept>
#include <utility>

namespace torture {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;

constexpr auto quiet = asio::as_tuple(asio::deferred);

class recorder {
public:
    recorder() : acceptor_(io_, tcp::endpoint(asio::ip::address_v4::loopback(), 0)) {}

    std::vector<event> record() {
        std::cout << acceptor_.local_endpoint().port() << std::endl;
        asio::co_spawn(io_, accept(), asio::detached);
        io_.run();
        return std::move(history_);
    }

private:
    asio::awaitable<void> accept() {
        for (;;) {
            auto accepted = co_await acceptor_.async_accept(quiet);
            if (std::get<0>(accepted)) co_return;
            ++open_;
            asio::co_spawn(io_, hear(std::get<1>(std::move(accepted))), [this](std::exception_ptr failure) {
                if (failure) std::rethrow_exception(failure);
                if (--open_ == 0) io_.stop();
            });
        }
    }

    asio::awaitable<void> hear(tcp::socket socket) {
        std::string buffer;
        for (;;) {
            auto heard = co_await asio::async_read_until(socket, asio::dynamic_buffer(buffer), '\n', quiet);
            if (std::get<0>(heard)) co_return;
            const auto size = std::get<1>(heard);
            auto told = parse_event(std::string_view(buffer).substr(0, size - 1));
            if (!told) throw std::runtime_error("no event: " + buffer.substr(0, size - 1));
            buffer.erase(0, size);
            const bool question = told->kind == what::read || told->kind == what::wrote;
            if (question) decide(*told);
            const auto answer = to_line(*told) + '\n';
            history_.push_back(*std::move(told));
            // The asker may be dead by now.
            if (question) co_await asio::async_write(socket, asio::buffer(answer), quiet);
        }
    }

    /// Plays the resource; what it does not allow becomes a refusal.
    void decide(event& access) {
        access.at = boot_time();
        if (access.kind == what::wrote) {
            if (!resource_.write(access.name, access.token, access.value)) access.kind = what::refused;
            return;
        }
        const auto value = resource_.read(access.name, access.token);
        if (!value) access.kind = what::refused;
        access.value = value.value_or(0);
    }

    asio::io_context io_{1};
    tcp::acceptor acceptor_;
    fenced_resource resource_;
    std::vector<event> history_;
    std::size_t open_ = 0;
};

}  // namespace

int run_judge(const circumstances& run, const std::string& history_file) {
    recorder records;
    const case_file facts(records.record());
    if (!history_file.empty()) {
        std::ofstream file(history_file);
        for (const auto& each : facts.history) file << to_line(each) << '\n';
    }
    const auto found = judge(facts, promised_terms(run.primitive));
    print_violations(facts, found);
    print_result(facts, found.size(), run);
    const auto missing = missing_in(facts, run);
    for (const auto& each : missing) std::cerr << "the run shows nothing: " << each << '\n';
    return found.empty() && missing.empty() ? 0 : 1;
}

}  // namespace torture
