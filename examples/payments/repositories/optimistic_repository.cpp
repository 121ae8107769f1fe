// Load without a lock, save if the version is still the same.
// SPDX-License-Identifier: BSL-1.0
#include "payments/repositories/optimistic_repository.hpp"

#include <utility>

namespace asio = boost::asio;

namespace payments {

namespace {

class versioned_unit final : public unit_of_work {
public:
    versioned_unit(const intent_transaction& transaction, dynalease::loaded<intent_row> found)
        : unit_of_work(payment_intent(found.value)), transaction_(transaction), stored_(std::move(found)) {}

    asio::awaitable<void> save(together_with more) override {
        auto changed = stored_;
        static_cast<intent_data&>(changed.value) = intent().data();
        auto saving = transaction_.save(std::move(changed), {}, std::move(more));
        stored_ = co_await std::move(saving);
    }
    asio::awaitable<void> end() override { co_return; }

private:
    const intent_transaction& transaction_;
    dynalease::loaded<intent_row> stored_;
};

}  // namespace

asio::awaitable<void> optimistic_repository::create(payment_intent made, ticket* request) {
    co_await transaction_.create(made, request);
}

/// Half the price of a consistent read, and at worst a conflict when what was read is saved.
asio::awaitable<intent_data> optimistic_repository::get(std::string id) {
    dynalease::load_options how{.consistent = false};
    auto found = co_await tables_.intents.load(intent_key(id), how);
    if (!found) intent_transaction::throw_not_found(id);
    co_return found->value;
}

asio::awaitable<std::unique_ptr<unit_of_work>> optimistic_repository::open(std::string id) {
    dynalease::load_options how{.consistent = false};
    auto found = co_await tables_.intents.load(intent_key(id), how);
    if (!found) intent_transaction::throw_not_found(id);
    co_return std::make_unique<versioned_unit>(transaction_, *std::move(found));
}

}  // namespace payments
