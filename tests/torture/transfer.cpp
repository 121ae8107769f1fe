// Ids are of this second, or of one of the last: so several tasks come to run the same, at once or one after the other.
// SPDX-License-Identifier: BSL-1.0
#include "torture/transfer.hpp"

#include "torture/settings.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/deferred.hpp>

#include <utility>

namespace torture {
namespace {

namespace asio = boost::asio;
using namespace std::chrono_literals;

std::vector<std::int64_t> moved_by(const transfer& wanted) {
    std::vector<std::int64_t> moved(account_count, 0);
    for (const auto payee : wanted.payees) {
        moved[wanted.payer] -= wanted.amount;
        moved[payee] += wanted.amount;
    }
    return moved;
}

asio::awaitable<void> move_what_was_read(dynalease::transaction& tx, const bank& at, const transfer& wanted) {
    auto payer = co_await tx.get(at.accounts, account_name(wanted.payer));
    payer.value().balance -= wanted.amount * static_cast<std::int64_t>(wanted.payees.size());
    if (payer->balance < 0) throw funds_are_short();
    tx.put(at.accounts, *payer);
    for (const auto each : wanted.payees) {
        auto payee = co_await tx.get(at.accounts, account_name(each));
        payee.value().balance += wanted.amount;
        tx.put(at.accounts, *payee);
    }
}

void move_unread(dynalease::transaction& tx, const bank& at, const transfer& wanted) {
    const auto all = wanted.amount * static_cast<std::int64_t>(wanted.payees.size());
    tx.update(at.accounts, account_name(wanted.payer), dynalease::set("balance", dynalease::attr("balance") - all),
              dynalease::attr("balance") >= all);
    for (const auto each : wanted.payees) {
        const auto first = wanted.by_instalments ? wanted.amount / 2 : wanted.amount;
        tx.update(at.accounts, account_name(each), dynalease::add("balance", first));
        if (first == wanted.amount) continue;
        tx.update(at.accounts, account_name(each), dynalease::add("balance", wanted.amount - first));
    }
}

}  // namespace

transfer draw_transfer(dice& chance, std::int64_t now) {
    transfer drawn;
    if (chance.chance(300)) {
        const auto second = now - static_cast<std::int64_t>(chance.chance(300) ? chance.below(6) : 0);
        const auto form = chance.below(2);
        drawn.options.id = "pay-" + std::to_string(second) + (form == 0 ? "-opened" : "-inserted");
        drawn.opened = form == 0;
    }
    drawn.options.within = 6s;
    drawn.options.tier =
        chance.chance(500) ? dynalease::transaction_tier::inline_undo : dynalease::transaction_tier::automatic;
    drawn.payer = chance.below(account_count);
    const auto others = 1 + chance.below(3);
    for (auto each = drawn.payer; drawn.payees.size() < others;) {
        each = (each + 1 + chance.below(3)) % account_count;  // never round to the payer
        drawn.payees.push_back(each);
    }
    drawn.amount = static_cast<std::int64_t>(2 + chance.below(20));
    drawn.by_expression = chance.chance(500);
    drawn.by_instalments = chance.chance(200);
    return drawn;
}

asio::awaitable<void> open_receipt(const bank& at, const transfer& wanted) {
    const receipt blank{.id = *wanted.options.id, .moved = std::vector<std::int64_t>(account_count, 0)};
    const auto made = co_await at.receipts.create(blank, asio::as_tuple(asio::deferred));
    const auto refusal = std::get<0>(made);
    const bool there = refusal == dynalease::errc::exists || refusal == dynalease::errc::locked;
    if (refusal && !there) throw dynalease::error(refusal, {});
}

asio::awaitable<void> carry_out(dynalease::transaction& tx, const bank& at, const transfer& wanted, std::string by) {
    if (wanted.by_expression) {
        move_unread(tx, at, wanted);
    } else {
        co_await move_what_was_read(tx, at, wanted);
    }
    const auto moved = moved_by(wanted);
    if (wanted.opened) {
        const dynalease::attribute_list amounts(moved.begin(), moved.end());
        tx.update(at.receipts, tx.id(),
                  dynalease::add("count", 1) + dynalease::set("by", by) + dynalease::set("moved", amounts));
    } else {
        const receipt made{.id = tx.id(), .count = 1, .by = std::move(by), .moved = moved};
        tx.insert(at.receipts, made);
    }
}

}  // namespace torture
