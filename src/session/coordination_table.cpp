// Making the coordination table.
// SPDX-License-Identifier: BSL-1.0
#include <dynalease/coordination_table.hpp>

#include "database/called_verb.hpp"
#include "database/protocol/backoff.hpp"
#include "database/protocol/reply.hpp"
#include "database/table_key.hpp"
#include "database/table_name.hpp"
#include "runtime/alarm.hpp"
#include "session/protocol/row.hpp"

#include <utility>

namespace dynalease {

namespace {

using boost::asio::awaitable;
namespace attribute = protocol::attribute;

/// Empty when the table stands and is active.
awaitable<std::optional<failure>> make_table(database target, std::string name, time_point deadline) {
    create_table_request create{.table_name = name,
                                .key = {.hash = {attribute::partition}, .range = key_attribute{attribute::sort}}};
    auto made = co_await target.call(std::move(create));
    if (!made && made.error().code != errc::table_in_use) co_return std::move(made).error();

    const auto& clock = *target.environment().clock;
    for (unsigned looks = 0;; ++looks) {
        describe_table_request describe{.table_name = name};
        auto seen = co_await target.call(std::move(describe));
        if (!seen && detail::classify(seen.error()) == detail::answer::rejected &&
            seen.error().code != errc::table_not_found) {
            co_return std::move(seen).error();
        }
        if (seen) {
            if (auto why = detail::fault_of_key(seen->table, errc::table_in_use)) co_return *std::move(why);
        }
        if (seen && seen->table.status == "ACTIVE") co_return std::nullopt;
        if (clock.now() >= deadline) co_return failure(errc::timeout);
        runtime::alarm pause(target.environment());
        co_await pause.wait_until(std::min(deadline, clock.now() + detail::retry_pause(looks)));
    }
}

awaitable<runtime::completion<void>> create(database target, std::string name, create_table_options options,
                                            diagnostics* details) {
    const auto deadline = target.environment().clock->now() + options.timeout;
    auto why = detail::malformed_table_name(name);
    if (!why) {
        auto made = co_await make_table(target, name, deadline);
        why = std::move(made);
    }
    if (!why) {
        // Asking for what is set already is refused by the service, so look first.
        describe_time_to_live_request describe{.table_name = name};
        auto described = co_await target.call(std::move(describe));
        const bool set = described && described->attribute_name == attribute::time_to_live;
        if (!set) {
            update_time_to_live_request enable{.table_name = name, .attribute_name = attribute::time_to_live};
            auto enabled = co_await target.call(std::move(enable));
            if (!enabled) why = std::move(enabled).error();
        }
    }
    runtime::completion<void> done;
    if (why) done.code = detail::report(*why, details);
    co_return done;
}

}  // namespace

void detail::create_table_verb::operator()(diagnostics* details, handler_for<void> handler) && {
    const auto executor = target.get_executor();
    called_verb called{details, "create_table", {}, name};
    start_verb<void>(executor, std::move(called), create(std::move(target), std::move(name), options, details),
                     std::move(handler));
}

boost::asio::awaitable<void> create_table(database target, std::string name, create_table_options options) {
    auto where = target.get_executor();
    return detail::await_verb<void>(where, detail::create_table_verb{std::move(target), std::move(name), options});
}

}  // namespace dynalease
