// Sources of credentials and their chain.
#include "aws/credentials_source.hpp"

#include "unit/aws/fake_config.hpp"
#include "unit/aws/vectors.hpp"

#include <dynalease/aws/providers.hpp>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/use_future.hpp>

#include <catch2/catch.hpp>

#include <array>
#include <utility>

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

std::shared_ptr<credentials_provider> chain_of(const aws::config_source& source) {
    std::vector<std::unique_ptr<aws::credentials_source>> sources;
    sources.push_back(aws::environment_source(source));
    sources.push_back(aws::profile_source(source, ""));
    return aws::credentials_chain(std::move(sources));
}

result<shared_credentials> resolve(const fake_config& config) {
    return get(*chain_of(config.source()));
}

constexpr std::string_view chain_folder = "profile/smithy-rs/default-credential-provider-chain/";

void run_chain_vector(const std::string& name) {
    INFO(name);
    const std::string folder = std::string{chain_folder} + name;
    fake_config config;
    config.variables = vectors::strings_of(vectors::read_json(folder + "/env.json"));
    for (const std::string file : {"/home/.aws/config", "/home/.aws/credentials"}) {
        if (auto text = vectors::try_read(folder + "/fs" + file)) config.files[file] = *text;
    }
    const auto document = vectors::read_json(folder + "/test-case.json");
    const auto& expected = document["result"];
    const auto found = resolve(config);
    REQUIRE(found.has_value() == expected.has("Ok"));
    if (found.has_error()) {
        CHECK(found.error().code == errc::no_credentials);
        return;
    }
    CHECK((*found)->access_key_id == expected["Ok"].text_of("access_key_id"));
    CHECK((*found)->secret_access_key == expected["Ok"].text_of("secret_access_key"));
    CHECK((*found)->account_id == expected["Ok"].text_of("account_id"));
}

}  // namespace

TEST_CASE("the chain vectors that need no network hold") {
    for (const std::string name :
         {"environment_variables", "environment_variables_blank", "prefer_environment", "profile_name",
          "profile_overrides_web_identity", "profile_static_keys", "profile_static_keys_case_insensitive"}) {
        run_chain_vector(name);
    }
}

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

TEST_CASE("half a pair in the environment is an error although the profile has keys") {
    fake_config config;
    config.files["/home/.aws/credentials"] = "[default]\naws_access_key_id=a\naws_secret_access_key=b\n";
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

TEST_CASE("a profile that gets its keys in a way not supported says which, and what to do") {
    const std::array<std::pair<const char*, const char*>, 6> ways{{
        {"role_arn = arn:aws:iam::1:role/x\nsource_profile = base", "role_arn"},
        {"role_arn = x\naws_access_key_id = a\naws_secret_access_key = b", "role_arn"},
        {"sso_session = s", "sso_session"},
        {"sso_start_url = https://example.awsapps.com/start", "sso_start_url"},
        {"credential_process = /bin/true", "credential_process"},
        {"login_session = x", "login_session"},
    }};
    for (const auto& [lines, property] : ways) {
        INFO(lines);
        fake_config config;
        config.files["/home/.aws/config"] = std::string{"[default]\n"} + lines + "\n";
        const auto found = resolve(config);
        REQUIRE(found.has_error());
        CHECK(found.error().code == errc::no_credentials);
        CHECK_THAT(found.error().details.message, Catch::Contains(property) && Catch::Contains("'default'"));
        CHECK_THAT(found.error().details.advice, Catch::Contains("aws_access_key_id"));
    }
}

TEST_CASE("a profile with half a pair, or a malformed file, ends the search") {
    fake_config config;
    SECTION("half a pair") {
        config.files["/home/.aws/config"] = "[default]\naws_access_key_id = a\n";
    }
    SECTION("malformed") {
        config.files["/home/.aws/config"] = "[default\n";
    }
    SECTION("chosen, not there") {
        config.variables["AWS_PROFILE"] = "nowhere";
    }
    const auto found = resolve(config);
    REQUIRE(found.has_error());
    CHECK(found.error().code == errc::no_credentials);
    CHECK_FALSE(found.error().details.advice.empty());
}

TEST_CASE("nothing anywhere names every place looked at, and no secret") {
    const auto found = resolve(fake_config{});
    REQUIRE(found.has_error());
    CHECK(found.error().code == errc::no_credentials);
    CHECK(found.error().details.message ==
          "no credentials in the environment (AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY), nor in profile 'default' of "
          "/home/.aws/credentials and /home/.aws/config");
    CHECK_THAT(found.error().details.advice, Catch::Contains("AWS_ACCESS_KEY_ID"));
}

TEST_CASE("what was found is kept until it is invalidated, and then read anew") {
    auto keys = std::make_shared<std::string>("first");
    auto reads = std::make_shared<int>(0);
    fake_config config;
    auto source = config.source();
    source.file = [=](const std::string& path) -> result<std::optional<std::string>> {
        if (path != "/home/.aws/credentials") return std::optional<std::string>{};
        ++*reads;
        return std::optional<std::string>{"[default]\naws_access_key_id=" + *keys + "\naws_secret_access_key=x\n"};
    };
    const auto provider = chain_of(source);
    CHECK((*get(*provider))->access_key_id == "first");
    *keys = "second";
    CHECK((*get(*provider))->access_key_id == "first");
    CHECK(*reads == 1);
    provider->invalidate();
    CHECK((*get(*provider))->access_key_id == "second");
}
