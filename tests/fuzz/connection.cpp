// One connection through time: a byte for each step, and one before them for TLS. The peer answers, in portions, before,
// during and after exchanges, says things unasked, and leaves; exchanges begin, run out of time and are dropped. No answer
// that was given before a request was sent is ever taken for its own.
// SPDX-License-Identifier: BSL-1.0
#include "fuzz/target.hpp"

#include "http/connection.hpp"
#include "http/tls.hpp"
#include "support/certificates.hpp"

#include <dynalease/runtime/environment.hpp>

#include <boost/asio/bind_executor.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ssl/stream_base.hpp>

#include <openssl/bio.h>
#include <openssl/ssl.h>

#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace {

using namespace dynalease;
namespace asio = boost::asio;

constexpr std::string_view request = "POST / HTTP/1.1\r\nContent-Length: 0\r\n\r\n";

/// A pair of sockets that deliver at once, so that the order of steps is the order of bytes.
struct wire {
    wire() { fuzz::require(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, ends.data()) == 0, "sockets"); }
    wire(const wire&) = delete;
    wire& operator=(const wire&) = delete;
    ~wire() { leave(); }

    void leave() {
        if (ends[1] >= 0) ::close(std::exchange(ends[1], -1));
    }
    void say(std::string_view bytes) const {
        if (ends[1] >= 0) static_cast<void>(::send(ends[1], bytes.data(), bytes.size(), MSG_NOSIGNAL));
    }
    /// What has come since the last call.
    std::string heard() const {
        std::array<char, 4096> bytes;
        const auto got = ends[1] < 0 ? 0 : ::recv(ends[1], bytes.data(), bytes.size(), 0);
        return {bytes.data(), got > 0 ? static_cast<std::size_t>(got) : 0};
    }

    std::array<int, 2> ends{-1, -1};
};

/// The peer's side of TLS: from what it says to the bytes on the wire.
class secret_speech {
public:
    secret_speech() : session_(SSL_new(context().native_handle())) {
        SSL_set_bio(session_.get(), BIO_new(BIO_s_mem()), BIO_new(BIO_s_mem()));
        SSL_set_accept_state(session_.get());
        SSL_set_num_tickets(session_.get(), 0);
    }

    std::string hear(std::string_view bytes) {
        BIO_write(SSL_get_rbio(session_.get()), bytes.data(), static_cast<int>(bytes.size()));
        std::array<char, 256> plain;
        while (SSL_read(session_.get(), plain.data(), plain.size()) > 0) continue;
        return wire_bytes();
    }
    std::string say(std::string_view text) {
        SSL_write(session_.get(), text.data(), static_cast<int>(text.size()));
        return wire_bytes();
    }
    /// What is no answer, and may come at any time.
    std::string new_ticket() {
        SSL_new_session_ticket(session_.get());
        SSL_do_handshake(session_.get());
        return wire_bytes();
    }
    std::string new_key() {
        SSL_key_update(session_.get(), SSL_KEY_UPDATE_REQUESTED);
        SSL_do_handshake(session_.get());
        return wire_bytes();
    }

private:
    static asio::ssl::context& context() {
        static const support::authority own;
        static const auto made = own.server_for("localhost");
        return *made;
    }

    std::string wire_bytes() {
        std::array<char, 4096> bytes;
        std::string out;
        for (int got = 1; got > 0;) {
            got = BIO_read(SSL_get_wbio(session_.get()), bytes.data(), bytes.size());
            if (got > 0) out.append(bytes.data(), static_cast<std::size_t>(got));
        }
        return out;
    }

    struct freer {
        void operator()(SSL* session) const { SSL_free(session); }
    };
    std::unique_ptr<SSL, freer> session_;
};

std::shared_ptr<asio::ssl::context> trusting() {
    static const auto setup = http::make_tls_context({.verify = false});
    return setup.context;
}

class machine {
public:
    explicit machine(bool secure) : mine_(open(secure)) {
        mine_->transport().socket().assign(asio::ip::tcp::v4(), wire_.ends[0]);
        mine_->transport().socket().non_blocking(true);
        if (!secure) return;
        speech_.emplace();
        bool shaken = false;
        mine_->transport().tls()->async_handshake(asio::ssl::stream_base::client, [&](error_code error) { shaken = !error; });
        for (int round = 0; round < 4; ++round) {
            run();
            wire_.say(speech_->hear(wire_.heard()));
        }
        fuzz::require(shaken, "hands are shaken");
    }

