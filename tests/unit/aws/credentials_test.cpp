// Sources of credentials and their chain.
// SPDX-License-Identifier: BSL-1.0
#include "aws/credentials_source.hpp"

#include "unit/aws/fake_config.hpp"

#include <dynalease/aws/providers.hpp>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/use_future.hpp>

#include <catch2/catch.hpp>

#include <string>
#include <utility>
#include <vector>

namespace {

using namespace dynalease;
using aws::shared_credentials;
using testing_support::fake_config;

result<shared_credentials> get(credentials_provider& provider) {
    boost::asio::io_context context;
    auto answer = boost::asio::co_spawn(context, provider.get(), boost::asio::use_future);
    context.run();
    return answer.get();
}

/// A source of which everything is known.
class fake_source final : public aws::credentials_source {
public:
    fake_source(std::string name, result<shared_credentials> answer)
        : name_(std::move(name)), answer_(std::move(answer)) {}

    boost::asio::awaitable<result<shared_credentials>> fetch() override { co_return answer_; }
    std::string describe() const override { return name_; }

private:
    std::string name_;
    result<shared_credentials> answer_;
};

std::unique_ptr<aws::credentials_source> source(std::string name, result<shared_credentials> answer) {
    return std::make_unique<fake_source>(std::move(name), std::move(answer));
}

shared_credentials keys(const char* id) {
    return std::make_shared<const credentials>(credentials{id, "secret"});
}

std::shared_ptr<credentials_provider> chain_of(const aws::config_source& config,
                                               result<shared_credentials> second = shared_credentials{}) {
    std::vector<std::unique_ptr<aws::credentials_source>> sources;
    sources.push_back(aws::environment_source(config));
    sources.push_back(source("the second place", std::move(second)));
    sources.push_back(source("the third place", keys("third")));
    return aws::credentials_chain(std::move(sources));
}

result<shared_credentials> resolve(const fake_config& config) {
    return get(*chain_of(config.source()));
}

}  // namespace

TEST_CASE("fixed keys are given as they are") {
    const auto found = get(*static_credentials({"AKID", "secret", "token"}));
    REQUIRE(found.has_value());
    CHECK((*found)->access_key_id == "AKID");
    CHECK((*found)->session_token == "token");
}

TEST_CASE("the environment gives key, secret, token and account together") {
    fake_config config;
    config.variables = {{"AWS_ACCESS_KEY_ID", "1"},
                        {"AWS_SECRET_ACCESS_KEY", "2"},
                        {"AWS_SESSION_TOKEN", "3"},
                        {"AWS_ACCOUNT_ID", "4"}};
    const auto found = resolve(config);
    REQUIRE(found.has_value());
    CHECK((*found)->session_token == "3");
    CHECK((*found)->account_id == "4");
    config.variables.erase("AWS_SESSION_TOKEN");
    config.variables["AWS_SECURITY_TOKEN"] = "old";
    CHECK((*resolve(config))->session_token == "old");
}

TEST_CASE("blanks around a variable are no part of a key: files that are read into variables end with a line end") {
    fake_config config;
    config.variables = {{"AWS_ACCESS_KEY_ID", " 1"}, {"AWS_SECRET_ACCESS_KEY", "2\n"}, {"AWS_SESSION_TOKEN", "3\r\n"}};
    const auto found = resolve(config);
    REQUIRE(found.has_value());
    CHECK((*found)->access_key_id == "1");
    CHECK((*found)->secret_access_key == "2");
    CHECK((*found)->session_token == "3");
}

TEST_CASE("half a pair in the environment is an error although other sources have keys") {
    fake_config config;
    SECTION("no secret") {
        config.variables["AWS_ACCESS_KEY_ID"] = "1";
    }
    SECTION("no key") {
        config.variables["AWS_SECRET_ACCESS_KEY"] = "2";
    }
    const auto found = resolve(config);
    REQUIRE(found.has_error());
    CHECK(found.error().code == errc::no_credentials);
    CHECK_THAT(found.error().details.message, Catch::Contains("AWS_ACCESS_KEY_ID"));
    CHECK_THAT(found.error().details.message, Catch::Contains("AWS_SECRET_ACCESS_KEY"));
}

TEST_CASE("the first source that is configured decides, even by failing") {
    const fake_config config;
    CHECK((*get(*chain_of(config.source())))->access_key_id == "third");
    CHECK((*get(*chain_of(config.source(), keys("second"))))->access_key_id == "second");
    const auto failed = get(*chain_of(config.source(), failure(errc::no_credentials)));
    REQUIRE(failed.has_error());
    CHECK(failed.error().code == errc::no_credentials);
}

TEST_CASE("nothing anywhere names every place looked at") {
    std::vector<std::unique_ptr<aws::credentials_source>> sources;
    sources.push_back(aws::environment_source(fake_config{}.source()));
    sources.push_back(source("the second place", shared_credentials{}));
    const auto found = get(*aws::credentials_chain(std::move(sources)));
    REQUIRE(found.has_error());
    CHECK(found.error().code == errc::no_credentials);
    CHECK(found.error().details.message ==
          "no credentials in the environment (AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY), nor in the second place");
    CHECK_THAT(found.error().details.advice, Catch::Contains("AWS_ACCESS_KEY_ID"));
}
