// Drawing wishes.
// SPDX-License-Identifier: BSL-1.0
#include "simulation/transaction/wish.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace dynalease::simulation::transfers {

namespace {

class drawing {
public:
    drawing(testing::tape& choices, std::size_t accounts, std::size_t tokens)
        : choices_(choices), accounts_(accounts), tokens_(tokens) {}

    way how() {
        constexpr std::array ways{way::read_first, way::unread, way::in_steps};
        return ways[choices_.choose("wish: way", ways.size())];
    }
    std::int64_t amount() { return 1 + static_cast<std::int64_t>(choices_.choose("wish: amount", 20)); }
    /// Different accounts, in any order.
    std::vector<std::size_t> some_accounts(std::size_t fewest) {
        std::vector<std::size_t> all;
        for (std::size_t i = 0; i < accounts_; ++i) all.push_back(i);
        // Of a crowd a few: whoever wants most of it, is in everybody's way for minutes.
        constexpr std::size_t most = 4;
        for (std::size_t i = 0; accounts_ > most && i < most; ++i)
            std::swap(all[i], all[i + choices_.choose("wish: account", accounts_ - i)]);
        all.resize(std::min(accounts_, most));
        for (std::size_t i = all.size(); accounts_ <= most && i > 1; --i)
            std::swap(all[i - 1], all[choices_.choose("wish: account", i)]);
        all.resize(choices_.between("wish: accounts", std::min(fewest, all.size()), all.size()));
        return all;
    }

    void transfer(wish& into) {
        const auto pair = some_accounts(2);
        const auto sum = amount();
        into.steps.push_back({{.item = pair[0], .amount = -sum}, how()});
        into.steps.push_back({{.item = pair[1], .amount = sum}, how()});
        if (choices_.choose("wish: checks", 4) == 1)
            into.checks = {pair[choices_.choose("wish: checked", pair.size())]};
    }
    void append(wish& into) {
        auto all = some_accounts(2);
        const auto written = choices_.between("wish: written", 1, all.size());
        for (std::size_t i = 0; i < written; ++i) into.steps.push_back({{.item = all[i]}, how()});
        into.reads.assign(all.begin() + static_cast<std::ptrdiff_t>(written), all.end());
    }
    void skew(wish& into) {
        const auto pair = some_accounts(2);
        const bool checks = choices_.choose("wish: checks", 3) == 1;
        into.reads = {pair[0]};
        (checks ? into.checks : into.reads).push_back(pair[1]);
        into.steps.push_back(
            {{.item = pair[0]}, choices_.choose("wish: blindly", 2) == 1 ? way::unread : way::read_first});
    }
    void survey(wish& into) { into.reads = some_accounts(1); }
    void token(wish& into) {
        if (tokens_ == 0) return transfer(into);
        const auto which = choices_.choose("wish: token", tokens_);
        if (which % 2 == 1) return worthless(into, accounts_ + which);
        valuable(into, accounts_ + which);
    }
    /// Of which the body must know what it is worth.
    void valuable(wish& into, std::size_t which) {
        const auto account = choices_.choose("wish: beside a token", accounts_);
        const auto sum = amount();
        switch (choices_.choose("wish: with a token", 4)) {
            case 0:
                into.steps.push_back({{.item = which, .what = deed::insert, .amount = sum}, how()});
                into.steps.push_back({{.item = account, .amount = -sum}, how()});
                return;
            case 1:
                into.steps.push_back({{.item = account, .absorbs = which}, way::read_first});
                into.steps.push_back({{.item = which, .what = deed::erase}, way::read_first});
                return;
            case 2:
                into.steps.push_back({{.item = which, .what = deed::put, .absorbs = which}, way::read_first});
                return;
            default:
                into.steps.push_back({{.item = which}, how()});
        }
    }
    void worthless(wish& into, std::size_t which) {
        constexpr std::array deeds{deed::insert, deed::erase, deed::put, deed::add};
        into.steps.push_back({{.item = which, .what = deeds[choices_.choose("wish: with a token", 4)]}, how()});
        if (choices_.choose("wish: beside a token", 2) == 1) {
            into.steps.push_back({{.item = choices_.choose("wish: account", accounts_)}, how()});
        }
    }

private:
    testing::tape& choices_;
    const std::size_t accounts_;
    const std::size_t tokens_;
};

}  // namespace

wish draw_wish(testing::tape& choices, wish_kind kind, std::size_t accounts, std::size_t tokens, std::int64_t number) {
    wish made{.number = number};
    drawing draws(choices, accounts, tokens);
    if (kind == wish_kind::transfer) draws.transfer(made);
    if (kind == wish_kind::append) draws.append(made);
    if (kind == wish_kind::skew) draws.skew(made);
    if (kind == wish_kind::survey) draws.survey(made);
    if (kind == wish_kind::token) draws.token(made);
    return made;
}

}  // namespace dynalease::simulation::transfers
