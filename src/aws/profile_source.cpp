// Keys from a profile of the shared files.
#include "aws/credentials_source.hpp"
#include "aws/profile.hpp"
#include "aws/refusal.hpp"

#include <array>
#include <utility>

namespace dynalease::aws {

namespace {

struct other_way {
    std::string_view property;
    std::string_view name;
};

// What else a profile may say about where its keys come from.
constexpr std::array<other_way, 6> other_ways{{
    {"web_identity_token_file", "a web identity token"},
    {"sso_session", "single sign-on"},
    {"sso_start_url", "single sign-on"},
    {"login_session", "a login session"},
    {"credential_process", "an external process"},
    {"credential_source", "another source"},
}};

failure unsupported(const profile_location& where, std::string_view property, std::string_view way) {
    return refusal(
        errc::no_credentials,
        "profile '" + where.name + "' takes its credentials from " + std::string{way} + " (" + std::string{property} +
            "), which this library does not support",
        "put aws_access_key_id and aws_secret_access_key into the profile, or give the client a provider that "
        "fetches them");
}

class profile_keys final : public credentials_source {
public:
    profile_keys(config_source source, std::string wanted) : source_(std::move(source)), wanted_(std::move(wanted)) {}

    boost::asio::awaitable<result<shared_credentials>> fetch() override { co_return read(); }

    std::string describe() const override {
        const profile_location where = locate_profile(source_, wanted_);
        return "profile '" + where.name + "' of " + where.credentials_file + " and " + where.config_file;
    }

private:
    result<shared_credentials> read() const {
        const auto loaded = load_profile(source_, wanted_);
        if (!loaded) {
            failure why = loaded.error();
            why.code = make_error_code(errc::no_credentials);
            return why;
        }
        const config_section& properties = loaded->properties;
        const profile_location& where = loaded->location;
        // A role is assumed with the keys beside it, so those keys are not the profile's own.
        if (properties.contains("role_arn")) return unsupported(where, "role_arn", "an assumed role");
        const std::string id{value_of(properties, "aws_access_key_id")};
        const std::string secret{value_of(properties, "aws_secret_access_key")};
        if (id.empty() != secret.empty()) {
            const std::string_view lacking = id.empty() ? "aws_access_key_id" : "aws_secret_access_key";
            return refusal(errc::no_credentials, "profile '" + where.name + "' has no " + std::string{lacking},
                           "put both keys into the profile");
        }
        if (!id.empty()) {
            return std::make_shared<const credentials>(
                credentials{id, secret, std::string{value_of(properties, "aws_session_token")}, std::nullopt,
                            std::string{value_of(properties, "aws_account_id")}});
        }
        for (const auto& [property, way] : other_ways) {
            if (properties.contains(property)) return unsupported(where, property, way);
        }
        return shared_credentials{};
    }

    config_source source_;
    std::string wanted_;
};

}  // namespace

std::unique_ptr<credentials_source> profile_source(config_source source, std::string profile) {
    return std::make_unique<profile_keys>(std::move(source), std::move(profile));
}

}  // namespace dynalease::aws
