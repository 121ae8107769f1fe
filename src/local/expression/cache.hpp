// Trees by text: the same few expressions come again and again.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "local/expression/parser.hpp"

#include <cstddef>
#include <functional>
#include <list>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

namespace dynalease::local::expression {

/// The least recently used of more than 512 texts is forgotten. A refused text is never kept, nor a long one.
template <class Tree>
class cache {
public:
    using shared = std::shared_ptr<const parsed<Tree>>;

    explicit cache(parsed<Tree> (*parse)(std::string_view, bool)) : parse_(parse) {}

    shared get(std::string_view text, bool is_translated) {
        if (const auto found = index_.find(text); found != index_.end()) {
            entries_.splice(entries_.begin(), entries_, found->second);
            return found->second->tree;
        }
        auto tree = std::make_shared<const parsed<Tree>>(parse_(text, is_translated));
        if (text.size() > longest_kept) return tree;
        entries_.push_front({std::string(text), tree});
        index_.emplace(entries_.front().text, entries_.begin());
        if (entries_.size() > most) {
            index_.erase(entries_.back().text);
            entries_.pop_back();
        }
        return tree;
    }

private:
    static constexpr std::size_t most = 512;
    static constexpr std::size_t longest_kept = 4096;
    struct entry {
        std::string text;
        shared tree;
    };

    parsed<Tree> (*parse_)(std::string_view, bool);
    std::list<entry> entries_;
    std::unordered_map<std::string_view, typename std::list<entry>::iterator> index_;
};

struct caches {
    cache<condition> conditions{parse_condition};
    cache<update> updates{parse_update};
    cache<projection> projections{parse_projection};
};

}  // namespace dynalease::local::expression