    void step(unsigned char what, fuzz::input& in) {
        switch (what % 8) {
            case 0:
                return begin();
            case 1:
                return say_rest();
            case 2: {
                const auto how = in.byte();
                if (unsaid_.empty()) unsaid_ = spoken(answer(how));
                return say_rest(1 + in.byte());
            }
            case 3:
                raw_ = true;
                return wire_.say(in.line());
            case 4:
                wire_.leave();
                return;
            case 5:
                return mine_->close(errc::timeout);
            case 6:
                if (speech_) unsaid_ += in.byte() % 2 == 0 ? speech_->new_ticket() : speech_->new_key();
                return say_rest(1 + in.byte());
            default:
                run();
        }
    }

    void end() {
        mine_->close();
        run();
        fuzz::require(!under_way_, "an exchange comes to an end");
    }

private:
    std::shared_ptr<http::connection> open(bool secure) {
        constexpr http::response_limits limits{.head = 1024, .body = 4096};
        return std::make_shared<http::connection>(world_.executor, timing_, secure ? trusting() : nullptr, limits, "x-id");
    }

    /// It tells how many requests had been sent when it was begun.
    std::string answer(unsigned char how) {
        const auto body = std::to_string(begun_);
        const auto id = "X-Id: " + std::to_string(how % 4 == 3 ? 0 : ++ids_) + "\r\n";
        if (how % 4 == 1) {
            return "HTTP/1.1 200 OK\r\n" + id + "Transfer-Encoding: chunked\r\n\r\n" + std::to_string(body.size()) +
                   "\r\n" + body + "\r\n0\r\n\r\n";
        }
        const std::string interim = how % 4 == 2 ? "HTTP/1.1 100 Continue\r\n\r\n" : "";
        const auto length = "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n";
        return interim + "HTTP/1.1 200 OK\r\n" + id + length + body;
    }

    std::string spoken(std::string text) { return speech_ ? speech_->say(text) : std::move(text); }

    void say_rest(std::size_t most = std::string::npos) {
        wire_.say(std::string_view(unsaid_).substr(0, most));
        unsaid_.erase(0, most);
    }

    void begin() {
        if (under_way_ || !mine_->reusable()) return;
        under_way_ = true;
        ++begun_;
        raw_ = false;
        mine_->request() = request;
        const auto until = world_.clock->now() + std::chrono::hours(1);
        mine_->exchange(until, asio::bind_executor(world_.executor, [this](error_code error) { ended(error); }));
    }

    void ended(const error_code& error) {
        fuzz::require(std::exchange(under_way_, false), "an exchange ends once");
        const auto heard = wire_.heard();
        fuzz::require(mine_->wrote() || heard.empty(), "what was not written was not heard");
        if (speech_ && !heard.empty()) unsaid_ += speech_->hear(heard);
        if (error) {
            const bool known = error == errc::timeout || error == errc::server_error || error == errc::bad_response ||
                               error == errc::shut_down;
            fuzz::require(known, "an exchange fails for a reason");
            fuzz::require(!mine_->reusable(), "a connection that failed is not used again");
            return;
        }
        fuzz::require(mine_->wrote(), "an answer follows a request");
        // Bytes of no meaning may have made any answer.
        if (raw_) return;
        fuzz::require(mine_->answer().body() == std::to_string(begun_), "an answer is to the request that was sent");
        mine_->rest();
    }

    void run() {
        io_.restart();
        io_.poll();
    }

    asio::io_context io_{1};
    environment world_ = environment::system(io_.get_executor());
    wire wire_;
    std::shared_ptr<http::deadlines> timing_ = std::make_shared<http::deadlines>(world_);
    std::shared_ptr<http::connection> mine_;
    std::optional<secret_speech> speech_;
    std::string unsaid_;  // of answers that were begun
    std::size_t ids_ = 0;
    std::size_t begun_ = 0;
    bool under_way_ = false;
    bool raw_ = false;  // bytes of no meaning came since it began
};

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    fuzz::input in(data, size);
    machine one(in.byte() % 2 != 0);
    while (!in.rest().empty()) one.step(in.byte(), in);
    one.end();
    return 0;
}
