// Reports are written at once and whole: the judge reads faster than anybody can tell.
// SPDX-License-Identifier: BSL-1.0
#include "torture/witness.hpp"

#include <boost/asio/deferred.hpp>
#include <boost/asio/read_until.hpp>
#include <boost/asio/write.hpp>

#include <stdexcept>
#include <utility>

namespace torture {

namespace asio = boost::asio;
using asio::ip::tcp;

witness::witness(const asio::any_io_executor& executor, std::uint16_t judge, std::string who, std::int64_t task)
    : socket_(executor), who_(std::move(who)), task_(task) {
    socket_.connect(tcp::endpoint(asio::ip::address_v4::loopback(), judge));
    socket_.set_option(tcp::no_delay(true));
}

void witness::report(event happened) {
    if (happened.at.count() == 0) happened.at = boot_time();
    if (happened.who.empty()) happened.who = who_;
    if (happened.task == 0) happened.task = task_;
    asio::write(socket_, asio::buffer(to_line(happened) + '\n'));
}

asio::awaitable<event> witness::ask(event question) {
    report(std::move(question));
    const auto size = co_await asio::async_read_until(socket_, asio::dynamic_buffer(heard_), '\n', asio::deferred);
    auto answer = parse_event(std::string_view(heard_).substr(0, size - 1));
    heard_.erase(0, size);
    if (!answer) throw std::runtime_error("the judge talks nonsense");
    co_return *std::move(answer);
}

asio::awaitable<std::optional<std::int64_t>> witness::read(std::string name, std::int64_t token) {
    event question{.kind = what::read, .name = std::move(name), .token = token};
    const auto answer = co_await ask(std::move(question));
    if (answer.kind == what::refused) co_return std::nullopt;
    co_return answer.value;
}

asio::awaitable<bool> witness::write(std::string name, std::int64_t token, std::int64_t value) {
    event question{.kind = what::wrote, .name = std::move(name), .token = token, .value = value};
    const auto answer = co_await ask(std::move(question));
    co_return answer.kind == what::wrote;
}

}  // namespace torture
