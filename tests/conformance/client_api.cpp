// Every operation of the client once, with known answers, and a session with a lock: on a server that others wrote.
// SPDX-License-Identifier: BSL-1.0
#include <dynalease/client.hpp>
#include <dynalease/coordination_table.hpp>
#include <dynalease/dynamodb/expression.hpp>
#include <dynalease/lock.hpp>
#include <dynalease/session.hpp>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <iostream>
#include <map>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

namespace {

namespace asio = boost::asio;
using namespace dynalease;
using namespace std::chrono_literals;

void expect(bool holds, const std::string& what) {
    if (!holds) throw std::runtime_error(what);
}

/// Unlike that of any other run.
std::string unique_name(std::string_view prefix) {
    return std::string(prefix) + std::to_string(std::chrono::system_clock::now().time_since_epoch().count());
}

class pass {
public:
    explicit pass(client& database) : database_(database) {}

    asio::awaitable<void> run() {
        co_await make_table();
        co_await single_items();
        co_await conditions();
        co_await many_items();
        co_await batches();
        co_await transactions();
        co_await time_to_live();
        co_await new_index();
        co_await tags();
        co_await the_service();
        co_await drop_table();
        expect_every_operation();
        co_await hold_a_lock();
    }

private:
    template <class Request>
    asio::awaitable<typename Request::response> ask(Request request) {
        return database_.execute(std::move(request));
    }

    template <class Request>
    asio::awaitable<failure> refusal(Request request) {
        auto got = co_await database_.call(std::move(request));
        expect(!got.has_value(), std::string(Request::name) + " should have been refused");
        co_return std::move(got).error();
    }

    static item_key key(std::string hash, int range) { return {{"pk", std::move(hash)}, {"sk", range}}; }

    static item row(std::string hash, int range, int amount) {
        return {{"pk", std::move(hash)}, {"sk", range}, {"n", amount}};
    }

    asio::awaitable<void> make_table() {
        create_table_request request;
        request.table_name = table_;
        request.key.hash.name = "pk";
        request.key.range = key_attribute{"sk", scalar_type::n};
        create_table_request again = request;
        const auto made = co_await ask(std::move(request));
        expect(made.table.key.range->type == scalar_type::n, "CreateTable tells the schema");
        for (std::string status; status != "ACTIVE";) {
            describe_table_request question{table_};
            const auto found = co_await ask(std::move(question));
            status = found.table.status;
        }
        const auto refused = co_await refusal(std::move(again));
        expect(refused.code == errc::table_in_use, "a table that exists is in use");
        list_tables_request all;
        all.limit = 100;
        bool listed = false;
        for (bool more = true; more && !listed;) {
            list_tables_request page = all;
            const auto names = co_await ask(std::move(page));
            for (const auto& name : names.table_names) listed = listed || name == table_;
            all.exclusive_start_table_name = names.last_evaluated_table_name;
            more = !names.last_evaluated_table_name.empty();
        }
        expect(listed, "ListTables names the table");
    }

    asio::awaitable<void> single_items() {
        put_item_request put;
        put.table_name = table_;
        put.new_item = row("a", 1, 1);
        put.new_item.emplace("list", attribute_list{true, null{}, "ü", binary{std::byte{0}}});
        put.new_item.emplace("set", number_set{number(1), number("2.50")});
        put.report_capacity = true;
        const auto whole = put.new_item;
        const auto stored = co_await ask(std::move(put));
        expect(stored.consumed && stored.consumed->capacity_units == 1, "PutItem tells what it cost");
        get_item_request get;
        get.table_name = table_;
        get.key = key("a", 1);
        get.consistent_read = true;
        get_item_request part = get;
        const auto found = co_await ask(std::move(get));
        expect(found.found == whole, "GetItem gives what PutItem took");
        part.projection_expression = "n";  // moto takes no placeholder that begins with a digit in a projection
        const auto projected = co_await ask(std::move(part));
        expect(projected.found == item{{"n", 1}}, "GetItem projects");
        update_item_request update;
        update.table_name = table_;
        update.key = key("a", 1);
        apply(update, set("n", attr("n") + 41) + remove(path("list")[0]));
        update.returned = return_values::updated_new;
        const auto updated = co_await ask(std::move(update));
        expect(find_integer(updated.attributes, "n") == 42, "UpdateItem counts");
        delete_item_request erase;
        erase.table_name = table_;
        erase.key = key("a", 1);
        erase.returned = return_values::all_old;
        const auto erased = co_await ask(std::move(erase));
        expect(find_integer(erased.attributes, "n") == 42, "DeleteItem gives what was there");
    }

