// Structs as items: what each kind of member becomes, names of your own, types of your own, and what errors say.
// SPDX-License-Identifier: BSL-1.0
#include <dynalease/error.hpp>
#include <dynalease/typed_item.hpp>

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

enum class state { open, paid, shipped };
BOOST_DESCRIBE_ENUM(state, open, paid, shipped)

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
};
BOOST_DESCRIBE_STRUCT(order, (), (id, state, lines, note, tags, address, placed))

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

template <>
struct dynalease::item_traits<shop::order> : dynalease::default_item_traits {
    static constexpr std::string_view attribute_name(std::string_view member) {
        return member == "id" ? "OrderId" : member;
    }
};

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

    const auto item = dynalease::to_item(order);
    for (const auto& [name, value] : item) std::cout << "  " << name << ": " << value.type_name() << '\n';
    expect(*dynalease::find_string(item, "OrderId") == "4711", "a member may have another name in the item");
    expect(*dynalease::find_string(item, "state") == "paid", "enumerators are stored by name");
    expect(*dynalease::find_string(item, "placed") == "2026-11-21T14:00:00Z", "times as text that sorts");
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

}  // namespace

int main() {
    try {
        round_trip();
        errors();
    } catch (const std::exception& why) {
        std::cerr << why.what() << '\n';
        return 1;
    }
}
