// What copies cost.
// SPDX-License-Identifier: BSL-1.0
#include "local/values/allowance.hpp"

#include "local/values/refusal.hpp"

namespace dynalease::local {

namespace {

struct cost {
    std::size_t values = 0;
    std::size_t bytes = 0;

    // In memory 56 bytes, a node of a map or set about as much again, and JSON's words around it a few times over: as
    // they are written, while their buffer grows, and as they are sent.
    static constexpr std::size_t of_value = 128;
    static constexpr std::size_t of_node = 128;
    static constexpr std::size_t copies_of_text = 5;

    void add(const attribute_value& value) {
        ++values;
        bytes += of_value;
        std::visit([this](const auto& held) { add_held(held); }, value.get());
    }
    void add(const item& members) {
        for (const auto& [name, value] : members) {
            bytes += of_node;
            add_text(name);
            add(value);
        }
    }

private:
    void add_text(std::string_view text) {
        bytes += copies_of_text * text.size();
        values += text.size() / bytes_of_a_step;
    }
    void add_held(const std::string& text) {
        constexpr char first_printable = 0x20;
        constexpr std::size_t escape = 6;  // "\u0001"
        add_text(text);
        for (const char c : text) {
            if (c >= 0 && c < first_printable) bytes += (escape - 1) * copies_of_text;
        }
    }
    void add_held(const number& value) { add_text(value.text()); }
    void add_held(const binary& value) { bytes += 2 * copies_of_text * value.size(); }
    void add_held(bool) {}
    void add_held(null) {}
    void add_held(const attribute_list& list) {
        for (const attribute_value& each : list) add(each);
    }
    void add_held(const attribute_map& map) { add(map); }
    template <class Set>
    void add_held(const Set& set) {
        for (const auto& each : set) {
            ++values;
            bytes += of_node;
            add_held(each);
        }
    }

    static constexpr std::size_t bytes_of_a_step = 16;
};

}  // namespace

void allowance::refuse_costly() {
    costly_refusal fault(
        errc::validation,
        "The request takes more work or memory than this server gives to one: ask for less at a time, or with a "
        "simpler expression");
    fault.of_whole_request = true;
    throw fault;
}

void allowance::take(std::size_t bytes) {
    if (bytes > bytes_) refuse_costly();
    bytes_ -= bytes;
}

void allowance::copy(const attribute_value& value) {
    cost of;
    of.add(value);
    spend(of.values);
    take(of.bytes);
}

void allowance::copy(const item& whole) {
    cost of;
    of.add(whole);
    spend(of.values);
    take(of.bytes);
}

void allowance::keep(const item& whole) {
    constexpr std::size_t copies_when_written = 2;  // at least, beside the value itself
    cost of;
    of.add(whole);
    spend(of.values);
    take(of.bytes / copies_when_written);
}

}  // namespace dynalease::local
