// The requests of the lock protocol, in its own words, played by three sessions.
// SPDX-License-Identifier: BSL-1.0
#include "unit/local/engine_world.hpp"

namespace dynalease::local::test {

namespace {

const std::string version = "(attribute_not_exists(v) OR v = :v)";
const std::string fresh = "(attribute_not_exists(#floor) OR #floor < :t)";
const std::string grant = "SET v = :v, holder = :s, attempt = :a, #token = :t, #floor = :t";

class lock_row {
public:
    lock_row() { world_.put({{"pk", "unrelated"}}); }

    result<update_item_response> ask(const std::string& update, const std::string& condition, attribute_values values) {
        values.emplace(":v", 1);
        values.emplace(":empty", attribute_list{});
        values.emplace(":0", 0);
        values.emplace(":1", 1);
        auto request = update_of(update, values, condition);
        request.returned = return_values::all_new;
        request.current_on_refusal = true;
        const std::string texts = update + condition;
        for (const auto& [placeholder, name] :
             attribute_names{{"#token", "token"}, {"#floor", "floor"}, {"#ttl", "ttl"}, {"#passed", "passed"}}) {
            if (texts.find(placeholder) != std::string::npos) request.names.emplace(placeholder, name);
        }
        return world_.execute(request);
    }

    result<update_item_response> acquire(const char* session, const char* attempt, int token) {
        return ask(grant + " REMOVE #ttl, #passed, line",
                   version + " AND attribute_not_exists(holder) AND " + fresh + " AND attribute_not_exists(line[0])",
                   {{":s", session}, {":a", attempt}, {":t", token}});
    }

    result<update_item_response> acquire_in_line(std::size_t place, const char* session, int token) {
        const std::string element = "line[" + std::to_string(place) + "]";
        const std::string free =
            version + " AND attribute_not_exists(holder) AND " + fresh + " AND " + element + " = :s";
        if (place == 0) {
            return ask(grant + " REMOVE #ttl, #passed, " + element, free,
                       {{":s", session}, {":a", "b"}, {":t", token}});
        }
        return ask(grant + ", #passed = if_not_exists(#passed, :0) + :1 REMOVE #ttl, " + element,
                   free + " AND (attribute_not_exists(#passed) OR #passed < :kp)",
                   {{":s", session}, {":a", "b"}, {":t", token}, {":kp", 8}});
    }

    result<update_item_response> join(const char* session, int token) {
        return ask("SET v = :v, line = list_append(if_not_exists(line, :empty), :me)",
                   version + " AND " + fresh +
                       " AND (attribute_exists(holder) OR attribute_exists(line[0])) AND attribute_not_exists(line[2])"
                       " AND (attribute_not_exists(line) OR NOT contains(line, :s))",
                   {{":s", session}, {":me", attribute_list{session}}, {":t", token}});
    }

    result<update_item_response> release(const char* session, const char* attempt, const char* other) {
        return ask("SET #ttl = :ttl REMOVE holder, attempt", "holder = :s AND attempt IN (:a, :a2)",
                   {{":s", session}, {":a", attempt}, {":a2", other}, {":ttl", 4'000'000'000}});
    }

private:
    engine_world world_;
};

const attribute_list& line_of(const item& row) {
    return *row.at("line").get_if<attribute_list>();
}

}  // namespace

TEST_CASE("a free lock is granted in one write, a held one answers with its row") {
    lock_row row;
    const auto granted = row.acquire("s1", "a1", 100).value().attributes;
    CHECK(*find_string(granted, "holder") == "s1");
    CHECK(find_integer(granted, "floor") == 100);
    const auto refused = row.acquire("s2", "a2", 200).error();
    CHECK(refused.code == errc::condition_failed);
    CHECK(*refused.current == granted);
}

TEST_CASE("a late copy of a token that is not above the floor is refused for ever") {
    lock_row row;
    REQUIRE(row.acquire("s1", "a1", 100));
    CHECK(row.release("s1", "other", "another").error().code == errc::condition_failed);
    REQUIRE(row.release("s1", "none", "a1"));
    CHECK(row.acquire("s1", "a1", 100).error().code == errc::condition_failed);
    CHECK(row.acquire("s2", "a2", 101));
}

TEST_CASE("the line: joined once, full at its bound, served from any place") {
    lock_row row;
    CHECK_FALSE(row.join("s2", 101));
    REQUIRE(row.acquire("s1", "a1", 100));
    REQUIRE(row.join("s2", 101));
    CHECK_FALSE(row.join("s2", 101));
    REQUIRE(row.join("s3", 102));
    CHECK(line_of(row.join("s4", 103).value().attributes) == attribute_list{"s2", "s3", "s4"});
    CHECK_FALSE(row.join("s5", 104));
    CHECK_FALSE(row.acquire_in_line(0, "s2", 105));
    REQUIRE(row.release("s1", "a1", "none"));
    CHECK_FALSE(row.acquire("s5", "a5", 106));
    CHECK_FALSE(row.acquire_in_line(0, "s3", 106));

    const auto passed_by = row.acquire_in_line(1, "s3", 106).value().attributes;
    CHECK(line_of(passed_by) == attribute_list{"s2", "s4"});
    CHECK(find_integer(passed_by, "passed") == 1);
    REQUIRE(row.release("s3", "b", "none"));
    const auto again = row.acquire_in_line(1, "s4", 107).value().attributes;
    CHECK(line_of(again) == attribute_list{"s2"});
    CHECK(find_integer(again, "passed") == 2);
    REQUIRE(row.release("s4", "b", "none"));
    const auto head = row.acquire_in_line(0, "s2", 108).value().attributes;
    CHECK(line_of(head) == attribute_list{});
    CHECK_FALSE(head.contains("passed"));
    CHECK_FALSE(head.contains("ttl"));
}

}  // namespace dynalease::local::test
