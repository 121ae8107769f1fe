// Lock, work on what the lock brought, save under the lock, unlock.
// SPDX-License-Identifier: BSL-1.0
#include "payments/repositories/pessimistic_repository.hpp"

#include "payments/domain/refused.hpp"

#include <dynalease/item_lock.hpp>

#include <utility>

namespace asio = boost::asio;

namespace payments {

namespace {

class locked_unit final : public unit_of_work {
public:
    locked_unit(const intent_transaction& transaction, dynalease::item_guard guard, dynalease::loaded<intent_row> found)
        : unit_of_work(payment_intent(found.value)),
          transaction_(transaction),
          guard_(std::move(guard)),
          stored_(std::move(found)) {}

    asio::awaitable<void> save(together_with more) override {
        if (!guard_.held()) throw refused(problem::lost, "the lock was lost before the change");
        auto changed = stored_;
        static_cast<intent_data&>(changed.value) = intent().data();
        dynalease::save_options ours;
        ours.condition = guard_.condition();  // whatever happens on the way: only while this very lock is ours
        ours.ignore_lock = true;
        auto saving = transaction_.save(std::move(changed), std::move(ours), std::move(more));
        stored_ = co_await std::move(saving);
    }
    asio::awaitable<void> end() override { co_await guard_.release(); }

private:
    const intent_transaction& transaction_;
    dynalease::item_guard guard_;
    dynalease::loaded<intent_row> stored_;
};

}  // namespace

asio::awaitable<void> pessimistic_repository::create(payment_intent made, ticket* request) {
    co_await transaction_.create(made, request);
}

asio::awaitable<intent_data> pessimistic_repository::get(std::string id) {
    auto found = co_await tables_.intents.load(intent_key(id));
    if (!found) intent_transaction::throw_not_found(id);
    co_return found->value;
}

asio::awaitable<std::unique_ptr<unit_of_work>> pessimistic_repository::open(std::string id) {
    const dynalease::item_lock lock{session_, tables_.intents, intent_key(id)};
    dynalease::item_acquire_options patience;
    patience.wait = how_.wait;
    auto [code, guard] = co_await lock.acquire(patience, as_result);
    if (code == dynalease::errc::missing) intent_transaction::throw_not_found(id);
    if (code == dynalease::condition::contended) throw refused(problem::busy, "the intent is locked; try again");
    if (code) throw dynalease::error(code, {});
    auto found = tables_.intents.from(guard.item());  // the lock brought it: nothing need be read
    if (!found) intent_transaction::throw_not_found(id);
    co_return std::make_unique<locked_unit>(transaction_, std::move(guard), *std::move(found));
}

}  // namespace payments