    asio::awaitable<void> conditions() {
        put_item_request put;
        put.table_name = table_;
        put.new_item = row("a", 1, 7);
        apply(put, attribute_not_exists("pk"));
        put.current_on_refusal = true;
        put_item_request again = put;
        co_await ask(std::move(put));
        const auto refused = co_await refusal(std::move(again));
        expect(refused.code == errc::condition_failed, "a false condition refuses");
        expect(refused.current && find_integer(*refused.current, "n") == 7, "and brings what is there");
        get_item_request nowhere;
        nowhere.table_name = "no-such-table";
        nowhere.key = key("a", 1);
        const auto absent = co_await refusal(std::move(nowhere));
        expect(absent.code == errc::table_not_found, "a missing table is named so");
        get_item_request half;
        half.table_name = table_;
        half.key = {{"pk", "a"}};
        const auto malformed = co_await refusal(std::move(half));
        expect(malformed.code == errc::validation, "half a key is refused");
    }

    asio::awaitable<void> many_items() {
        for (int i = 2; i <= 5; ++i) {
            put_item_request put;
            put.table_name = table_;
            put.new_item = row("a", i, 7 * i);
            co_await ask(std::move(put));
        }
        query_request query;
        query.table_name = table_;
        apply_key(query, attr("pk") == "a" && between(attr("sk"), 2, 9));
        query.scan_index_forward = false;
        query.limit = 3;
        query_request rest = query;
        const auto first = co_await ask(std::move(query));
        expect(first.count == 3 && first.items.front() == row("a", 5, 35), "Query goes backwards");
        rest.exclusive_start_key = first.last_evaluated_key;
        const auto second = co_await ask(std::move(rest));
        expect(second.count == 1 && second.last_evaluated_key.empty(), "Query goes on");
        scan_request scan;
        scan.table_name = table_;
        apply_filter(scan, attr("n") > 20);
        const auto scanned = co_await ask(std::move(scan));
        expect(scanned.count == 3 && scanned.scanned_count == 5, "Scan filters");
    }

    asio::awaitable<void> batches() {
        batch_write_item_request write;
        write.tables[table_] = {batch_put{row("b", 1, 1)}, batch_put{row("b", 2, 2)}, batch_delete{key("a", 5)}};
        const auto written = co_await ask(std::move(write));
        expect(written.unprocessed.empty(), "BatchWriteItem does it all");
        batch_get_item_request get;
        get.tables[table_].keys = {key("b", 1), key("b", 2), key("a", 5)};
        const auto found = co_await ask(std::move(get));
        expect(found.items.at(table_).size() == 2, "BatchGetItem finds what is there");
    }

    asio::awaitable<void> transactions() {
        transact_write_items_request write;
        transact_update update;
        update.table_name = table_;
        update.key = key("b", 1);
        apply(update, set("n", 10));
        condition_check check;
        check.table_name = table_;
        check.key = key("b", 2);
        apply(check, attr("n") == 2);
        write.actions = {update, check};
        write.client_request_token = unique_name("t");
        transact_write_items_request refused_write = write;
        co_await ask(std::move(write));
        check.values.begin()->second = 3;
        check.current_on_refusal = true;
        refused_write.actions = {update, check};
        refused_write.client_request_token = unique_name("u");
        const auto refused = co_await refusal(std::move(refused_write));
        expect(refused.code == errc::transaction_canceled && refused.reasons.size() == 2, "a check cancels");
        expect(refused.reasons[1].code == "ConditionalCheckFailed" && refused.reasons[1].current.has_value(),
               "and says why");
        transact_get_items_request get;
        get.gets.push_back({table_, key("b", 1)});
        get.gets.push_back({table_, key("nobody", 1)});
        const auto found = co_await ask(std::move(get));
        expect(found.items.at(0) == row("b", 1, 10) && !found.items.at(1), "TransactGetItems keeps the order");
    }

    asio::awaitable<void> time_to_live() {
        update_time_to_live_request update{table_, "expires"};
        co_await ask(std::move(update));
        describe_time_to_live_request question{table_};
        const auto found = co_await ask(std::move(question));
        expect(found.attribute_name == "expires" && found.status.starts_with("ENABL"), "the time to live is set");
    }

