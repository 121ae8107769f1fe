// The options of transactions, and transactions that are open.
// SPDX-License-Identifier: BSL-1.0
#include "transaction/transactions_impl.hpp"

#include "database/argument_check.hpp"
#include "database/table_name.hpp"
#include "versioned/protocol/version_changes.hpp"
#include "versioned/versioned_impl.hpp"

#include <utility>

namespace dynalease::detail {

namespace {

using namespace std::chrono_literals;

constexpr std::size_t longest_id = 200;

[[noreturn]] void refuse(const char* verb, failure why) {
    why.details.operation = verb;
    throw error(why.code, std::move(why.details));
}

void check_open(const char* verb, const open_transaction& of) {
    if (of.over) refuse(verb, is_over(of));
}

std::optional<failure> fault_of_place(const open_transaction& of, const versioned_impl& table, const item_key& key) {
    if (auto why = fault_of_table(table)) return why;
    if (auto why = table.fault_of(key)) return protocol::about(*std::move(why), {table.layout().table, key});
    return of.draft.disagreement(table.layout(), key);
}

/// @throws what is wrong with the item.
void check_place(const char* verb, const open_transaction& of, const versioned_impl& table, const item_key& key) {
    if (auto why = fault_of_place(of, table, key)) refuse(verb, *std::move(why));
}

const char* verb_in_body(write_order::kind what) {
    switch (what) {
        case write_order::kind::create:
            return "transaction.insert";
        case write_order::kind::blind:
            return "transaction.update";
        case write_order::kind::clobber_remove:
            return "transaction.erase";
        default:
            return "transaction.put";
    }
}

}  // namespace

transactions_impl::transactions_impl(database target, transactions_options options)
    : target_(std::move(target)), options_(std::move(options)) {
    constexpr argument_check require("transactions");
    check_table_name(options_.table);
    require(options_.patience > 0ms, errc::invalid_option, "patience must be above 0");
    require(options_.wait >= 0ms, errc::invalid_option, "wait must not be negative");
}

std::optional<failure> fault_of_table(const versioned_impl& table) {
    const auto& options = table.options();
    if (options.stamps && options.removal == removal::erase) return std::nullopt;
    failure why(errc::invalid_option);
    why.details.message = "table " + options.table + (options.stamps ? " keeps tombstones" : " keeps no stamps") +
                          ", and takes no part in transactions";
    return why;
}

protocol::rivalry transactions_impl::rules() const {
    return {.policy = options_.policy, .patience = options_.patience, .limit = options_.wait};
}

std::shared_ptr<transactions_impl> make_transactions_impl(database target, transactions_options options) {
    return std::make_shared<transactions_impl>(std::move(target), std::move(options));
}

const transactions_options& options_of(const transactions_impl& core) {
    return core.options();
}

boost::asio::any_io_executor executor_of(const transactions_impl& core) {
    return core.world().executor;
}

boost::asio::any_io_executor executor_of(const open_transaction& of) {
    return of.core->world().executor;
}

const std::string& id_of(const open_transaction& of) {
    return of.id;
}

std::optional<failure> fault_of_id(const std::string& id) {
    const bool fits = !id.empty() && id.size() <= longest_id && id.find('/') == std::string::npos;
    if (fits && is_utf8(id)) return std::nullopt;
    failure why(errc::invalid_name);
    why.details.message = fits ? "the id is no UTF-8" : "an id has 1 to 200 bytes, and no \"/\"";
    return why;
}

failure is_over(const open_transaction& of) {
    failure why(errc::transaction_over);
    why.details.key = of.id;
    why.details.message = !of.ended   ? "its commit is under way"
                          : *of.ended ? "its commit ended so: " + of.ended->message()
                                      : "it was committed";
    return why;
}

// ---- transactions that are open ------------------------------------------------------------------------------

void check(const run_options& options, const char* verb) {
    const argument_check require(verb);
    if (auto why = options.id ? fault_of_id(*options.id) : std::nullopt) refuse(verb, *std::move(why));
    require(options.attempts >= 1, errc::invalid_option, "attempts must be at least 1");
    require(options.within > 0ms, errc::invalid_option, "within must be above 0");
}

std::shared_ptr<open_transaction> open(std::shared_ptr<transactions_impl> core, const run_options& options,
                                       std::int64_t born, time_point deadline) {
    auto made = std::make_shared<open_transaction>();
    made->id = options.id ? *options.id : core->world().new_id();
    made->core = std::move(core);
    made->options = options;
    made->born = born;
    made->deadline = deadline;
    return made;
}

std::shared_ptr<open_transaction> begin_transaction(std::shared_ptr<transactions_impl> core, run_options options) {
    check(options, "transactions.begin");
    const auto born = core->world().clock->wall().time_since_epoch().count();
    const auto deadline = core->after(options.within);
    return open(std::move(core), options, born, deadline);
}

result<std::optional<transaction_sight>> known_in(const open_transaction& of, const versioned_impl& table,
                                                  const item_key& key) {
    if (of.over) return is_over(of);
    if (auto why = fault_of_place(of, table, key)) return *std::move(why);
    return of.draft.known(table.layout(), key);
}

transaction_sight remember(open_transaction& of, std::shared_ptr<versioned_impl> table, const item_key& key,
                           transaction_sight sight, item_view view) {
    constexpr const char* verb = "transaction.get";
    if (!sight.fresh && !sight.known) return sight;  // of a read that has failed
    check_open(verb, of);
    const auto& layout = table->layout();
    const bool fits = !sight.fresh || of.draft.saw(layout, key, std::move(sight.stored));
    if (fits) {
        auto now = of.draft.known(layout, key);
        if (!now) refuse(verb, std::move(now).error());
        of.draft.read_as(layout, key, view);
        return **std::move(now);
    }
    failure why(errc::conflict);
    why.details.message = "another read of it, side by side with this one, saw it otherwise";
    refuse(verb, protocol::about(std::move(why), {layout.table, key}));
}

void write_in(open_transaction& of, std::shared_ptr<versioned_impl> table, write_order order, item_view view) {
    const auto verb = verb_in_body(order.what);
    check_open(verb, of);
    if (order.invalid) refuse(verb, *std::move(order.invalid));
    const auto& layout = table->layout();
    const auto key = key_in(*table, order);
    check_place(verb, of, *table, key);
    const auto refused = [&](std::optional<failure> why) {
        if (why) refuse(verb, protocol::about(*std::move(why), {layout.table, key}));
    };
    switch (order.what) {
        case write_order::kind::blind:
            refused(protocol::check_change(layout, order.change));
            return refused(of.draft.update(layout, key, {std::move(order.change), std::move(order.condition)}));
        case write_order::kind::clobber_remove:
            return of.draft.erase(layout, key);
        default:
            break;
    }
    refused(protocol::check_members(layout, order.members));
    auto times = times_of(*table, order);
    drafted_put wanted{std::move(order.members), order.complete, std::move(times), view};
    if (order.what == write_order::kind::create) return refused(of.draft.insert(layout, key, std::move(wanted)));
    refused(of.draft.put(layout, key, std::move(wanted)));
}

void check_in(open_transaction& of, const versioned_impl& table, const item_key& key, condition_expression demand) {
    constexpr const char* verb = "transaction.check";
    check_open(verb, of);
    check_place(verb, of, table, key);
    if (auto why = of.draft.check(table.layout(), key, std::move(demand))) refuse(verb, *std::move(why));
}

void require_in(open_transaction& of, condition_check fence) {
    check_open("transaction.require", of);
    of.draft.require(std::move(fence));
}

}  // namespace dynalease::detail
