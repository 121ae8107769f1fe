// A JSON document as a tree, for reading test vectors. RapidJSON's own tree does not compile with clang 19, its parser
// does.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <rapidjson/reader.h>

#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace vectors {

struct json {
    enum class kind { null, flag, text, array, object };

    kind type = kind::null;
    bool flag = false;
    std::string text{};  ///< numbers too, as they are written
    std::vector<json> items{};
    std::vector<std::pair<std::string, json>> members{};

    const json* find(std::string_view name) const {
        for (const auto& [key, value] : members) {
            if (key == name) return &value;
        }
        return nullptr;
    }
    bool has(std::string_view name) const { return find(name) != nullptr; }
    const json& operator[](std::string_view name) const {
        const json* found = find(name);
        if (found == nullptr) throw std::out_of_range("no member " + std::string{name});
        return *found;
    }
    /// Empty or false if there is no such member.
    std::string text_of(std::string_view name) const {
        const json* found = find(name);
        return found == nullptr ? "" : found->text;
    }
    bool flag_of(std::string_view name) const {
        const json* found = find(name);
        return found != nullptr && found->flag;
    }
};

/// Builds the tree from the parser's events.
class json_builder : public rapidjson::BaseReaderHandler<rapidjson::UTF8<>, json_builder> {
public:
    bool Null() { return put({}); }
    bool Bool(bool value) { return put({json::kind::flag, value}); }
    bool RawNumber(const char* text, rapidjson::SizeType size, bool) { return String(text, size, true); }
    bool String(const char* text, rapidjson::SizeType size, bool) {
        return put({json::kind::text, false, {text, size}});
    }
    bool Key(const char* text, rapidjson::SizeType size, bool) {
        keys_.back().assign(text, size);
        return true;
    }
    bool StartObject() { return open(json::kind::object); }
    bool StartArray() { return open(json::kind::array); }
    bool EndObject(rapidjson::SizeType) { return close(); }
    bool EndArray(rapidjson::SizeType) { return close(); }

    json take() { return std::move(root_); }

private:
    bool open(json::kind type) {
        open_.push_back({type});
        keys_.emplace_back();
        return true;
    }

    bool close() {
        json done = std::move(open_.back());
        open_.pop_back();
        keys_.pop_back();
        return put(std::move(done));
    }

    bool put(json value) {
        if (open_.empty()) {
            root_ = std::move(value);
        } else if (open_.back().type == json::kind::object) {
            open_.back().members.emplace_back(keys_.back(), std::move(value));
        } else {
            open_.back().items.push_back(std::move(value));
        }
        return true;
    }

    json root_;
    std::vector<json> open_;
    std::vector<std::string> keys_;
};

inline json parse_json(const std::string& text) {
    json_builder builder;
    rapidjson::Reader reader;
    rapidjson::StringStream stream(text.c_str());
    if (reader.Parse<rapidjson::kParseNumbersAsStringsFlag>(stream, builder).IsError()) {
        throw std::runtime_error("not JSON");
    }
    return builder.take();
}

}  // namespace vectors
