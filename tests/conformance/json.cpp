// RapidJSON's reader and writer around our tree: its own tree does not compile everywhere.
// SPDX-License-Identifier: BSL-1.0
#include "conformance/json.hpp"

#include <rapidjson/reader.h>
#include <rapidjson/stringbuffer.h>
#include <rapidjson/writer.h>

#include <utility>

namespace dynalease::conformance {

namespace {

/// Builds the tree from the parser's events.
class builder : public rapidjson::BaseReaderHandler<rapidjson::UTF8<>, builder> {
public:
    bool Null() { return put({}); }
    bool Bool(bool value) { return put({json::kind::flag, value, {}, {}, {}}); }
    bool RawNumber(const char* text, rapidjson::SizeType size, bool) {
        return put({json::kind::number, false, {text, size}, {}, {}});
    }
    bool String(const char* text, rapidjson::SizeType size, bool) { return put(json::of({text, size})); }
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
        open_.push_back({type, false, {}, {}, {}});
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
            open_.back().members.insert_or_assign(keys_.back(), std::move(value));
        } else {
            open_.back().items.push_back(std::move(value));
        }
        return true;
    }

    json root_;
    std::vector<json> open_;
    std::vector<std::string> keys_;
};

using writer = rapidjson::Writer<rapidjson::StringBuffer>;

void write(writer& out, const std::string& text) {
    out.String(text.data(), static_cast<rapidjson::SizeType>(text.size()));
}

void write(writer& out, const json& value) {
    switch (value.type) {
        case json::kind::null:
            out.Null();
            break;
        case json::kind::flag:
            out.Bool(value.flag);
            break;
        case json::kind::number:
            out.RawValue(value.text.data(), value.text.size(), rapidjson::kNumberType);
            break;
        case json::kind::text:
            write(out, value.text);
            break;
        case json::kind::array:
            out.StartArray();
            for (const auto& each : value.items) write(out, each);
            out.EndArray();
            break;
        case json::kind::object:
            out.StartObject();
            for (const auto& [name, member] : value.members) {
                write(out, name);
                write(out, member);
            }
            out.EndObject();
            break;
    }
}

}  // namespace

std::optional<json> parse_json(const std::string& text) {
    builder tree;
    rapidjson::Reader reader;
    rapidjson::StringStream stream(text.c_str());
    if (reader.Parse<rapidjson::kParseNumbersAsStringsFlag>(stream, tree).IsError()) return std::nullopt;
    return tree.take();
}

std::string to_text(const json& value) {
    rapidjson::StringBuffer buffer;
    writer out(buffer);
    write(out, value);
    return {buffer.GetString(), buffer.GetSize()};
}

}  // namespace dynalease::conformance
