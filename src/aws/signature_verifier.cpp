// Parsing of the Authorization header and the comparison of signatures in constant time.
// SPDX-License-Identifier: BSL-1.0
#include <dynalease/aws/signature_verifier.hpp>

#include "aws/canonical.hpp"
#include "aws/text.hpp"

#include <openssl/crypto.h>

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

namespace dynalease::aws {

namespace {

struct authorization {
    std::string_view credential;
    std::string_view signed_headers;
    std::string_view signature;
};

struct credential_parts {
    std::string_view key_id;
    signing_scope scope;
    std::string_view scope_text;
};

std::optional<std::string_view> find_header(const request_view& request, std::string_view name) {
    for (const header_view& header : request.headers) {
        if (equal_ignoring_case(header.name, name)) return trim(header.value);
    }
    return std::nullopt;
}

authorization parse_authorization(std::string_view text) {
    authorization out;
    while (!text.empty()) {
        // AWS takes a blank for a comma.
        const auto end = std::min(text.find(','), text.find(' '));
        const std::string_view part = text.substr(0, end);
        text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
        const auto equals = part.find('=');
        if (equals == std::string_view::npos) continue;
        const std::string_view name = part.substr(0, equals);
        const std::string_view value = part.substr(equals + 1);
        if (name == "Credential") out.credential = value;
        if (name == "SignedHeaders") out.signed_headers = value;
        if (name == "Signature") out.signature = value;
    }
    return out;
}

std::optional<credential_parts> parse_credential(std::string_view text) {
    const std::string_view whole = text;
    std::array<std::string_view, 5> parts;
    for (std::size_t i = 0; i < parts.size(); ++i) {
        const auto slash = text.find('/');
        if ((slash == std::string_view::npos) != (i + 1 == parts.size())) return std::nullopt;
        parts[i] = text.substr(0, slash);
        text.remove_prefix(std::min(text.size(), parts[i].size() + 1));
    }
    if (parts[4] != "aws4_request") return std::nullopt;
    return credential_parts{parts[0], {parts[1], parts[2], parts[3]}, whole.substr(parts[0].size() + 1)};
}

// The first of the names, which is taken off.
std::string_view take_name(std::string_view& names) {
    const auto end = names.find(';');
    const std::string_view name = names.substr(0, end);
    names.remove_prefix(end == std::string_view::npos ? names.size() : end + 1);
    return name;
}

// The values of the named headers, repeated ones in order of appearance; empty if one is not there.
std::vector<header_view> pick(const request_view& request, std::string_view names) {
    std::vector<header_view> picked;
    picked.reserve(request.headers.size());
    while (!names.empty()) {
        const std::string_view name = take_name(names);
        const std::size_t before = picked.size();
        for (const header_view& header : request.headers) {
            if (equal_ignoring_case(header.name, name)) picked.push_back({name, header.value});
        }
        if (picked.size() == before) return {};
    }
    return picked;
}

/// @returns false where the host has no port.
bool drop_port(std::vector<header_view>& headers) {
    const auto host = std::ranges::find(headers, std::string_view("host"), &header_view::name);
    if (host == headers.end()) return false;
    const auto colon = host->value.rfind(':');
    const bool has_port = colon != std::string_view::npos && host->value.find(']', colon) == std::string_view::npos;
    if (has_port) host->value = host->value.substr(0, colon);
    return has_port;
}

bool names_contain(std::string_view names, std::string_view wanted) {
    while (!names.empty()) {
        if (take_name(names) == wanted) return true;
    }
    return false;
}

bool equal_in_constant_time(std::string_view a, std::string_view b) noexcept {
    return a.size() == b.size() && CRYPTO_memcmp(a.data(), b.data(), a.size()) == 0;
}

signature_check missing() {
    return {signature_verdict::missing, "MissingAuthenticationTokenException",
            "Request is missing Authentication Token"};
}

signature_check incomplete(std::string message) {
    return {signature_verdict::incomplete, "IncompleteSignatureException", std::move(message)};
}

signature_check unknown_key() {
    return {signature_verdict::unknown_key, "UnrecognizedClientException",
            "The security token included in the request is invalid."};
}

signature_check invalid(signature_verdict verdict, std::string message) {
    return {verdict, "InvalidSignatureException", std::move(message)};
}

signature_check mismatch() {
    return invalid(signature_verdict::wrong_signature,
                   "The request signature we calculated does not match the signature you provided. Check your AWS "
                   "Secret Access Key and signing method. Consult the service documentation for details.");
}

std::string text_of(wall_time when) {
    return std::string{amz_timestamp{when}.text()};
}

std::optional<signature_check> judge_age(wall_time signed_at, wall_time now, std::chrono::minutes window) {
    if (signed_at >= now - window && signed_at <= now + window) return std::nullopt;
    const std::string minutes = std::to_string(window.count()) + " min.)";
    if (signed_at < now - window) {
        return invalid(signature_verdict::expired, "Signature expired: " + text_of(signed_at) +
                                                       " is now earlier than " + text_of(now - window) + " (" +
                                                       text_of(now) + " - " + minutes);
    }
    return invalid(signature_verdict::not_yet_current, "Signature not yet current: " + text_of(signed_at) +
                                                           " is still later than " + text_of(now + window) + " (" +
                                                           text_of(now) + " + " + minutes);
}

// Everything the header lacks in one message, as the service says it.
std::string what_lacks(const authorization& parts, bool dated) {
    std::string message;
    const auto require = [&](bool there, std::string_view words) {
        if (!there) message.append("Authorization header requires ").append(words).append(" ");
    };
    require(!parts.credential.empty(), "'Credential' parameter.");
    require(!parts.signature.empty(), "'Signature' parameter.");
    require(!parts.signed_headers.empty(), "'SignedHeaders' parameter.");
    require(dated, "existence of either a 'X-Amz-Date' or a 'Date' header.");
    return message;
}

constexpr std::string_view algorithm_parameter = "X-Amz-Algorithm";

/// @returns the value of the parameter, which may be empty; nothing if it is not there.
std::optional<std::string_view> parameter(std::string_view query, std::string_view name) {
    while (!query.empty()) {
        const auto end = query.find('&');
        const std::string_view part = query.substr(0, end);
        query.remove_prefix(end == std::string_view::npos ? query.size() : end + 1);
        const auto equals = part.find('=');
        if (part.substr(0, equals) != name) continue;
        return equals == std::string_view::npos ? std::string_view{} : part.substr(equals + 1);
    }
    return std::nullopt;
}

/// Signatures in the query are of browsers and of links that are passed on; no client of the service's makes them.
signature_check refuse_query(std::string_view query, bool has_header) {
    if (has_header) {
        return invalid(signature_verdict::wrong_signature,
                       "Found both 'X-Amz-Algorithm' as a query-string param and 'Authorization' as HTTP header.");
    }
    std::string lacks;
    for (const std::string_view name :
         {algorithm_parameter, std::string_view("X-Amz-Credential"), std::string_view("X-Amz-Signature"),
          std::string_view("X-Amz-SignedHeaders"), std::string_view("X-Amz-Date")}) {
        if (!parameter(query, name).value_or("").empty()) continue;
        lacks.append("AWS query-string parameters must include '").append(name).append("'. ");
    }
    return lacks.empty() ? mismatch() : incomplete(lacks + "Re-examine the query-string parameters.");
}

}  // namespace

struct signature_verifier::state {
    credentials accepted;
    std::string service;
    std::chrono::minutes window;
    sha256 hash{};
    signing_key_cache keys{};

