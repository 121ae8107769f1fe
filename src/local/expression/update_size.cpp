// What the service charges an update expression against the limit of an item.
// SPDX-License-Identifier: BSL-1.0
#include "local/expression/update_size.hpp"

#include "dynamodb/value_size.hpp"

namespace dynalease::local::expression {

namespace {

constexpr std::size_t update_cost = 3;
constexpr std::size_t writing_cost = 19;  // of SET and ADD
constexpr std::size_t removing_cost = 1;  // of REMOVE and DELETE
constexpr std::size_t further_step_cost = 4;
constexpr std::size_t path_cost = 1;  // of one that is read
constexpr std::size_t step_cost = 14;
constexpr std::size_t plus_cost = 34;
constexpr std::size_t minus_cost = 37;
constexpr std::size_t if_not_exists_cost = 39;
constexpr std::size_t list_append_cost = 37;

class update_scale {
public:
    explicit update_scale(const bindings& bound) : bound_(bound) {}

    std::size_t target(const path& to) const {
        std::size_t sum = 0;
        for (const step& each : to) sum += element(each) + (sum == 0 ? 0 : further_step_cost);
        return sum;
    }
    std::size_t value(const value_placeholder& of) const { return value_size(bound_.value(of)); }

    std::size_t of(const operand& given) const {
        return std::visit([this](const auto& what) { return part(what); }, given.what);
    }

private:
    std::size_t part(const path& from) const {
        std::size_t sum = path_cost;
        for (const step& each : from) sum += step_cost + element(each);
        return sum;
    }
    std::size_t part(const value_placeholder& given) const { return value(given); }
    std::size_t part(const call& given) const {
        const bool appends = given.function == function::list_append;
        return (appends ? list_append_cost : if_not_exists_cost) + all(given.arguments);
    }
    std::size_t part(const arithmetic& given) const {
        return (given.subtract ? minus_cost : plus_cost) + all(given.sides);
    }
    std::size_t all(const std::vector<operand>& operands) const {
        std::size_t sum = 0;
        for (const operand& each : operands) sum += of(each);
        return sum;
    }

    /// A name's bytes, an index's digits.
    std::size_t element(const step& each) const {
        return each.what == step::kind::index ? std::to_string(each.index).size() : bound_.name(each).size();
    }

    const bindings& bound_;
};

}  // namespace

std::size_t size_to_write(const update& tree, const bindings& bound) {
    const update_scale scale(bound);
    std::size_t sum = update_cost;
    for (const set_action& each : tree.set) sum += writing_cost + scale.target(each.target) + scale.of(each.value);
    for (const set_member_action& each : tree.add) {
        sum += writing_cost + scale.target(each.target) + scale.value(each.value);
    }
    for (const path& each : tree.remove) sum += removing_cost + scale.target(each);
    for (const set_member_action& each : tree.erase) sum += removing_cost + scale.target(each.target);
    return sum;
}

}  // namespace dynalease::local::expression
