// Random tables, their indexes and what lies in them.
// SPDX-License-Identifier: BSL-1.0
#include "conformance/tables.hpp"

#include "conformance/values.hpp"

#include "dynamodb/key_parts.hpp"

#include <array>
#include <cstddef>
#include <utility>
#include <vector>

namespace dynalease::conformance {

namespace {

constexpr std::array<scalar_type, 4> key_types{scalar_type::s, scalar_type::s, scalar_type::n, scalar_type::b};

secondary_index named(dice& chance, std::string name, key_schema key) {
    secondary_index out;
    out.name = std::move(name);
    out.key = std::move(key);
    out.projected = static_cast<projection>(chance.below(3));
    if (out.projected == projection::include) out.included = {"l1", "any"};
    return out;
}

/// A key of several attributes, up to four of each kind, and now and then five. Those of the table's key are as good as
/// others.
key_schema key_of_parts(dice& chance, const key_schema& table) {
    std::vector<key_attribute> left{{"s1", scalar_type::s}, {"s2", scalar_type::s},   {"g1", scalar_type::s},
                                    {"n1", scalar_type::n}, {"n2", scalar_type::n},   {"n3", scalar_type::n},
                                    {"b1", scalar_type::b}, {"name", scalar_type::n}, {"a.b", scalar_type::s}};
    each_part(table, [&](const key_attribute& each) { left.push_back(each); });
    const auto take = [&] {
        const auto at = left.begin() + static_cast<std::ptrdiff_t>(chance.below(left.size()));
        key_attribute taken = std::move(*at);
        left.erase(at);
        return taken;
    };
    const auto take_more = [&](std::vector<key_attribute>& more) {
        for (auto count = chance.percent(2) ? 4 : chance.below(4); count > 0; --count) more.push_back(take());
    };
    key_schema out{take(), {}};
    take_more(out.more_hash);
    if (!chance.percent(85)) return out;
    out.range = take();
    take_more(out.more_range);
    return out;
}

}  // namespace

create_table_request random_table(dice& chance, std::string name) {
    create_table_request out;
    out.table_name = std::move(name);
    out.key.hash = {"pk", chance.pick(key_types)};
    if (chance.percent(60)) out.key.range = key_attribute{"sk", chance.pick(key_types)};
    if (chance.percent(20)) {
        key_schema by{{"s1", scalar_type::s}, {}};
        if (chance.percent(60)) by.range = key_attribute{"n1", scalar_type::n};
        out.global_indexes.push_back(named(chance, "by-s1", std::move(by)));
    }
    if (chance.percent(20)) {
        auto by = key_of_parts(chance, out.key);
        out.global_indexes.push_back(named(chance, "by-parts", std::move(by)));
    }
    if (out.key.range && chance.percent(15)) {
        out.local_indexes.push_back(named(chance, "by-n2", {out.key.hash, key_attribute{"n2", scalar_type::n}}));
    }
    return out;
}

const secondary_index* random_index(dice& chance, const create_table_request& table) {
    static const secondary_index absent{"absent", {{"pk", scalar_type::s}, {}}, projection::all, {}};
    if (chance.percent(1)) return &absent;
    const auto& global = table.global_indexes;
    const auto& local = table.local_indexes;
    if (!global.empty() && chance.percent(50)) return &chance.pick(global);
    return !local.empty() && chance.percent(40) ? &local.front() : nullptr;
}

item random_item(dice& chance, const create_table_request& table, const item& like) {
    item out = random_item(chance, table.key);
    for (const auto& index : table.global_indexes) {
        if (chance.percent(60)) fill_key(chance, out, index.key, like, 90);
    }
    return out;
}

attribute_value random_key_value(dice& chance, const key_attribute& of, const item& like) {
    const auto found = like.find(of.name);
    return found != like.end() && chance.percent(80) ? found->second : random_key_value(chance, of.type);
}

void fill_key(dice& chance, item& out, const key_schema& key, const item& like, unsigned percent) {
    each_part(key, [&](const key_attribute& each) {
        if (chance.percent(percent)) out.emplace(each.name, random_key_value(chance, each, like));
    });
}

}  // namespace dynalease::conformance
