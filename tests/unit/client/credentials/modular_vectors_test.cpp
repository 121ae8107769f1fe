// The vectors of the newest chain, as far as they are about what it finds and not about how it is put together.
// SPDX-License-Identifier: BSL-1.0
#include "unit/aws/vectors.hpp"
#include "unit/client/credentials/credentials_world.hpp"

#include <dynalease/aws/providers.hpp>

#include <set>

namespace {

using namespace credentials_test;
using vectors::json;

std::string quoted_members(const json& keys, const char* token) {
    return R"({"Code":"Success","AccessKeyId":")" + keys.text_of("accessKeyId") + R"(","SecretAccessKey":")" +
           keys.text_of("secretAccessKey") + R"(",")" + token + R"(":")" + keys.text_of("sessionToken") +
           R"(","AccountId":")" + keys.text_of("accountId") + "\"}";
}

std::string sts_answer(const json& keys) {
    const auto element = [](const std::string& name, const std::string& text) {
        return "<" + name + ">" + text + "</" + name + ">";
    };
    const auto found = element("AccessKeyId", keys.text_of("accessKeyId")) +
                       element("SecretAccessKey", keys.text_of("secretAccessKey")) +
                       element("SessionToken", keys.text_of("sessionToken"));
    const auto user = element("Arn", "arn:aws:sts::" + keys.text_of("accountId") + ":assumed-role/a/b");
    return element("AssumeRoleResponse",
                   element("AssumeRoleResult", element("Credentials", found) + element("AssumedRoleUser", user)));
}

/// The canned answers of a case.
result<aws::web_answer> answer(const json& input, const aws::web_request& request) {
    const auto canned = [&](const char* name) { return input.find(name); };
    if (request.to.host.starts_with("sts.")) {
        const auto* sts = canned("stsResponse");
        if (sts == nullptr || sts->has("error")) return aws::web_answer{403, "<ErrorResponse/>"};
        return aws::web_answer{200, sts_answer(*sts)};
    }
    if (request.to.host == "169.254.170.2") {
        const auto* agent = canned("httpResponse");
        return agent == nullptr ? result<aws::web_answer>(nobody_there())
                                : aws::web_answer{200, quoted_members(*agent, "Token")};
    }
    const auto* instance = canned("imdsResponse");
    if (instance == nullptr) return nobody_there();
    if (request.method == "PUT") return aws::web_answer{200, "a-token"};
    if (instance->has("error")) return aws::web_answer{404};
    const bool list = request.target.ends_with("credentials-extended");
    return aws::web_answer{200, list ? "a-role" : quoted_members(*instance, "Token")};
}

void run(const json& at) {
    const auto& input = at["input"];
    credentials_world world;
    if (input.has("env")) world.config.variables = vectors::strings_of(input["env"]);
    world.config.variables["HOME"] = "/home";
    world.config.variables["AWS_REGION"] = "us-east-1";
    world.config.files["/some/path"] = "a-token";
    if (input.has("configFiles")) world.config.files["/home/.aws/config"] = input["configFiles"].text_of("aws");
    const auto script = [&input](const aws::web_request& request) { return answer(input, request); };
    const auto chain = detail::default_chain(world.context(script, input.text_of("profileNameOverride")));
    const auto found = world.run(chain->get());
    const auto* resolved = at["expected"].find("resolved");
    REQUIRE(found.has_value() == (resolved != nullptr));
    if (found.has_error()) {
        CHECK(found.error().code == errc::no_credentials);
        return;
    }
    CHECK((*found)->access_key_id == resolved->text_of("accessKeyId"));
    CHECK((*found)->secret_access_key == resolved->text_of("secretAccessKey"));
    CHECK((*found)->session_token == resolved->text_of("sessionToken"));
    CHECK((*found)->account_id == resolved->text_of("accountId"));
}

}  // namespace

TEST_CASE("13 of the 29 modular vectors hold; the others are about modules, custom slots, tokens and sign-on") {
    const auto document = vectors::read_json("profile/smithy-java/modular-credential-chain-tests.json");
    REQUIRE(document.items.size() == 29);
    // 9: theirs takes a role's own static keys, ours and smithy-rs's role vectors assume the role. 17: a client's own
    // keys. 25: a preloaded file.
    const std::set<std::string> other_design{"9", "17", "25"};
    unsigned ran = 0;
    unsigned assembly = 0;
    unsigned sign_on = 0;
    for (const auto& at : document.items) {
        const auto& id = at["id"].text;
        INFO(id << ": " << at["documentation"].text);
        const auto& input = at["input"];
        const bool modular = input.has("customProviders") || id == "6" || input.has("identityType");
        if (modular || other_design.contains(id)) {
            ++assembly;
        } else if (id == "11") {
            ++sign_on;
        } else {
            run(at);
            ++ran;
        }
    }
    CHECK(ran == 13);
    CHECK(sign_on == 1);
    CHECK(assembly == 15);
}