    asio::awaitable<void> new_index() {
        update_table_request update;
        update.table_name = table_;
        // The table's own attributes: moto forgets those that an UpdateTable does not define again.
        secondary_index turned;
        turned.name = "turned";
        turned.key.hash = {"sk", scalar_type::n};
        turned.key.range = key_attribute{"pk", scalar_type::s};
        update.index_changes.emplace_back(turned);
        co_await ask(std::move(update));
        std::string status;
        while (status != "ACTIVE") {
            describe_table_request question{table_};
            const auto found = co_await ask(std::move(question));
            expect(found.table.global_indexes.size() == 1, "UpdateTable adds an index");
            status = found.table.global_indexes.front().status;
        }
        query_request query;
        query.table_name = table_;
        query.index_name = turned.name;
        apply_key(query, attr("sk") == 3);
        const auto found = co_await ask(std::move(query));
        expect(found.count == 1 && found.items.front() == row("a", 3, 21), "an index finds what was there before it");
    }

    asio::awaitable<void> tags() {
        describe_table_request question{table_};
        const auto described = co_await ask(std::move(question));
        const auto arn = described.table.arn;
        tag_resource_request tag{arn, {{"team", "locks"}, {"stage", "test"}}};
        co_await ask(std::move(tag));
        untag_resource_request untag{arn, {"stage"}};
        co_await ask(std::move(untag));
        list_tags_of_resource_request list{arn};
        const auto left = co_await ask(std::move(list));
        expect(left.tags == std::map<std::string, std::string>{{"team", "locks"}}, "tags come and go");
    }

    /// Not every server has these; what answers has to be understood.
    asio::awaitable<void> the_service() {
        describe_limits_request limits;
        const auto known = co_await database_.call(std::move(limits));
        expect(known ? known->table_write_units > 0 : known.error().code == errc::not_supported, "limits are told");
        describe_endpoints_request endpoints;
        const auto found = co_await database_.call(std::move(endpoints));
        expect(found ? !found->endpoints.empty() : found.error().code == errc::not_supported, "endpoints are told");
    }

    asio::awaitable<void> drop_table() {
        delete_table_request request{table_};
        const auto gone = co_await ask(std::move(request));
        expect(gone.table.table_name == table_, "DeleteTable names the table");
    }

    void expect_every_operation() const {
        const auto done = database_.counters().operations;
        [&]<std::size_t... Index>(std::index_sequence<Index...>) {
            (expect(done.contains(std::variant_alternative_t<Index, any_request>::name),
                    std::string(std::variant_alternative_t<Index, any_request>::name) + " was not called"),
             ...);
        }(std::make_index_sequence<std::variant_size_v<any_request>>{});
    }

    asio::awaitable<void> hold_a_lock() {
        co_await create_table(database_, locks_);
        session first(database_, {.table = locks_});
        session second(database_, {.table = locks_});
        const lock here(first, "door");
        const lock there(second, "door");
        auto guard = co_await here.acquire();
        expect(guard.held(), "a lock is granted");
        const auto first_token = guard.fencing_token();
        const auto seen = co_await there.inspect();
        expect(seen.held && seen.holder == first.id(), "others see who holds it");
        co_await guard.release();
        auto next = co_await there.acquire();
        expect(next.fencing_token() > first_token, "the fencing token grows");
        co_await next.release();
        co_await first.close();
        co_await second.close();
        delete_table_request request{locks_};
        co_await ask(std::move(request));
    }

    client& database_;
    std::string table_ = unique_name("api-");
    std::string locks_ = unique_name("locks-");
};

}  // namespace

int main(int argc, char** argv) {
    std::string server;
    std::string url;
    for (int i = 1; i + 1 < argc; i += 2) (std::string_view(argv[i]) == "--url" ? url : server) = argv[i + 1];
    asio::io_context io{1};
    client database(io.get_executor(), {.endpoint = url});
    pass whole(database);
    std::exception_ptr thrown;
    asio::co_spawn(database.get_executor(), whole.run(), [&](std::exception_ptr why) {
        thrown = why;
        database.close();
    });
    io.run();
    std::size_t requests = 0;
    for (const auto& [name, counters] : database.counters().operations) requests += counters.attempts;
    try {
        if (thrown) std::rethrow_exception(thrown);
    } catch (const dynalease::error& why) {
        std::cerr << "conformance: " << why.diagnostics().to_string() << ": " << why.what() << '\n';
    } catch (const std::exception& why) {
        std::cerr << "conformance: " << why.what() << '\n';
    }
    std::cout << R"({"client_api":")" << server << R"(","operations":)"
              << std::variant_size_v<any_request> << R"(,"requests":)" << requests << R"(,"ok":)"
              << (thrown ? "false" : "true") << "}" << std::endl;
    return thrown ? 1 : 0;
}
