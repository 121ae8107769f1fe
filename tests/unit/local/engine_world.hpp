// An engine with one table, and short ways to ask it things.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <dynalease/local/engine.hpp>

#include <catch2/catch.hpp>

#include <cctype>
#include <chrono>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

/// Responses have no text, and Boost.System would ask them for one.
template <class Response>
struct Catch::StringMaker<boost::system::result<Response, dynalease::failure>> {
    static std::string convert(const boost::system::result<Response, dynalease::failure>& answer) {
        return answer ? "a response" : answer.error().details.message;
    }
};

namespace dynalease::local::test {

/// Of the given values, those whose placeholder the texts use: the engine refuses the others.
inline attribute_values used(const attribute_values& all, const std::string& texts) {
    attribute_values result;
    for (const auto& [name, value] : all) {
        for (auto at = texts.find(name); at != std::string::npos; at = texts.find(name, at + 1)) {
            const char next = at + name.size() < texts.size() ? texts[at + name.size()] : ' ';
            if (!std::isalnum(static_cast<unsigned char>(next)) && next != '_') result.emplace(name, value);
        }
    }
    return result;
}

class engine_world {
public:
    /// A table "things" with the string key `pk`, or `pk` and `sk`.
    explicit engine_world(bool with_range = false, scalar_type range_type = scalar_type::s) {
        create_table_request request;
        request.table_name = "things";
        request.key.hash.name = "pk";
        if (with_range) request.key.range = key_attribute{"sk", range_type};
        REQUIRE(execute(request));
    }

    template <class Request>
    result<typename Request::response> execute(const Request& request) {
        auto answer = store.execute(any_request(request), now);
        if (!answer) return answer.error();
        return std::get<typename Request::response>(*std::move(answer));
    }

    /// The failure's words; "" for success.
    template <class Request>
    std::string fault(const Request& request) {
        const auto answer = execute(request);
        return answer ? std::string() : answer.error().details.message;
    }

    void put(const item& value) {
        put_item_request request;
        request.table_name = "things";
        request.new_item = value;
        const auto answer = execute(request);
        if (!answer) FAIL(answer.error().details.message);
    }

    std::optional<item> get(const item_key& key) {
        get_item_request request;
        request.table_name = "things";
        request.key = key;
        return execute(request).value().found;
    }

    engine store;
    engine::time now{std::chrono::sys_days{std::chrono::year{2026} / 3 / 1}};
};

inline update_item_request update_of(std::string expression, const attribute_values& values = {},
                                     std::string condition = {}) {
    update_item_request request;
    request.table_name = "things";
    request.key = {{"pk", "a"}};
    request.values = used(values, expression + " " + condition);
    request.update_expression = std::move(expression);
    request.condition_expression = std::move(condition);
    return request;
}

inline binary bytes(std::string_view text) {
    binary result;
    for (const char each : text) result.push_back(static_cast<std::byte>(each));
    return result;
}

inline number n(std::string_view text) {
    return number(text);
}

inline attribute_list list(std::initializer_list<attribute_value> values) {
    return attribute_list(values);
}

}  // namespace dynalease::local::test
