// The official endpoint cases and the table of partitions.
// SPDX-License-Identifier: BSL-1.0
#include "aws/partitions.hpp"
#include "unit/aws/vectors.hpp"

#include <dynalease/aws/endpoint.hpp>

#include <catch2/catch.hpp>

namespace {

using namespace dynalease::aws;

// Which of the settings the case's error is about, so that ours can be asked for the same.
std::string subject_of(const std::string& error) {
    if (error.find("account endpoints are not supported in this partition") != std::string::npos) return "partition";
    if (error.find("ccount") != std::string::npos && error.find("FIPS") == std::string::npos) return "account";
    if (error.find("FIPS") != std::string::npos) return "FIPS";
    if (error.find("Dualstack") != std::string::npos) return "dual stack";
    if (error.find("dual-stack") != std::string::npos) return "dual stack";
    return "no region";
}

void run(const vectors::json& at) {
    const auto& params = at["params"];
    endpoint_parameters parameters;
    parameters.region = params.text_of("Region");
    parameters.override_url = params.text_of("Endpoint");
    parameters.fips = params.flag_of("UseFIPS");
    parameters.dual_stack = params.flag_of("UseDualStack");
    const auto mode = params.text_of("AccountIdEndpointMode");
    if (mode == "preferred") parameters.account_mode = account_endpoints::preferred;
    if (mode == "required") parameters.account_mode = account_endpoints::required;
    if (params.has("AccountId")) parameters.account_id = params["AccountId"].text;
    if (params.has("ResourceArn")) parameters.resource_arns.push_back(params["ResourceArn"].text);
    if (params.has("ResourceArnList")) parameters.resource_arns.push_back(params["ResourceArnList"].items.front().text);
    INFO(parameters.region << ' ' << parameters.override_url << " FIPS " << parameters.fips << " dual stack "
                           << parameters.dual_stack);
    const auto found = resolve_endpoint(parameters);
    if (at.has("error")) {
        REQUIRE(found.has_error());
        CHECK_THAT(found.error().details.message, Catch::Contains(subject_of(at["error"].text)));
        return;
    }
    REQUIRE(found.has_value());
    CHECK(found->url() == at["url"].text);
    std::string region = parameters.region;
    if (at.has("properties") && at["properties"].has("authSchemes")) {
        region = at["properties"]["authSchemes"].items[0].text_of("signingRegion");
    }
    CHECK(found->signing_region == region);
}

}  // namespace

TEST_CASE("the official endpoint cases hold, but for those of the vector search host") {
    const auto document = vectors::read_json("endpoints/dynamodb-endpoint-cases.json");
    unsigned ran = 0;
    unsigned search = 0;
    for (const auto& at : document["cases"].items) {
        if (at["params"].flag_of("IsSearchOperation")) {
            ++search;
        } else {
            run(at);
            ++ran;
        }
    }
    CHECK(ran == 371);
    CHECK(search == 177);
}

TEST_CASE("every region AWS lists lies in the partition AWS says, with its domain names") {
    const auto document = vectors::read_json("endpoints/partitions.json");
    unsigned regions = 0;
    for (const auto& expected : document["partitions"].items) {
        for (const auto& [region, description] : expected["regions"].members) {
            INFO(region);
            const partition& found = partition_of(region);
            CHECK(found.name == expected["id"].text);
            CHECK(found.dns_suffix == expected["outputs"]["dnsSuffix"].text);
            CHECK(found.dual_stack_suffix == expected["outputs"]["dualStackDnsSuffix"].text);
            ++regions;
        }
    }
    CHECK(document["partitions"].items.size() == 8);
    CHECK(regions > 40);
}
