// Following a profile to its keys.
// SPDX-License-Identifier: BSL-1.0
#include "aws/profile_chain.hpp"

#include "aws/refusal.hpp"
#include "aws/text.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <set>
#include <string_view>
#include <utility>

namespace dynalease::aws {

namespace {

constexpr std::array<std::string_view, 6> sso_properties{"sso_session", "sso_start_url", "sso_account_id",
                                                         "sso_region",  "sso_role_name", "login_session"};

class planner {
public:
    explicit planner(const shared_config& files) : files_(files) {}

    result<std::optional<key_plan>> plan(const std::string& name) {
        if (!follow(name)) return std::move(*problem_);
        // A role that needs other keys first comes after them.
        std::reverse(plan_.roles.begin(), plan_.roles.end());
        if (!has_first_) return std::optional<key_plan>{};
        return std::optional{std::move(plan_)};
    }

private:
    using section = config_section;

    // False: there is a problem.
    bool follow(const std::string& selected) {
        std::set<std::string> seen;
        std::string name = selected;
        for (;;) {
            const auto found = files_.profiles.find(name);
            if (found == files_.profiles.end()) {
                return seen.empty() || fail(selected, "leads to profile '" + name + "', which does not exist");
            }
            if (!seen.insert(name).second) return fail(selected, "leads back to itself by source_profile");
            const section& at = found->second;
            const bool is_source = seen.size() > 1;
            if (is_source && has_keys(at)) return static_keys(name, at);
            if (!has(at, "role_arn") || has(at, "web_identity_token_file")) {
                if (!first_keys(name, at)) return false;
                return has_first_ || !is_source || fail(name, "says nothing of keys, and another has it as its source");
            }
            if (!add_role(name, at)) return false;
            const auto source = value_of(at, "source_profile");
            const auto named = value_of(at, "credential_source");
            if (source.empty() == named.empty()) {
                return fail(name, source.empty() ? "has a role_arn, and neither source_profile nor credential_source"
                                                 : "has both source_profile and credential_source");
            }
            if (!named.empty()) return named_first(name, named);
            if (source == name) return static_keys(name, at);
            name = source;
        }
    }

    bool add_role(const std::string& name, const section& at) {
        if (has(at, "mfa_serial")) {
            return fail(name, "needs a code typed by a person (mfa_serial)",
                        "fetch keys by hand and put them into a profile, or use credential_process");
        }
        assumed_role added{std::string{value_of(at, "role_arn")}, std::string{value_of(at, "role_session_name")},
                           std::string{value_of(at, "external_id")}};
        const auto text = value_of(at, "duration_seconds");
        if (!text.empty()) {
            unsigned seconds = 0;
            const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), seconds);
            if (error != std::errc{} || end != text.data() + text.size()) {
                return fail(name, "has a duration_seconds that is no number");
            }
            added.duration = std::chrono::seconds{seconds};
        }
        plan_.roles.push_back(std::move(added));
        return true;
    }

    bool named_first(const std::string& name, std::string_view source) {
        if (source == "Environment") return first(named_source::environment);
        if (source == "Ec2InstanceMetadata") return first(named_source::instance);
        if (source == "EcsContainer") return first(named_source::container);
        return fail(name, "has credential_source = " + std::string{source},
                    "write Environment, Ec2InstanceMetadata or EcsContainer");
    }

    bool first_keys(const std::string& name, const section& at) {
        if (has(at, "web_identity_token_file")) {
            if (!has(at, "role_arn")) return fail(name, "has web_identity_token_file, but no role_arn");
            return first(web_identity{std::string{value_of(at, "role_arn")},
                                      std::string{value_of(at, "web_identity_token_file")},
                                      std::string{value_of(at, "role_session_name")}});
        }
        if (has_keys(at) || has(at, "aws_access_key_id") || has(at, "aws_secret_access_key")) {
            return static_keys(name, at);
        }
        if (has(at, "credential_process")) {
            return first(external_process{std::string{value_of(at, "credential_process")},
                                          std::string{value_of(at, "aws_account_id")}});
        }
        for (const auto property : sso_properties) {
            if (!has(at, property)) continue;
            return fail(name,
                        "takes its keys from single sign-on (" + std::string{property} +
                            "), which needs a browser and is not built in",
                        "add credential_process = aws configure export-credentials --profile " + name +
                            " to a profile of its own, and choose that one");
        }
        return true;
    }

    bool static_keys(const std::string& name, const section& at) {
        if (!has_keys(at)) {
            const bool no_id = !has(at, "aws_access_key_id");
            return fail(name, std::string{"has no "} + (no_id ? "aws_access_key_id" : "aws_secret_access_key"),
                        "put both keys into the profile");
        }
        return first(credentials{
            std::string{value_of(at, "aws_access_key_id")}, std::string{value_of(at, "aws_secret_access_key")},
            std::string{value_of(at, "aws_session_token")}, std::nullopt, std::string{value_of(at, "aws_account_id")}});
    }

    template <class First>
    bool first(First keys) {
        plan_.first = std::move(keys);
        has_first_ = true;
        return true;
    }

    static bool has(const section& at, std::string_view property) { return !value_of(at, property).empty(); }
    static bool has_keys(const section& at) { return has(at, "aws_access_key_id") && has(at, "aws_secret_access_key"); }

    bool fail(const std::string& name, const std::string& what, std::string advice = "correct the profile") {
        problem_ = refusal(errc::no_credentials, "profile '" + name + "' " + what, std::move(advice));
        return false;
    }

    const shared_config& files_;
    key_plan plan_{};
    bool has_first_ = false;
    std::optional<failure> problem_{};
};

}  // namespace

result<std::optional<key_plan>> plan_profile(const shared_config& files, const std::string& name) {
    return planner{files}.plan(name);
}

}  // namespace dynalease::aws
