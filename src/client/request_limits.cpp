// Room client: the limits of DynamoDB.
// SPDX-License-Identifier: BSL-1.0
#include "client/request_limits.hpp"

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

namespace dynalease::detail {

namespace {

constexpr std::size_t largest_item = 400 * 1024;
constexpr std::size_t largest_transaction = 4 * 1024 * 1024;
constexpr std::size_t longest_expression = 4096;
constexpr std::size_t longest_hash_key = 2048;
constexpr std::size_t longest_range_key = 1024;

class checker {
public:
    checker(std::string_view operation, std::size_t encoded) : operation_(operation), encoded_(encoded) {}

    std::optional<failure> take() { return std::move(found_); }

    /// Whatever has these fields: requests, actions of transactions, parts of batches.
    void operator()(const auto& what) { fields(what); }
    void operator()(const batch_get_item_request& request) {
        std::size_t keys = 0;
        for (const auto& [table, part] : request.tables) {
            keys += part.keys.size();
            for (const auto& each : part.keys) key(each);
            fields(part);
        }
        count("keys", keys, 100);
    }
    void operator()(const batch_write_item_request& request) {
        std::size_t writes = 0;
        for (const auto& [table, list] : request.tables) {
            writes += list.size();
            for (const auto& write : list) std::visit(*this, write);
        }
        count("writes", writes, 25);
    }
    void operator()(const transact_write_items_request& request) {
        for (const auto& action : request.actions) std::visit(*this, action);
        count("actions", request.actions.size(), 100);
        if (request.client_request_token.size() > 36) refuse("client_request_token has more than 36 characters");
        if (put_bytes_ > largest_transaction) too_large("the items of a transaction have", put_bytes_, "4 MB");
    }
    void operator()(const transact_get_items_request& request) {
        for (const auto& get : request.gets) fields(get);
        count("gets", request.gets.size(), 100);
    }

private:
    void fields(const auto& what) {
        if constexpr (requires { what.key.begin(); }) key(what.key);
        if constexpr (requires { what.new_item; }) put(what.new_item);
        if constexpr (requires { what.condition_expression; }) text("condition_expression", what.condition_expression);
        if constexpr (requires { what.update_expression; }) text("update_expression", what.update_expression);
        if constexpr (requires { what.filter_expression; }) text("filter_expression", what.filter_expression);
        if constexpr (requires { what.projection_expression; })
            text("projection_expression", what.projection_expression);
        if constexpr (requires { what.key_condition_expression; }) {
            text("key_condition_expression", what.key_condition_expression);
        }
    }

    void key(const item_key& key) {
        if (key.empty() || key.size() > 2) return refuse("a key has one or two attributes");
        std::size_t long_ones = 0;
        for (const auto& [name, value] : key) {
            const auto size = key_size(value);
            if (size && *size == 0) return refuse("key attribute '" + name + "' is empty");
            if (size && *size > longest_hash_key)
                return refuse("key attribute '" + name + "' has more than 2048 bytes");
            if (size && *size > longest_range_key) ++long_ones;
        }
        if (long_ones > 1) refuse("a sort key has more than 1024 bytes");
    }

    static std::optional<std::size_t> key_size(const attribute_value& value) {
        if (const auto* string = value.get_if<std::string>()) return string->size();
        if (const auto* bytes = value.get_if<binary>()) return bytes->size();
        return std::nullopt;
    }

    void put(const item& attributes) {
        if (encoded_ <= largest_item) return;  // what is encoded is longer than what is stored
        const auto size = item_size(attributes);
        put_bytes_ += size;
        if (size > largest_item) too_large("an item has", size, "400 KB");
    }

    void text(std::string_view field, const std::string& expression) {
        if (expression.size() > longest_expression) refuse(std::string(field) + " has more than 4 KB");
    }

    void count(std::string_view what, std::size_t number, std::size_t most) {
        if (number >= 1 && number <= most) return;
        refuse(std::string(operation_) + " takes 1 to " + std::to_string(most) + " " + std::string(what) + ", not " +
               std::to_string(number));
    }

    void too_large(std::string_view what, std::size_t size, std::string_view limit) {
        note(errc::item_too_large,
             std::string(what) + " " + std::to_string(size) + " bytes; the limit is " + std::string(limit));
    }

    void refuse(std::string message) { note(errc::invalid_option, std::move(message)); }

    void note(errc code, std::string message) {
        if (found_) return;
        found_.emplace(code);
        found_->details.message = std::move(message);
        found_->details.advice = "DynamoDB would refuse it; nothing was sent";
    }

    std::string_view operation_;
    std::size_t encoded_;
    std::size_t put_bytes_ = 0;
    std::optional<failure> found_;
};

}  // namespace

std::optional<failure> beyond_limits(const any_request& request, std::size_t encoded) {
    checker check(operation_name(request), encoded);
    std::visit([&check](const auto& what) { check(what); }, request);
    return check.take();
}

}  // namespace dynalease::detail
