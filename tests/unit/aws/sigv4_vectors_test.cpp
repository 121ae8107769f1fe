// The 38 official signing vectors and the 10 of DynamoDB's shape, step by step.
// Each runs with what its context.json says: `normalize` is options.normalize_path, `sign_body` is
// options.body_hash_header, `omit_session_token` is !options.sign_session_token.
// SPDX-License-Identifier: BSL-1.0
#include <dynalease/aws/sigv4.hpp>

#include "aws/text.hpp"
#include "unit/aws/vectors.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <filesystem>
#include <set>
#include <utility>

namespace {

using namespace dynalease::aws;

struct message {
    std::string line;
    std::vector<std::pair<std::string, std::string>> headers;
    std::string body;
};

// Lines end with LF; one that starts with a blank continues the header before it.
message parse_message(std::string_view text) {
    message out;
    bool first = true;
    while (!text.empty()) {
        const auto end = text.find('\n');
        const std::string_view line = text.substr(0, end);
        text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
        if (std::exchange(first, false)) {
            out.line = line;
        } else if (line.empty()) {
            out.body = text;
            break;
        } else if (is_blank(line.front())) {
            out.headers.back().second.append("\n").append(line);
        } else {
            const auto colon = line.find(':');
            out.headers.emplace_back(line.substr(0, colon), line.substr(colon + 1));
        }
    }
    return out;
}

struct vector_case {
    dynalease::credentials who;
    wall_time now;
    sigv4_options options;
    message input;
    request_view request;
};

vector_case load(const std::string& folder) {
    vector_case out;
    const auto context = vectors::read_json(folder + "/context.json");
    const auto& keys = context["credentials"];
    out.who = {keys.text_of("access_key_id"), keys.text_of("secret_access_key"), keys.text_of("token")};
    out.now = parse_iso8601(context.text_of("timestamp")).value();
    out.options.region = context.text_of("region");
    out.options.service = context.text_of("service");
    out.options.normalize_path = context.flag_of("normalize");
    out.options.body_hash_header = context.flag_of("sign_body");
    out.options.sign_session_token = !context.flag_of("omit_session_token");
    out.input = parse_message(vectors::read(folder + "/request.txt"));
    return out;
}

// Views into `at.input`, so made once it lies still.
void view_request(vector_case& at) {
    const std::string_view line = at.input.line;
    const auto method_end = line.find(' ');
    const auto target_end = line.rfind(' ');
    const std::string_view target = line.substr(method_end + 1, target_end - method_end - 1);
    const auto question = target.find('?');
    at.request.method = line.substr(0, method_end);
    at.request.path = target.substr(0, question);
    if (question != std::string_view::npos) at.request.query = target.substr(question + 1);
    for (const auto& [name, value] : at.input.headers) at.request.headers.push_back({name, value});
    at.request.body = at.input.body;
}

std::multiset<std::pair<std::string, std::string>> header_set(const message& of) {
    std::multiset<std::pair<std::string, std::string>> out;
    for (const auto& [name, value] : of.headers) out.emplace(lower(name), value);
    return out;
}

std::vector<std::string> folders_of(const std::string& suite) {
    std::vector<std::string> out;
    for (const auto& entry : std::filesystem::directory_iterator(DYNALEASE_TEST_DATA "/sigv4/" + suite)) {
        out.push_back("sigv4/" + suite + "/" + entry.path().filename().string());
    }
    std::sort(out.begin(), out.end());
    return out;
}

void run(const std::string& folder) {
    INFO(folder);
    vector_case at = load(folder);
    view_request(at);
    const sigv4_signature made = sigv4_sign(at.request, at.who, at.now, at.options);
    CHECK(made.canonical_request == vectors::read(folder + "/header-canonical-request.txt"));
    CHECK(made.string_to_sign == vectors::read(folder + "/header-string-to-sign.txt"));
    CHECK(made.signature == vectors::read(folder + "/header-signature.txt"));

    message sent = at.input;
    for (const auto& [name, value] : made.added) sent.headers.emplace_back(name, value);
    const message expected = parse_message(vectors::read(folder + "/header-signed-request.txt"));
    CHECK(sent.line == expected.line);
    CHECK(header_set(sent) == header_set(expected));
    CHECK(sent.body == expected.body);
}

}  // namespace

TEST_CASE("the signer reproduces all official vectors") {
    const auto folders = folders_of("v4");
    REQUIRE(folders.size() == 38);
    for (const auto& folder : folders) run(folder);
}

TEST_CASE("the signer reproduces all vectors of DynamoDB's shape") {
    const auto folders = folders_of("dynamodb");
    REQUIRE(folders.size() == 10);
    for (const auto& folder : folders) run(folder);
}

TEST_CASE("the fast path reproduces the vectors that have only its headers") {
    unsigned fitting = 0;
    for (const auto& folder : folders_of("dynamodb")) {
        INFO(folder);
        vector_case at = load(folder);
        view_request(at);
        std::map<std::string, std::string_view> headers;
        for (const auto& [name, value] : at.request.headers) headers[lower(name)] = value;
        if (headers.size() != 3 || !headers.contains("x-amz-target")) continue;
        ++fitting;
        request_signer signer{at.options.region, at.options.service};
        const request_signer::request shape{headers["host"], headers["content-type"], headers["x-amz-target"],
                                            at.request.body};
        const auto made = signer.sign(at.who, at.now, shape);
        const auto full = sigv4_sign(at.request, at.who, at.now, at.options);
        CHECK(std::string{made.authorization} == full.added.back().value);
        CHECK(made.authorization.ends_with(vectors::read(folder + "/header-signature.txt")));
    }
    CHECK(fitting == 8);
}
