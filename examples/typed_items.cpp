// Structs as items: what each kind of member becomes, names of your own, types of your own, what errors say; and a
// table of them, with what a save leaves alone and what does not fit.
//
// It runs on a DynamoDB inside the process.
// SPDX-License-Identifier: BSL-1.0
#include <dynalease/dynamodb/expression.hpp>
#include <dynalease/local/database.hpp>
#include <dynalease/versioned.hpp>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/describe/class.hpp>
#include <boost/describe/enum.hpp>

#include <chrono>
#include <iostream>
#include <map>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace shop {

enum class state { open, paid, shipped, other };
BOOST_DESCRIBE_ENUM(state, open, paid, shipped, other)

/// A type of our own: cents in the program, decimal text in the item.
struct money {
    long cents = 0;
};

struct line {
    std::string article{};
    int count = 1;
    money price{};
};
BOOST_DESCRIBE_STRUCT(line, (), (article, count, price))

struct order {
    std::string id{};
    shop::state state{};
    std::vector<line> lines{};
    std::optional<std::string> note{};
    std::optional<std::set<std::string>> tags{};
    std::map<std::string, std::string> address{};
    std::chrono::sys_seconds placed{};
    std::optional<std::chrono::sys_seconds> ttl{};  // when DynamoDB may remove it
};
BOOST_DESCRIBE_STRUCT(order, (), (id, state, lines, note, tags, address, placed, ttl))

}  // namespace shop

template <>
struct dynalease::attribute_traits<shop::money> {
    static attribute_value to_attribute(const shop::money& value, const mapping_place&) {
        const auto rest = std::to_string(value.cents % 100);
        return number(std::to_string(value.cents / 100) + (rest.size() < 2 ? ".0" : ".") + rest);
    }
    static shop::money from_attribute(const attribute_value& stored, const mapping_place& place) {
        const auto& amount = mapping::held_as<number>(stored, "N", place);
        if (amount < number(0)) place.fail("is less than nothing");
        return {static_cast<long>(amount.to_double() * 100 + 0.5)};
    }
};

/// States that programs of next year may know.
template <>
struct dynalease::enum_traits<shop::state> {
    static constexpr shop::state unknown = shop::state::other;
};

template <>
struct dynalease::item_traits<shop::order> : dynalease::default_item_traits {
    static constexpr std::string_view attribute_name(std::string_view member) {
        return member == "id" ? "OrderId" : member;
    }
};

namespace asio = boost::asio;

namespace {

void expect(bool holds, const char* what) {
    if (!holds) throw std::runtime_error(what);
    std::cout << what << '\n';
}

void round_trip() {
    shop::order order;
    order.id = "4711";
    order.state = shop::state::paid;
    order.lines = {{.article = "pen", .count = 3, .price = {250}}};
    order.address = {{"city", "Ulm"}};
    order.placed = std::chrono::sys_days(std::chrono::year(2026) / 11 / 21) + std::chrono::hours(14);
    order.ttl = order.placed;

    const auto item = dynalease::to_item(order);
    for (const auto& [name, value] : item) std::cout << "  " << name << ": " << value.type_name() << '\n';
    expect(*dynalease::find_string(item, "OrderId") == "4711", "a member may have another name in the item");
    expect(*dynalease::find_string(item, "state") == "paid", "enumerators are stored by name");
    expect(*dynalease::find_string(item, "placed") == "2026-11-21T14:00:00Z", "times as text that sorts");
    expect(*dynalease::find_integer(item, "ttl") == 1795269600, "but for DynamoDB's TTL as seconds since 1970");
    expect(!item.contains("note"), "an empty optional is absent");

    const auto back = dynalease::from_item<shop::order>(item);
    expect(back.lines.front().price.cents == 250, "and all of it comes back");
}

void errors() {
    shop::order order;
    order.lines = {{.article = "pen"}, {.article = "ink"}};
    auto item = dynalease::to_item(order);
    auto& lines = *item.at("lines").get_if<dynalease::attribute_list>();
    lines[1].get_if<dynalease::attribute_map>()->insert_or_assign("price", dynalease::number(-1));
    try {
        dynalease::from_item<shop::order>(item);
        throw std::runtime_error("it was taken");
    } catch (const dynalease::error& why) {
        std::cout << "an error names the place: " << why.diagnostics().message << '\n';
        expect(why.diagnostics().message == "lines[1].price is less than nothing", "down to the element");
    }
}

using orders = dynalease::versioned<shop::order>;

/// Of another program: it raises no version.
asio::awaitable<void> by_hand(dynalease::database database, dynalease::update_expression change) {
    dynalease::update_item_request request;
    request.table_name = "orders";
    request.key = {{"OrderId", "4711"}};
    apply(request, change);
    co_await database.execute(std::move(request));
}

asio::awaitable<void> saves(dynalease::database database, orders table) {
    shop::order order;
    order.id = "4711";
    order.address = {{"city", "Ulm"}};
    co_await table.create(order);
    const bool there = co_await table.exists("4711");
    const bool elsewhere = co_await table.exists("4712");
    expect(there && !elsewhere, "exists asks for no more than that");

    auto found = co_await table.load("4711");
    const auto zip = dynalease::set(dynalease::path("address")["zip"], "89073");
    const auto state = dynalease::set("state", "on its way back");
    co_await by_hand(database, zip + state);
    found->value.address["city"] = "Neu-Ulm";
    co_await table.save(*found);  // SET address.city
    found = co_await table.load("4711");
    expect(found->value.address.at("zip") == "89073",
           "a save inside of a map keeps what others have put beside the change");
    expect(found->value.state == shop::state::other, "an enumerator of a newer program is what enum_traits say");
    found->value.note = "call first";
    co_await table.save(*found);
    found = co_await table.load("4711");
    expect(*dynalease::find_string(found->attributes, "state") == "on its way back", "and stays what it was in a save");
}

asio::awaitable<void> misfits(dynalease::database database, orders table) {
    dynalease::put_item_request odd;
    odd.table_name = "orders";
    odd.new_item = {{"OrderId", "4712"}, {"state", 7}};
    co_await database.execute(std::move(odd));
    const std::vector<dynalease::key_values> keys{"4711", "4712", "4713"};
    auto found = co_await table.load_many_with_misfits(keys);
    expect(found.values.size() == 1 && found.misfits.size() == 1, "an item that does not fit hides no other");
    std::cout << "  " << found.misfits.front().why.what() << '\n';
    try {
        co_await table.load(4711);
        throw std::runtime_error("it was taken");
    } catch (const dynalease::error& why) {
        std::cout << "  " << why.diagnostics() << '\n';
        expect(why.condition() == dynalease::condition::misconfigured, "nor is a key of another type asked for");
    }
}

asio::awaitable<void> in_a_table(dynalease::database database) {
    dynalease::create_table_request made;
    made.table_name = "orders";
    made.key.hash.name = "OrderId";
    co_await database.execute(std::move(made));
    const orders table{database, {.table = "orders", .key = "OrderId"}};
    co_await saves(database, table);
    co_await misfits(database, table);
}

}  // namespace

int main() {
    asio::io_context io;
    const dynalease::local::database database{io.get_executor()};
    int status = 0;
    try {
        round_trip();
        errors();
        asio::co_spawn(io, in_a_table(database), [](std::exception_ptr failure) {
            if (failure) std::rethrow_exception(failure);
        });
        io.run();
    } catch (const std::exception& why) {
        std::cerr << why.what() << '\n';
        status = 1;
    }
    return status;
}
