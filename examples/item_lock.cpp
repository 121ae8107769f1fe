// A payment that is charged under a lock on its own item: readers first, one writer, two payments together, no table.
//
// It runs on a DynamoDB inside the process.
// SPDX-License-Identifier: BSL-1.0
#include <dynalease/dynalease.hpp>
#include <dynalease/local/database.hpp>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>

#include <exception>
#include <iostream>
#include <stdexcept>
#include <utility>
#include <vector>

namespace asio = boost::asio;
using namespace std::chrono_literals;

asio::awaitable<void> prepare(dynalease::database database) {
    co_await dynalease::create_table(database, "coordination");
    dynalease::create_table_request payments;
    payments.table_name = "payments";
    payments.key.hash.name = "id";
    co_await database.execute(std::move(payments));
    for (const auto* id : {"order/4711", "order/4712"}) {
        dynalease::put_item_request order;
        order.table_name = "payments";
        order.new_item = {{"id", id}, {"state", "NEW"}, {"amount", 120}};
        co_await database.execute(std::move(order));
    }
}

asio::awaitable<void> charge(dynalease::item_lock payment) {
    auto guard = co_await payment.acquire();  // brings the item: no read is needed
    std::cout << "locked by one writer, state " << *find_string(guard.item(), "state") << '\n';

    auto charging = dynalease::set("state", "CHARGING");
    co_await guard.update(std::move(charging));  // refused, had we lost the lock meanwhile
    // ... talk to the bank here; its key for idempotence is the fencing token
    auto charged = dynalease::set("state", "CHARGED") + dynalease::set("receipt", guard.fencing_token());
    auto left = co_await guard.update_and_release(std::move(charged));  // the change and the unlock in one write
    std::cout << "charged: state " << *find_string(left, "state") << '\n';
}

/// Two payments that change together. Whoever wants both, in whatever order, gets both or waits holding none.
asio::awaitable<void> settle_together(dynalease::item_lock one, dynalease::item_lock other) {
    std::vector<dynalease::item_demand> wanted{{other}, {one}};
    auto guards = co_await dynalease::acquire_all(std::move(wanted));
    std::cout << "both locked, under one token: " << (guards[0].fencing_token() == guards[1].fencing_token()) << '\n';
    std::vector<dynalease::item_commit> last(2);
    for (std::size_t i = 0; i < last.size(); ++i) {
        last[i].guard = std::move(guards[i]);
        last[i].change = dynalease::set("state", "SETTLED");
    }
    co_await dynalease::commit_all(std::move(last));  // both changes and both releases in one transaction
}

/// Without a coordination table: the item itself shows that its holder lives.
asio::awaitable<void> lock_without_a_table(dynalease::database database, dynalease::item_ref order) {
    dynalease::session plain{database, dynalease::plain_session_options{.lease = 2s}};
    dynalease::item_lock payment{plain, order};
    auto guard = co_await payment.acquire();
    std::cout << "locked without a table: " << guard.name() << '\n';
    co_await guard.release();
    co_await plain.close();
}

asio::awaitable<void> demonstrate(dynalease::database database) {
    co_await prepare(database);
    dynalease::session_options options;
    options.table = "coordination";
    dynalease::session session{database, options};
    dynalease::session elsewhere{database, options};  // as in another process

    dynalease::item_ref order;
    order.table = "payments";
    order.key = {{"id", "order/4711"}};
    dynalease::item_lock here{session, order};
    dynalease::item_lock there{elsewhere, order};

    auto one = co_await here.acquire_shared();
    auto other = co_await there.acquire_shared();
    std::cout << "two readers at once: " << one.held() << other.held() << '\n';
    auto refused = co_await there.try_acquire();
    std::cout << "a writer beside readers: " << (refused ? "let in" : "refused") << '\n';
    co_await one.release();
    co_await other.release();

    co_await charge(here);

    auto guard = co_await there.acquire({.wait = 5s});
    const auto* state = find_string(guard.item(), "state");
    if (!state || *state != "CHARGED") throw std::runtime_error("the charge was lost");
    std::cout << "the next holder finds it " << *state << ", with fencing token " << guard.fencing_token() << '\n';
    co_await guard.release();

    order.key = {{"id", "order/4712"}};
    dynalease::item_lock another{session, order};
    co_await settle_together(here, another);
    auto last = co_await there.acquire();
    if (*find_string(last.item(), "state") != "SETTLED") throw std::runtime_error("the settlement was lost");
    co_await last.release();

    co_await lock_without_a_table(database, order);
    co_await session.close();
    co_await elsewhere.close();
}

int main() {
    asio::io_context io;
    int status = 0;
    const dynalease::local::database database{io.get_executor()};
    asio::co_spawn(io, demonstrate(database), [&status](std::exception_ptr failure) {
        try {
            if (failure) std::rethrow_exception(failure);
        } catch (const std::exception& why) {
            std::cerr << why.what() << '\n';
            status = 1;
        }
    });
    io.run();
    return status;
}
