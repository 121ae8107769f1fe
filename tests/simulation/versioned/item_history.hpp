// What the store of a world has made of each item, state by state, and the checker who is told of it.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "simulation/versioned/checker.hpp"
#include "simulation/versioned/history.hpp"
#include "simulation/versioned/scenario_config.hpp"

#include <dynalease/testing/world.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace dynalease::simulation::versions {

inline constexpr const char* table = "accounts";

/// An item of another program, which has no version.
inline item_key stock_key() {
    return {{"pk", "stock"}, {"sk", "-"}};
}

/// As the store has it: what the checker is to know of it.
item_state state_of(const std::optional<item>& stored);

/// For a world that is told.
std::string text_of(const event& happened);

/// Makes the table of its items.
class item_history {
public:
    /// @param heard is told of everything that the checker is told of, after it.
    /// @param kept how all who write keep versions
    item_history(
        testing::world& where, std::size_t items,
        std::function<void(const std::string& node, event happened)> heard = [](const std::string&, event) {},
        keeping kept = {});

    static std::string name_of(std::size_t index) { return "item#" + std::to_string(index); }
    static item_key key_of(std::size_t index) { return {{"pk", name_of(index)}, {"sk", "-"}}; }
    /// Which of the items it is; empty: none.
    static std::optional<std::size_t> item_in(const item_key& key);

    std::size_t items() const noexcept { return states_.size(); }
    /// Under the names of the default options, whatever those of the table are.
    std::optional<item> stored(std::size_t index);
    const checker& checked() const noexcept { return checker_; }
    serial now(std::size_t index) const { return checker_.now(index); }
    std::int64_t next_number() noexcept { return ++numbers_; }

    void tell(const std::string& node, decltype(event::what) what);
    /// The store has carried out a write to that item.
    void written_by(const std::string& node, written what);
    /// The store has refused one.
    void turned_away(const std::string& node, std::int64_t number, std::size_t index) {
        tell(node, versions::turned_away{.number = number, .item = index});
    }
    /// Time, or a hand that knows nothing of versions, may have changed the item.
    void look_again(std::size_t index);
    /// Which state of the item this is; empty: none that ever was.
    std::optional<serial> serial_of(std::size_t index, std::optional<item> shown) const;
    void conclude() { checker_.conclude(); }

private:
    void note_state(std::size_t index);
    std::optional<item> by_default_names(std::optional<item> stored) const;
    /// What another state of the item differs in: not in its lock, nor in what strangers change who raise no version.
    std::optional<item> versioned_part(std::optional<item> stored) const;

    testing::world& world_;
    const keeping kept_;
    const std::function<void(const std::string& node, event happened)> heard_;
    checker checker_;
    std::vector<std::vector<std::optional<item>>> states_;  ///< of each item, by serial; their versioned parts
    std::int64_t numbers_ = 0;
};

}  // namespace dynalease::simulation::versions
