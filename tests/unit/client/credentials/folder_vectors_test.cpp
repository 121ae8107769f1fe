// The recorded vectors of whole chains: environment, files, what was asked and answered, and the keys that came of it.
// SPDX-License-Identifier: BSL-1.0
#include "client/credentials/sources.hpp"

#include "unit/aws/vectors.hpp"
#include "unit/client/credentials/credentials_world.hpp"

#include <dynalease/aws/timestamp.hpp>

#include <algorithm>
#include <filesystem>

namespace {

using namespace credentials_test;
using vectors::json;

const std::string data = DYNALEASE_TEST_DATA "/";

struct recorded {
    std::string method;
    std::string url;
    std::string body;
    aws::web_answer answer;
};

std::string without_last_slash(std::string url) {
    if (url.ends_with('/')) url.pop_back();
    return url;
}

std::string text_in(const json& event) {
    const auto& data_part = event["data"];
    return data_part.text_of("Utf8");
}

std::vector<recorded> traffic_of(const std::string& folder) {
    std::vector<recorded> out;
    const auto text = vectors::try_read(folder + "/http-traffic.json");
    if (!text) return out;
    const auto document = vectors::parse_json(*text);
    for (const auto& event : document["events"].items) {
        const auto& [kind, content] = event["action"].members.front();
        if (kind == "Request") {
            const auto& request = content["request"];
            out.push_back({request["method"].text, without_last_slash(request["uri"].text), {}, {}});
        } else if (kind == "Response") {
            out.back().answer.status = static_cast<unsigned>(std::stoul(content["response"]["Ok"]["status"].text));
        } else if (kind == "Data") {
            (content["direction"].text == "Request" ? out.back().body : out.back().answer.body) += text_in(content);
        }
    }
    return out;
}

std::string form_field(const std::string& body, const std::string& name) {
    const auto at = ("&" + body).find("&" + name + "=");
    if (at == std::string::npos) return {};
    const auto begin = at + name.size() + 1;
    return body.substr(begin, body.find('&', begin) - begin);
}

/// Answers as it was recorded. The recordings know only the old path of instances, and their forms vary in what they
/// were made for; what was asked of whom must be the same.
class replay {
public:
    explicit replay(std::vector<recorded> traffic) : traffic_(std::move(traffic)) {}

    result<aws::web_answer> operator()(const aws::web_request& request) {
        if (request.target.find("security-credentials-extended") != std::string::npos) return aws::web_answer{404};
        if (next_ == traffic_.size()) return nobody_there();
        const auto& at = traffic_[next_++];
        CHECK(request.method == at.method);
        CHECK(without_last_slash(request.url()) == at.url);
        CHECK(form_field(request.body, "Action") == form_field(at.body, "Action"));
        if (form_field(at.body, "Action") == "AssumeRole") {
            CHECK(form_field(request.body, "RoleArn") == form_field(at.body, "RoleArn"));
        }
        return at.answer;
    }

private:
    std::vector<recorded> traffic_;
    std::size_t next_ = 0;
};

testing_support::fake_config config_of(const std::string& folder) {
    testing_support::fake_config config;
    config.variables = vectors::strings_of(vectors::read_json(folder + "/env.json"));
    const std::filesystem::path root = data + folder + "/fs";
    if (!std::filesystem::exists(root)) return config;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(root)) {
        if (!entry.is_regular_file()) continue;
        const auto name = "/" + entry.path().lexically_relative(root).string();
        config.files[name] = vectors::read(folder + "/fs" + name);
    }
    return config;
}

void check_keys(const credentials& found, const json& expected) {
    CHECK(found.access_key_id == expected.text_of("access_key_id"));
    CHECK(found.secret_access_key == expected.text_of("secret_access_key"));
    CHECK(found.session_token == expected.text_of("session_token"));
    CHECK(found.account_id == expected.text_of("account_id"));
    const auto expiry = found.expiration ? std::to_string(found.expiration->time_since_epoch().count()) : "";
    CHECK(expiry == expected.text_of("expiry"));
}

struct tally {
    unsigned passed = 0;
    unsigned sign_on = 0;
};

/// Of single sign-on only that the error says what to do.
tally run_folders(const std::string& base) {
    tally out;
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(data + base)) names.push_back(entry.path().filename());
    std::sort(names.begin(), names.end());
    for (const auto& name : names) {
        INFO(name);
        const auto folder = base + "/" + name;
        credentials_world world;
        world.config = config_of(folder);
        const auto provider = detail::default_chain(world.context(replay(traffic_of(folder))));
        // The provider of profiles is asked alone; keys in the environment would come first in the chain.
        const bool alone = base.ends_with("profile-provider");
        const auto source = alone ? detail::profile_source(world.context(replay(traffic_of(folder)))) : nullptr;
        const auto found = world.run(alone ? source->fetch() : provider->get());
        const auto document = vectors::read_json(folder + "/test-case.json");
        const auto& expected = document["result"];
        if (name.find("sso") != std::string::npos) {
            REQUIRE(found.has_error());
            CHECK_THAT(found.error().details.advice, Catch::Contains("credential_process"));
            ++out.sign_on;
            continue;
        }
        const bool has_keys = found && *found;
        if (found.has_error()) INFO(found.error().details.message);
        REQUIRE(has_keys == expected.has("Ok"));
        if (has_keys) check_keys(**found, expected["Ok"]);
        if (found.has_error()) {
            CHECK(found.error().code == errc::no_credentials);
            CHECK_FALSE(found.error().details.message.empty());
        }
        ++out.passed;
    }
    return out;
}

}  // namespace

TEST_CASE("25 of the 29 recorded chains hold; the other 4 are about single sign-on") {
    const auto done = run_folders("profile/smithy-rs/default-credential-provider-chain");
    CHECK(done.passed == 25);
    CHECK(done.sign_on == 4);
}

TEST_CASE("14 of the 18 recorded profiles hold; the other 4 are about single sign-on") {
    const auto done = run_folders("profile/smithy-rs/profile-provider");
    CHECK(done.passed == 14);
    CHECK(done.sign_on == 4);
}
