// What happened in a world, in order: always as a hash, and as text when a world is replayed.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <dynalease/runtime/time.hpp>

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace dynalease::simulation {

/// Two runs of one seed must leave the same hash, whatever compiler made them.
class trace {
public:
    /// One line of a replayed world. `node` is "" for what happens to the store or to the world as a whole.
    struct event {
        time_point at;
        std::string node;
        std::string what;
    };

    explicit trace(bool keep_text = false) : keep_text_(keep_text) {}

    /// Mixes the event into the hash; `what` is called only when text is kept.
    template <class Text>
    void add(time_point at, std::string_view node, std::uint64_t content, Text&& what) {
        mix(static_cast<std::uint64_t>(at.time_since_epoch().count()));
        mix(content);
        if (keep_text_) events_.push_back({at, std::string(node), std::forward<Text>(what)()});
    }

    void mix(std::uint64_t value) noexcept {
        hash_ ^= value + 0x9e3779b97f4a7c15 + (hash_ << 6) + (hash_ >> 2);
        hash_ *= 0xff51afd7ed558ccd;
        hash_ ^= hash_ >> 32;
    }

    std::uint64_t hash() const noexcept { return hash_; }
    bool keeps_text() const noexcept { return keep_text_; }
    const std::vector<event>& events() const noexcept { return events_; }

private:
    bool keep_text_;
    std::uint64_t hash_ = 0;
    std::vector<event> events_;
};

}  // namespace dynalease::simulation
