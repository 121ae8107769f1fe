// A Beast server that keeps accounts in DynamoDB: each deposit locks its account, whatever process serves it.
//
//   POST /accounts/NAME/deposit/AMOUNT    the new balance
//   GET  /metrics                         counters and times of the session and the client, as Prometheus text
//
// Calls and waits that take long are told on the standard error.
//
// usage: asio_http_server [--port N]      serves until SIGINT; without arguments it sends itself some deposits and
// ends.
//
// Each connection runs on a strand of its own. None runs on the client's, where the heartbeat of all locks would wait
// for it.
// SPDX-License-Identifier: BSL-1.0
#include <dynalease/dynalease.hpp>
#include <dynalease/local/server.hpp>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/asio/strand.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>

#include <charconv>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = boost::beast::http;
using asio::ip::tcp;
using namespace std::chrono_literals;
using request = http::request<http::string_body>;
using response = http::response<http::string_body>;

namespace {

constexpr std::string_view table = "bank";

// ---- the accounts -----------------------------------------------------------------------------------------

struct bank {
    dynalease::client& client;
    dynalease::database database;  // the client, and each call on it is told
    dynalease::session session;
};

constexpr auto long_time = 1s;

/// Which call on DynamoDB is slow, and what it came to.
void tell_call(const dynalease::call_report& call) {
    if (call.took < long_time) return;
    std::cerr << call.operation << " took " << call.took / 1ms << " ms: " << call.code.message() << '\n';
}

/// Which account is waited for, or held, for long.
void tell_grant(const dynalease::grant_report& seen) {
    if (seen.took < long_time) return;
    std::cerr << seen.name << (seen.of_wait() ? " was waited for " : " was held ") << seen.took / 1ms << " ms, "
              << seen.requests << " requests: " << seen.code.message() << '\n';
}

dynalease::item_key key_of(const std::string& account) {
    dynalease::item_key key;
    key.emplace("pk", "account#" + account);
    key.emplace("sk", "-");
    return key;
}

asio::awaitable<std::int64_t> balance_of(const bank& bank, const std::string& account) {
    dynalease::get_item_request get{.table_name = std::string(table), .key = key_of(account), .consistent_read = true};
    const auto answer = co_await bank.database.execute(std::move(get));
    co_return answer.found ? dynalease::find_integer(*answer.found, "balance").value_or(0) : 0;
}

/// Reads, adds, writes: safe because the account is locked meanwhile, in this process and in all others.
/// @param balance set once the money is there
asio::awaitable<void> add(const bank& bank, const std::string& account, std::int64_t amount,
                          const dynalease::lock_guard& guard, std::optional<std::int64_t>& balance) {
    const auto after = co_await balance_of(bank, account) + amount;
    dynalease::transact_put put{.table_name = std::string(table), .new_item = key_of(account)};
    put.new_item.emplace("balance", after);
    dynalease::transact_write_items_request write;
    write.actions.emplace_back(std::move(put));
    write.actions.emplace_back(guard.fence());  // the write happens only while this very grant is in force
    co_await bank.database.execute(std::move(write));
    balance = after;
}

/// As work under the lock: what has begun when the server is told to stop may end before the session closes.
asio::awaitable<std::int64_t> deposit(bank& bank, std::string account, std::int64_t amount) {
    dynalease::lock lock{bank.session, "account/" + account};
    dynalease::acquire_options patience;
    patience.wait = 2s;
    std::optional<std::int64_t> balance;
    const auto body = [&](dynalease::lock_guard& guard) { return add(bank, account, amount, guard, balance); };
    try {
        co_await dynalease::with_lock(lock, body, patience);
    } catch (const dynalease::error&) {
        if (!balance) throw;  // else the money is there, whatever has become of the lock
    }
    co_return *balance;
}

// ---- HTTP -------------------------------------------------------------------------------------------------

std::string metrics(const bank& bank) {
    dynalease::metrics page;
    page.add(bank.client.counters());
    page.add(bank.session.counters());
    return page.text();
}

struct order {
    std::string account;
    std::int64_t amount = 0;
};

/// "/accounts/NAME/deposit/AMOUNT"; an empty account if the target is no such thing.
order parse(std::string_view target) {
    constexpr std::string_view before = "/accounts/";
    constexpr std::string_view between = "/deposit/";
    const auto middle = target.find(between);
    if (!target.starts_with(before) || middle == target.npos) return {};
    order parsed{std::string(target.substr(before.size(), middle - before.size())), 0};
    const auto digits = target.substr(middle + between.size());
    const auto [end, failure] = std::from_chars(digits.data(), digits.data() + digits.size(), parsed.amount);
    if (failure != std::errc{} || end != digits.data() + digits.size()) return {};
    return parsed;
}

/// Which answer a failure deserves: later may be better, or never.
http::status status_of(const dynalease::error& why) {
    switch (why.condition()) {
        case dynalease::condition::contended:
        case dynalease::condition::throttled:
        case dynalease::condition::unreachable:
        case dynalease::condition::lost:
        case dynalease::condition::conflict:  // the write of a deposit whose lock was lost
            return http::status::service_unavailable;
        case dynalease::condition::in_doubt:
            // A lock that may be ours is given back. Of money that may have been deposited the books must tell.
            if (why.diagnostics().operation.starts_with("lock.acquire")) return http::status::service_unavailable;
            return http::status::internal_server_error;
        default:
            return http::status::internal_server_error;
    }
}

asio::awaitable<void> answer(bank& bank, const request& asked, response& reply) {
    const std::string_view target(asked.target().data(), asked.target().size());
    const auto wanted = parse(target);
    reply.result(http::status::ok);
    try {
        if (asked.method() == http::verb::get && target == "/metrics") {
            reply.set(http::field::content_type, dynalease::metrics::content_type);
            reply.body() = metrics(bank);
        } else if (asked.method() == http::verb::post && !wanted.account.empty()) {
            const auto balance = co_await deposit(bank, wanted.account, wanted.amount);
            reply.body() = std::to_string(balance) + "\n";
        } else {
            reply.result(http::status::not_found);
        }
    } catch (const dynalease::error& why) {
        std::cerr << why.what() << '\n';
        reply.result(status_of(why));
    }
}

asio::awaitable<void> serve_connection(bank& bank, tcp::socket socket) {
    beast::tcp_stream stream(std::move(socket));
    beast::flat_buffer buffer;
    bool keep_alive = true;
    while (keep_alive) {
        stream.expires_after(30s);
        request asked;
        co_await http::async_read(stream, buffer, asked, asio::use_awaitable);
        stream.expires_never();
        response reply{http::status::ok, asked.version()};
        co_await answer(bank, asked, reply);
        keep_alive = asked.keep_alive();
        reply.keep_alive(keep_alive);
        reply.prepare_payload();
        co_await http::async_write(stream, reply, asio::use_awaitable);
    }
}

asio::awaitable<void> serve(bank& bank, tcp::acceptor& acceptor) {
    for (;;) {
        tcp::socket socket(asio::make_strand(acceptor.get_executor()));
        auto [code] = co_await acceptor.async_accept(socket, asio::as_tuple(asio::use_awaitable));
        if (code) co_return;  // closed
        const auto executor = socket.get_executor();
        // A peer that goes away ends its own connection, and nothing else.
        asio::co_spawn(executor, serve_connection(bank, std::move(socket)), [](std::exception_ptr) {});
    }
}

// ---- trying it out ----------------------------------------------------------------------------------------

asio::awaitable<std::string> ask(tcp::endpoint where, http::verb method, std::string target) {
    beast::tcp_stream stream(co_await asio::this_coro::executor);
    co_await stream.async_connect(where, asio::use_awaitable);
    request asked{method, target, 11};
    asked.set(http::field::host, "localhost");
    asked.keep_alive(false);
    co_await http::async_write(stream, asked, asio::use_awaitable);
    beast::flat_buffer buffer;
    response reply;
    co_await http::async_read(stream, buffer, reply, asio::use_awaitable);
    if (reply.result() != http::status::ok) throw std::runtime_error(target + " was refused");
    co_return reply.body();
}

/// Thirty deposits at once into one account; none may be lost.
asio::awaitable<void> try_out(tcp::endpoint where) {
    constexpr int deposits = 30;
    const auto executor = co_await asio::this_coro::executor;
    asio::steady_timer all_done(executor, asio::steady_timer::time_point::max());
    int open = deposits;
    for (int i = 0; i < deposits; ++i) {
        auto one = ask(where, http::verb::post, "/accounts/alice/deposit/1");
        asio::co_spawn(executor, std::move(one), [&open, &all_done](std::exception_ptr, const std::string&) {
            if (--open == 0) all_done.cancel();
        });
    }
    co_await all_done.async_wait(asio::as_tuple(asio::use_awaitable));
    const auto balance = co_await ask(where, http::verb::post, "/accounts/alice/deposit/0");
    const auto text = co_await ask(where, http::verb::get, "/metrics");
    std::cout << text << "balance " << balance;
    if (balance != "30\n") throw std::runtime_error("a deposit was lost");
    const auto has = [&text](const char* figure) { return text.find(figure) != text.npos; };
    if (!has("dynalease_locks_acquired_total 31\n")) throw std::runtime_error("31 grants, not told");
    if (!has("dynalease_acquire_wait_seconds_count{outcome=\"granted\"} 31\n")) throw std::runtime_error("nor waits");
}

asio::awaitable<void> wait_for_interrupt() {
    asio::signal_set signals(co_await asio::this_coro::executor, SIGINT, SIGTERM);
    co_await signals.async_wait(asio::use_awaitable);
}

asio::awaitable<void> run(asio::io_context& io, dynalease::client& client, unsigned short port, bool forever) {
    co_await dynalease::create_table(client, std::string(table));
    const auto told = dynalease::observed(client, tell_call);
    dynalease::session_options options{.table = std::string(table)};
    options.on_grant = tell_grant;
    bank bank{client, told, dynalease::session{told, options}};
    tcp::acceptor acceptor(io, tcp::endpoint(asio::ip::address_v4::loopback(), port));
    const auto own_strand = co_await asio::this_coro::executor;
    asio::co_spawn(own_strand, serve(bank, acceptor), [](std::exception_ptr) {});
    std::cout << "listening on http://127.0.0.1:" << acceptor.local_endpoint().port() << std::endl;
    if (forever) {
        co_await wait_for_interrupt();
    } else {
        co_await try_out(acceptor.local_endpoint());
    }
    acceptor.close();
    co_await bank.session.close();  // lets deposits end that have begun; all others are refused
    asio::steady_timer last_answers(own_strand, 200ms);
    co_await last_answers.async_wait(asio::use_awaitable);
}

}  // namespace

int main(int count, char** values) {
    const bool forever = count == 3 && std::string_view(values[1]) == "--port";
    const auto port = static_cast<unsigned short>(forever ? std::stoul(values[2]) : 0);
    asio::io_context io{1};
    // A DynamoDB of our own, unless the environment names another.
    dynalease::client_options options;
    std::optional<dynalease::local::server> store;
    if (!std::getenv("AWS_REGION") && !std::getenv("AWS_ENDPOINT_URL")) {
        store.emplace(io.get_executor());
        options.endpoint = store->endpoint();
        options.region = "us-east-1";
        options.credentials = dynalease::credentials{"local", "local"};
    }
    int status = 1;
    try {
        dynalease::client client{io.get_executor(), options};
        asio::co_spawn(asio::make_strand(io), run(io, client, port, forever), [&](std::exception_ptr failure) {
            try {
                if (failure) std::rethrow_exception(failure);
                status = 0;
            } catch (const std::exception& why) {
                std::cerr << why.what() << '\n';
            }
            io.stop();
        });
        io.run();
    } catch (const std::exception& why) {
        std::cerr << why.what() << '\n';
    }
    return status;
}
