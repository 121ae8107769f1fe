// Making the coordination table, and listing what stands in it.
#include <dynalease/table.hpp>

#include "primitives/answer.hpp"
#include "primitives/session_options.hpp"
#include "primitives/verb_failure.hpp"
#include "protocol/rows.hpp"
#include "protocol/waiting.hpp"
#include "runtime/alarm.hpp"
#include "runtime/spawn.hpp"

#include <utility>

namespace dynalease {

namespace {

using boost::asio::awaitable;
namespace attribute = protocol::attribute;

bool has_our_key(const table_description& table) {
    return table.key.hash.name == attribute::partition && table.key.hash.type == scalar_type::s && table.key.range &&
           table.key.range->name == attribute::sort && table.key.range->type == scalar_type::s;
}

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
        if (seen && !has_our_key(seen->table)) {
            failure why(errc::table_in_use);
            why.details.message = "the table exists with another key; it needs pk (S) and sk (S)";
            co_return why;
        }
        if (seen && seen->table.status == "ACTIVE") co_return std::nullopt;
        if (clock.now() >= deadline) co_return failure(errc::timeout);
        runtime::alarm pause(target.environment());
        co_await pause.wait_until(std::min(deadline, clock.now() + protocol::retry_pause(looks)));
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
    if (why) {
        done.code = detail::report(*why, details, "create_table", {});
        if (details) details->table = name;
    }
    co_return done;
}

awaitable<runtime::completion<lock_page>> list(database target, list_locks_options options, diagnostics* details) {
    runtime::completion<lock_page> done;
    if (const auto why = detail::malformed_table_name(options.table)) {
        done.code = detail::report(*why, details, "list_locks", {});
        co_return done;
    }
    scan_request scan{.table_name = options.table,
                      .filter_expression = "begins_with(#pk, :prefix)",
                      .names = {{"#pk", attribute::partition}},
                      .values = {{":prefix", std::string(protocol::lock_prefix) + options.prefix}},
                      .exclusive_start_key = std::move(options.start_after),
                      .limit = options.page_size};
    auto page = co_await target.call(std::move(scan));
    if (!page) {
        done.code = detail::report(page.error(), details, "list_locks", {});
        co_return done;
    }
    for (const auto& found : page->items) {
        const auto* key = find_string(found, attribute::partition);
        auto row = protocol::parse_lock_row(&found);
        if (!key || !row) continue;  // not a row of this schema: whoever wants the lock is told
        lock_info info{.held = row->holder.has_value(),
                       .fencing_token = row->token,
                       .waiting = row->line.size(),
                       .data = std::move(row->data)};
        if (row->holder) info.holder = row->holder->session;
        done.value.locks.push_back({key->substr(protocol::lock_prefix.size()), std::move(info)});
    }
    done.value.next = std::move(page->last_evaluated_key);
    co_return done;
}

}  // namespace

void detail::create_table_verb::operator()(diagnostics* details, handler_for<void> handler) && {
    const auto executor = target.get_executor();
    runtime::spawn<void>(executor, create(std::move(target), std::move(name), options, details), std::move(handler));
}

void detail::list_locks_verb::operator()(diagnostics* details, handler_for<lock_page> handler) && {
    const auto executor = target.get_executor();
    runtime::spawn<lock_page>(executor, list(std::move(target), std::move(options), details), std::move(handler));
}

boost::asio::awaitable<void> create_table(database target, std::string name, create_table_options options) {
    auto where = target.get_executor();
    return detail::await_verb<void>(where, detail::create_table_verb{std::move(target), std::move(name), options});
}

boost::asio::awaitable<lock_page> list_locks(database target, list_locks_options options) {
    auto where = target.get_executor();
    return detail::await_verb<lock_page>(where, detail::list_locks_verb{std::move(target), std::move(options)});
}

}  // namespace dynalease
