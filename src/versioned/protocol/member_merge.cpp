// Three sides of one value: as it is stored, as its reader saw it, and as the reader wants it.
// SPDX-License-Identifier: BSL-1.0
#include "versioned/protocol/member_merge.hpp"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

namespace dynalease::protocol {

namespace {

/// More pairs of elements than this are not compared, one with the other, to find those that only moved.
constexpr std::size_t most_equalities = 100'000;
/// Nor, to find those that are alike, more members than this. Beyond either, place alone tells elements apart.
constexpr std::size_t most_likenesses = 20'000;

attribute_map merged_maps(const attribute_map& stored, const attribute_map& seen, const attribute_map& wanted) {
    auto out = stored;
    for (const auto& [name, before] : seen) {
        if (!wanted.contains(name)) out.erase(name);
    }
    for (const auto& [name, value] : wanted) {
        const auto before = seen.find(name);
        const auto kept = stored.find(name);
        const bool known = before != seen.end() && kept != stored.end();
        out.insert_or_assign(name, known ? merged(kept->second, before->second, value) : value);
    }
    return out;
}

/// How many members two elements have in common; 0: nothing that says they are the same.
std::size_t likeness(const attribute_value& left, const attribute_value& right) {
    const auto* one = left.get_if<attribute_map>();
    const auto* other = right.get_if<attribute_map>();
    if (!one || !other) return 0;
    return static_cast<std::size_t>(std::ranges::count_if(*one, [&](const auto& member) {
        const auto found = other->find(member.first);
        return found != other->end() && found->second == member.second;
    }));
}

/// Two maps without a common member are two things; what else stands at one place may have been changed there.
bool may_be_same(const attribute_value& before, const attribute_value& now) {
    return !before.is<attribute_map>() || !now.is<attribute_map>() || likeness(before, now) > 0;
}

/// Finds for each element of a list which one it was before.
class pairing {
public:
    pairing(const attribute_list& seen, const attribute_list& wanted)
        : seen_(seen), wanted_(wanted), origin_(wanted.size()), taken_(seen.size()) {
        const auto shorter = std::min(seen.size(), wanted.size());
        while (front_ < shorter && seen[front_] == wanted[front_]) {
            pair(front_, front_);
            ++front_;
        }
        while (back_ < shorter - front_ && seen[seen.size() - 1 - back_] == wanted[wanted.size() - 1 - back_]) {
            pair(wanted.size() - 1 - back_, seen.size() - 1 - back_);
            ++back_;
        }
        pair_by_place([](const auto& before, const auto& now) { return before == now; });
        if (unpaired_in(seen) * unpaired_in(wanted) <= most_equalities) pair_equals();
        if (unpaired_in(seen) * unpaired_members() <= most_likenesses) pair_alike();
        // A list that became shorter does not say which of its elements went.
        if (wanted.size() >= seen.size()) pair_by_place(may_be_same);
    }

    std::optional<std::size_t> origin(std::size_t place) const { return origin_[place]; }

private:
    struct candidate {
        std::size_t likeness;
        std::size_t place;
        std::size_t before;
        std::size_t moved() const { return place < before ? before - place : place - before; }
    };

    void pair(std::size_t place, std::size_t before) {
        origin_[place] = before;
        taken_[before] = true;
        ++paired_;
    }
    std::size_t unpaired_in(const attribute_list& side) const { return side.size() - paired_; }
    std::size_t unpaired_members() {
        std::size_t count = 0;
        for_each_unpaired([&](std::size_t place) {
            const auto* members = wanted_[place].get_if<attribute_map>();
            count += members ? members->size() + 1 : 1;
        });
        return count;
    }
    template <class Visitor>
    void for_each_unpaired(Visitor visit) {
        for (auto place = front_; place < wanted_.size() - back_; ++place) {
            if (!origin_[place]) visit(place);
        }
    }

    void pair_equals() {
        for_each_unpaired([&](std::size_t place) {
            for (auto before = front_; before < seen_.size() - back_; ++before) {
                if (taken_[before] || !(seen_[before] == wanted_[place])) continue;
                pair(place, before);
                return;
            }
        });
    }
    /// Those that have most in common first, and of these those that moved least. Where none came or went, whatever is
    /// left of an element at its own place says that it was changed there.
    void pair_alike() {
        constexpr auto most = std::numeric_limits<std::size_t>::max();
        std::vector<candidate> all;
        for_each_unpaired([&](std::size_t place) {
            for (auto before = front_; before < seen_.size() - back_; ++before) {
                if (taken_[before]) continue;
                const auto common = likeness(seen_[before], wanted_[place]);
                if (common == 0) continue;
                const bool stayed = before == place && seen_.size() == wanted_.size();
                all.push_back({stayed ? most : common, place, before});
            }
        });
        std::ranges::stable_sort(all, [](const auto& one, const auto& other) {
            return one.likeness != other.likeness ? one.likeness > other.likeness : one.moved() < other.moved();
        });
        for (const auto& each : all) {
            if (!origin_[each.place] && !taken_[each.before]) pair(each.place, each.before);
        }
    }
    template <class Predicate>
    void pair_by_place(Predicate fits) {
        for_each_unpaired([&](std::size_t place) {
            if (place < seen_.size() && !taken_[place] && fits(seen_[place], wanted_[place])) pair(place, place);
        });
    }

    const attribute_list& seen_;
    const attribute_list& wanted_;
    std::vector<std::optional<std::size_t>> origin_;
    std::vector<bool> taken_;
    std::size_t paired_ = 0;
    std::size_t front_ = 0;  ///< elements at the beginning that are as they were
    std::size_t back_ = 0;   ///< ... and at the end
};

attribute_list merged_lists(const attribute_list& stored, const attribute_list& seen, const attribute_list& wanted) {
    const pairing pairs(seen, wanted);
    attribute_list out;
    out.reserve(wanted.size());
    for (std::size_t place = 0; place < wanted.size(); ++place) {
        const auto before = pairs.origin(place);
        out.push_back(before ? merged(stored[*before], seen[*before], wanted[place]) : wanted[place]);
    }
    return out;
}

}  // namespace

attribute_value merged(const attribute_value& stored, const attribute_value& seen, const attribute_value& wanted) {
    if (seen == wanted) return stored;
    if (stored.is<attribute_map>() && seen.is<attribute_map>() && wanted.is<attribute_map>()) {
        return merged_maps(*stored.get_if<attribute_map>(), *seen.get_if<attribute_map>(),
                           *wanted.get_if<attribute_map>());
    }
    if (!stored.is<attribute_list>() || !seen.is<attribute_list>() || !wanted.is<attribute_list>()) return wanted;
    const auto& before = *stored.get_if<attribute_list>();
    const auto& shown = *seen.get_if<attribute_list>();
    // A list of which the reader saw another number of elements has no places in common with it.
    if (before.size() != shown.size()) return wanted;
    return merged_lists(before, shown, *wanted.get_if<attribute_list>());
}

}  // namespace dynalease::protocol
