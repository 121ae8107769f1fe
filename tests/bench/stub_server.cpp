// Bench support: the fixed-answer server, on bare epoll.
// SPDX-License-Identifier: BSL-1.0
#include "stub_server.hpp"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <charconv>
#include <csignal>
#include <map>
#include <stdexcept>
#include <string>

namespace bench {

namespace {

/// The size of the request at the front of `input`; 0 while it is not complete.
std::size_t whole_request(std::string_view input) {
    constexpr std::string_view name = "Content-Length: ";
    const auto head = input.find("\r\n\r\n");
    const auto at = input.find(name);
    if (head == std::string_view::npos || at > head) return 0;
    std::size_t body = 0;
    const auto number = input.substr(at + name.size(), 20);
    std::from_chars(number.data(), number.data() + number.size(), body);
    const auto size = head + 4 + body;
    return input.size() < size ? 0 : size;
}

/// The answer with an id of its own: one that comes a second time is refused as a stray.
class numbered_answer {
public:
    explicit numbered_answer(std::string_view answer) : text_(answer) {
        constexpr std::string_view name = "x-amzn-RequestId: ";
        id_ = text_.find(name) + name.size();
    }

    const std::string& next() {
        constexpr std::size_t digits = 20;
        auto rest = ++number_;
        for (std::size_t at = id_ + digits; at-- > id_; rest /= 10) text_[at] = static_cast<char>('0' + rest % 10);
        return text_;
    }

private:
    std::string text_;
    std::size_t id_ = 0;
    std::uint64_t number_ = 0;
};

/// False: the connection is over.
bool serve(int connection, std::string& input, numbered_answer& answers) {
    char bytes[16 * 1024];
    const auto size = ::recv(connection, bytes, sizeof bytes, 0);
    if (size <= 0) return false;
    input.append(bytes, static_cast<std::size_t>(size));
    while (const auto request = whole_request(input)) {
        input.erase(0, request);
        const auto& answer = answers.next();
        if (::send(connection, answer.data(), answer.size(), MSG_NOSIGNAL) < 0) return false;
    }
    return true;
}

void watch(int poll, int descriptor) {
    epoll_event event{};
    event.events = EPOLLIN;
    event.data.fd = descriptor;
    ::epoll_ctl(poll, EPOLL_CTL_ADD, descriptor, &event);
}

[[noreturn]] void run(int listener, numbered_answer answers) {
    const int poll = ::epoll_create1(0);
    std::map<int, std::string> inputs;
    watch(poll, listener);
    for (;;) {
        epoll_event events[128];
        const int count = ::epoll_wait(poll, events, 128, -1);
        for (int i = 0; i < count; ++i) {
            const int descriptor = events[i].data.fd;
            if (descriptor == listener) {
                const int connection = ::accept(listener, nullptr, nullptr);
                const int on = 1;
                ::setsockopt(connection, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
                watch(poll, connection);
            } else if (!serve(descriptor, inputs[descriptor], answers)) {
                inputs.erase(descriptor);
                ::close(descriptor);
            }
        }
    }
}

}  // namespace

stub_server::stub_server(std::string_view answer) {
    const int listener = ::socket(AF_INET, SOCK_STREAM, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    if (::bind(listener, reinterpret_cast<sockaddr*>(&address), size) != 0 || ::listen(listener, 1024) != 0 ||
        ::getsockname(listener, reinterpret_cast<sockaddr*>(&address), &size) != 0) {
        throw std::runtime_error("stub server: cannot listen");
    }
    port_ = ntohs(address.sin_port);
    child_ = ::fork();
    if (child_ < 0) throw std::runtime_error("stub server: cannot fork");
    if (child_ == 0) {
        ::prctl(PR_SET_PDEATHSIG, SIGKILL);
        run(listener, numbered_answer(answer));
    }
    ::close(listener);
}

stub_server::~stub_server() {
    ::kill(child_, SIGKILL);
    ::waitpid(child_, nullptr, 0);
}

}  // namespace bench
