// Events of transactions as text.
// SPDX-License-Identifier: BSL-1.0
#include "simulation/transaction/history.hpp"

#include <array>

namespace dynalease::simulation::transfers {

namespace {

std::string text_of(const item_state& state) {
    if (!state.there) return "none";
    std::string text = std::to_string(state.balance) + " [";
    for (const auto each : state.entries) text += " " + std::to_string(each);
    text += " ]";
    if (state.version) text += " version " + std::to_string(*state.version);
    return text;
}

std::string text_of(const std::vector<seen_item>& read) {
    std::string text;
    for (const auto& each : read) text += ", read x" + std::to_string(each.item) + ": " + text_of(each.value);
    return text;
}

std::string text_of(answer what) {
    constexpr std::array answers{"done", "refused", "in doubt"};
    return answers[static_cast<std::size_t>(what)];
}

struct teller {
    std::string operator()(const wished& what) const {
        std::string text = "Wish " + std::to_string(what.number) + ":";
        constexpr std::array deeds{" add ", " put ", " insert ", " erase "};
        for (const auto& each : what.effects) {
            text += deeds[static_cast<std::size_t>(each.what)] + std::to_string(each.amount) + " x" +
                    std::to_string(each.item);
            if (each.absorbs) text += " with all of x" + std::to_string(*each.absorbs);
        }
        return text;
    }
    std::string operator()(const called& what) const {
        return "Call " + std::to_string(what.call) + " for wish " + std::to_string(what.number);
    }
    std::string operator()(const attempted& what) const {
        auto text = "Attempt " + std::to_string(what.attempt) + " of call " + std::to_string(what.call) + ", id " +
                    what.id + text_of(what.read);
        for (const auto& each : what.demanded) {
            text += ", demands " + std::to_string(each.least) + " of x" + std::to_string(each.item);
        }
        if (what.guarded) text += ", under token " + std::to_string(*what.guarded);
        return text;
    }
    std::string operator()(const refused_by_body& what) const {
        return "The body of call " + std::to_string(what.call) + " refuses" + text_of(what.read);
    }
    std::string operator()(const lock_passed& what) const {
        return "The lock is held " + (what.token ? "under token " + std::to_string(*what.token) : "by nobody");
    }
    std::string operator()(const plain_wished& what) const {
        return "Plain write " + std::to_string(what.number) + " to x" + std::to_string(what.item);
    }
    std::string operator()(const stored& what) const {
        std::string text = what.committed ? "Written: attempt " + std::to_string(*what.committed) + " committed"
                                          : std::string("Written");
        for (const auto& [index, state] : what.changed) text += ", x" + std::to_string(index) + ": " + text_of(state);
        return text;
    }
    std::string operator()(const told& what) const {
        return "Told of call " + std::to_string(what.call) + ": " + text_of(what.what) + text_of(what.read);
    }
    std::string operator()(const told_plain& what) const {
        return "Told of plain write " + std::to_string(what.number) + ": " + text_of(what.what);
    }
    std::string operator()(const told_of& what) const {
        constexpr std::array states{"unknown", "pending", "committed", "rolled back"};
        return "Informed of " + what.id + ": " + states[static_cast<std::size_t>(what.what)];
    }
    std::string operator()(const shown& what) const {
        constexpr std::array levels{"uncommitted", "committed", "latest"};
        return "Shown x" + std::to_string(what.what.item) + " " + levels[static_cast<std::size_t>(what.level)] + ": " +
               text_of(what.what.value);
    }
    std::string operator()(const shown_together& what) const { return "Shown together" + text_of(what.read); }
    std::string operator()(const combed& what) const {
        return "Combed: " + std::to_string(what.marks) + " marks that no sweep finds";
    }
    std::string operator()(const swept& what) const {
        return "Swept: " + std::to_string(what.marks) + " marks, " + std::to_string(what.open_rows) + " rows left";
    }
};

}  // namespace

std::string text_of(const event& happened) {
    return std::visit(teller{}, happened.what);
}

}  // namespace dynalease::simulation::transfers