    std::array<char, 64> signature(const request_view& request, std::vector<header_view> headers,
                                   const credential_parts& credential, std::string_view signed_at) {
        const auto body_hash = hex_of(hash.of(request.body));
        const canonical_form form =
            canonicalize(request, std::move(headers), true, {body_hash.data(), body_hash.size()});
        const std::string to_sign = string_to_sign(hash, signed_at, credential.scope_text, form.text);
        return hex_of(keys.get(hash, accepted.secret_access_key, credential.scope).sign(hash, to_sign));
    }
};

signature_verifier::signature_verifier(credentials accepted, std::string service, std::chrono::minutes window)
    : state_(std::make_unique<state>(state{std::move(accepted), std::move(service), window})) {}
signature_verifier::~signature_verifier() = default;
signature_verifier::signature_verifier(signature_verifier&&) noexcept = default;
signature_verifier& signature_verifier::operator=(signature_verifier&&) noexcept = default;

signature_check signature_verifier::check(const request_view& request, wall_time now) {
    const auto header = find_header(request, "authorization");
    if (parameter(request.query, algorithm_parameter)) return refuse_query(request.query, header.has_value());
    if (!header || !header->starts_with("AWS4-")) return missing();
    const std::string_view algorithm = header->substr(0, header->find(' '));
    const authorization parts = parse_authorization(header->substr(algorithm.size()));
    const auto amz_date = find_header(request, "x-amz-date");
    const auto http_date = find_header(request, "date");
    const std::string lacks = what_lacks(parts, amz_date || http_date);
    if (!lacks.empty()) return incomplete(lacks + "Authorization=" + std::string{*header});

    const auto signed_at = amz_date ? parse_amz_timestamp(*amz_date) : parse_http_date(*http_date);
    if (!signed_at) {
        return incomplete("Date must be in ISO-8601 'basic format'. Got '" +
                          std::string{amz_date ? *amz_date : *http_date} + "'.");
    }
    state& s = *state_;
    if (auto aged = judge_age(*signed_at, now, s.window)) return *aged;
    if (!names_contain(parts.signed_headers, "host")) {
        return invalid(signature_verdict::wrong_signature,
                       "'Host' or ':authority' must be a 'SignedHeader' in the AWS Authorization.");
    }
    if (algorithm != signing_algorithm) {
        return incomplete("Unsupported AWS 'algorithm': '" + std::string{algorithm} + "'.");
    }
    const auto credential = parse_credential(parts.credential);
    if (!credential) {
        return incomplete(
            "Credential must have exactly 5 slash-delimited elements, e.g. "
            "keyid/date/region/service/aws4_request, got '" +
            std::string{parts.credential} + "'.");
    }
    if (credential->scope.service != s.service) {
        return invalid(signature_verdict::wrong_signature,
                       "Credential should be scoped to correct service: '" + s.service + "'. ");
    }
    if (credential->key_id != s.accepted.access_key_id) return unknown_key();
    if (find_header(request, "x-amz-security-token").value_or("") != s.accepted.session_token) return unknown_key();
    const amz_timestamp timestamp{*signed_at};
    if (credential->scope.date != timestamp.date()) return mismatch();
    // Not x-amz-target: awscurl, and curl before its version 8, leave that unsigned, and are used with the service.
    if (amz_date && !names_contain(parts.signed_headers, "x-amz-date")) return mismatch();
    auto headers = pick(request, parts.signed_headers);
    if (headers.empty()) return mismatch();
    const auto is_signed = [&](std::vector<header_view> seen) {
        const auto expected = s.signature(request, std::move(seen), *credential, timestamp.text());
        return equal_in_constant_time({expected.data(), expected.size()}, parts.signature);
    };
    if (is_signed(headers)) return {};
    // Some clients send the port that they ask at, and do not sign it.
    return drop_port(headers) && is_signed(std::move(headers)) ? signature_check{} : mismatch();
}

}  // namespace dynalease::aws
