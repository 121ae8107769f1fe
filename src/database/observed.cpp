// A backend in front of another.
// SPDX-License-Identifier: BSL-1.0
#include <dynalease/observed.hpp>

#include <memory>
#include <string>
#include <utility>

namespace dynalease {

namespace {

class observed_backend final : public database_backend {
public:
    observed_backend(std::shared_ptr<database_backend> inner, call_hook hook)
        : inner_(std::move(inner)), hook_(std::make_shared<const call_hook>(std::move(hook))) {}

    const dynalease::environment& environment() const noexcept override { return inner_->environment(); }
    wall_time wall() const noexcept override { return inner_->wall(); }

    boost::asio::awaitable<result<any_response>> perform(any_request request, call_options options) override {
        return perform_on(inner_, hook_, std::move(request), options);
    }

private:
    static boost::asio::awaitable<result<any_response>> perform_on(std::shared_ptr<database_backend> inner,
                                                                   std::shared_ptr<const call_hook> hook,
                                                                   any_request request, call_options options) {
        const clock& time = *inner->environment().clock;
        const std::string table(table_of(request));
        call_report seen{operation_name(request), table, options.lane, time.wall(), {}, outcome::applied};
        const auto begun = time.now();
        auto answer = co_await inner->perform(std::move(request), options);
        seen.took = time.now() - begun;
        failure why;  // until the hook has run: `error()` gives a copy
        if (!answer) {
            why = answer.error();
            seen.result = why.outcome;
            seen.fault = &why.details;
            seen.code = why.code;
        }
        tell(*hook, seen);
        co_return answer;
    }

    /// What it throws is nothing to whoever waits for the answer.
    static void tell(const call_hook& hook, const call_report& seen) noexcept {
        if (!hook) return;
        try {
            hook(seen);
        } catch (...) {
        }
    }

    std::shared_ptr<database_backend> inner_;
    std::shared_ptr<const call_hook> hook_;
};

}  // namespace

database observed(const database& inner, call_hook hook) {
    return database(std::make_shared<observed_backend>(inner.implementation(), std::move(hook)));
}

}  // namespace dynalease
