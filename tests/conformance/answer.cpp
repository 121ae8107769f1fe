// What makes two answers comparable, and where they differ.
// SPDX-License-Identifier: BSL-1.0
#include "conformance/answer.hpp"

#include "dynamodb/error_names.hpp"
#include "local/codec/server_codec.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <initializer_list>
#include <string_view>
#include <utility>

namespace dynalease::conformance {

namespace {

std::string order_of_number(const json& value) {
    const auto held = number::parse(value.text);
    if (!held) return value.text;
    std::array<char, 32> digits{};
    const double plain = held->to_double() + 0.0;  // -0 is 0
    return {digits.data(), std::to_chars(digits.data(), digits.data() + digits.size(), plain).ptr};
}

/// Numbers by their value: not every server gives them one form.
void make_orderable(json& value) {
    for (auto& [name, each] : value.members) {
        make_orderable(each);
        if (name == "N") each.text = order_of_number(each);
        if (name == "NS") {
            for (auto& number : each.items) number.text = order_of_number(number);
        }
    }
    for (auto& each : value.items) make_orderable(each);
}

void sort_items(json* list) {
    if (!list) return;
    std::ranges::sort(list->items, {}, [](json each) {
        make_orderable(each);
        return to_text(each);
    });
}

json* member(json& of, std::string_view name) {
    const auto found = of.members.find(name);
    return found == of.members.end() ? nullptr : &found->second;
}

/// The order of what a Scan or a batch finds is nobody's business, nor that of a set. In an index several items may
/// have one key.
void put_in_order(json& value) {
    for (auto& [name, each] : value.members) {
        put_in_order(each);
        if (name == "SS" || name == "BS") sort_items(&each);
        if (name == "NS") std::ranges::sort(each.items, {}, order_of_number);
    }
    for (auto& each : value.items) put_in_order(each);
}

void put_in_order(const any_request& request, json& body) {
    put_in_order(body);
    if (auto* consumed = member(body, "ConsumedCapacity")) {
        std::ranges::sort(consumed->items, {}, [](const json& each) {
            const auto* table = each.find("TableName");
            return table ? table->text : std::string();
        });
    }
    const auto* query = std::get_if<query_request>(&request);
    const bool unordered = std::holds_alternative<scan_request>(request) || (query && !query->index_name.empty());
    if (unordered) sort_items(member(body, "Items"));
    if (!std::holds_alternative<batch_get_item_request>(request)) return;
    if (auto* tables = member(body, "Responses")) {
        for (auto& [name, found] : tables->members) sort_items(&found);
    }
}

void keep_only(json& of, std::initializer_list<std::string_view> names) {
    std::erase_if(of.members, [&](const auto& each) { return std::ranges::find(names, each.first) == names.end(); });
}

/// Of a table what was asked for: its state takes time, elsewhere, and its ids are the server's own.
void keep_schema(json& body) {
    for (const auto* name : {"TableDescription", "Table"}) {
        auto* table = member(body, name);
        if (!table) continue;
        keep_only(*table, {"TableName", "KeySchema", "AttributeDefinitions", "GlobalSecondaryIndexes",
                           "LocalSecondaryIndexes"});
        sort_items(member(*table, "AttributeDefinitions"));
        for (const auto* kind : {"GlobalSecondaryIndexes", "LocalSecondaryIndexes"}) {
            auto* indexes = member(*table, kind);
            if (!indexes) continue;
            for (auto& index : indexes->items) {
                keep_only(index, {"IndexName", "KeySchema", "Projection"});
                if (auto* projection = member(index, "Projection")) {
                    sort_items(member(*projection, "NonKeyAttributes"));
                }
            }
            sort_items(indexes);
        }
    }
}

void keep_refusal(json& body) {
    json kept{json::kind::object, false, {}, {}, {}};
    if (const auto* type = body.find("__type")) kept.members["__type"] = json::of(exception_name(type->text));
    for (const auto* name : {"message", "Message"}) {
        if (auto* found = member(body, name)) kept.members["message"] = std::move(*found);
    }
    for (const auto* name : {"Item", "CancellationReasons"}) {
        if (auto* found = member(body, name)) kept.members[name] = std::move(*found);
    }
    body = std::move(kept);
}

std::string text_in(const json& body, std::string_view name) {
    const auto* found = body.find(name);
    return found ? found->text : std::string();
}

class comparison {
public:
    comparison(const call& what, const answer& ours, const answer& theirs)
        : what_(what), ours_(ours), theirs_(theirs) {}

    std::vector<difference> run() {
        if (ours_.error() == theirs_.error()) {
            compare(ours_.body, theirs_.body, {});
        } else {
            add("__type", ours_.body.find("__type"), theirs_.body.find("__type"));
        }
        return std::move(found_);
    }

private:
    void compare(const json& ours, const json& theirs, const std::string& path) {
        if (ours.type != theirs.type || (ours.type == json::kind::array && ours.items.size() != theirs.items.size())) {
            return add(path, &ours, &theirs);
        }
        if (ours.type == json::kind::array) {
            for (std::size_t i = 0; i < ours.items.size(); ++i) compare(ours.items[i], theirs.items[i], path + "[]");
        } else if (ours.type == json::kind::object) {
            compare_members(ours, theirs, path);
        } else if (!(ours == theirs)) {
            add(path, &ours, &theirs);
        }
    }

    void compare_members(const json& ours, const json& theirs, const std::string& path) {
        const std::string start = path.empty() ? path : path + ".";
        for (const auto& [name, value] : ours.members) {
            const auto* other = theirs.find(name);
            other ? compare(value, *other, start + name) : add(start + name, &value, nullptr);
        }
        for (const auto& [name, value] : theirs.members) {
            if (!ours.find(name)) add(start + name, nullptr, &value);
        }
    }

    void add(std::string path, const json* ours, const json* theirs) {
        found_.push_back({what_, ours_, theirs_, std::move(path), ours ? to_text(*ours) : "absent",
                          theirs ? to_text(*theirs) : "absent"});
    }

    const call& what_;
    const answer& ours_;
    const answer& theirs_;
    std::vector<difference> found_;
};

}  // namespace

std::string answer::error() const {
    return text_in(body, "__type");
}

std::string answer::message() const {
    return text_in(body, "message");
}

answer answer_of(const any_request& request, const result<any_response>& got) {
    if (got) return answer_of(request, 200, codec::encode_response(*got));
    const auto refusal = codec::encode_error(got.error());
    return answer_of(request, refusal.status, refusal.body);
}

answer answer_of(const any_request& request, unsigned status, const std::string& body) {
    answer out{status != 200, parse_json(body).value_or(json::of(body))};
    if (out.refused) {
        keep_refusal(out.body);
    } else {
        put_in_order(request, out.body);
        keep_schema(out.body);
    }
    return out;
}

answer answer_of(const any_request& request, page_response all, unsigned pages) {
    auto out = answer_of(request, result<any_response>(any_response(std::move(all))));
    out.body.members["Pages"] = json{json::kind::number, false, std::to_string(pages), {}, {}};
    return out;
}

std::vector<difference> compare(const call& what, const answer& ours, const answer& theirs) {
    return comparison(what, ours, theirs).run();
}

}  // namespace dynalease::conformance
