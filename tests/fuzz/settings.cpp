// All that a process is configured by: lines of environment variables, then after lines of dashes the configuration
// file, the credentials file, and any other.
// SPDX-License-Identifier: BSL-1.0
#include "fuzz/target.hpp"

#include "aws/config_source.hpp"
#include "aws/container.hpp"
#include "aws/imds.hpp"
#include "aws/profile_chain.hpp"
#include "aws/settings.hpp"

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <variant>

namespace {

using namespace dynalease;

std::string_view part(std::string_view& rest) {
    constexpr std::string_view border = "\n---\n";
    const auto at = rest.find(border);
    const auto out = rest.substr(0, at);
    rest.remove_prefix(at == std::string_view::npos ? rest.size() : at + border.size());
    return out;
}

struct process {
    std::map<std::string, std::string, std::less<>> variables{{"HOME", "/home"}};
    std::string config;
    std::string credentials;
    std::string other;

    explicit process(fuzz::input in) {
        auto rest = in.rest();
        const auto environment = part(rest);
        config = part(rest);
        credentials = part(rest);
        other = part(rest);
        fuzz::input lines(reinterpret_cast<const std::uint8_t*>(environment.data()), environment.size());
        while (!lines.rest().empty()) {
            const auto line = lines.line();
            const auto equals = line.find('=');
            if (equals == std::string_view::npos) continue;
            variables.insert_or_assign(std::string(line.substr(0, equals)), std::string(line.substr(equals + 1)));
        }
    }

    aws::config_source source() const {
        return {[this](std::string_view name) -> std::optional<std::string> {
                    const auto found = variables.find(name);
                    if (found == variables.end()) return std::nullopt;
                    return found->second;
                },
                [this](const std::string& path) -> result<std::optional<std::string>> {
                    if (path.ends_with("config")) return std::optional(config);
                    if (path.ends_with("credentials")) return std::optional(credentials);
                    return std::optional(other);
                },
                [] { return std::string("/account"); }};
    }
};

bool is_plain(std::string_view text) {
    return std::ranges::all_of(text, [](char c) { return c > ' ' && c < '\x7f'; });
}

void check_endpoint(const aws::endpoint& where) {
    fuzz::require(!where.host.empty() && is_plain(where.host), "a host can be named");
    fuzz::require(is_plain(where.host_header), "and stand in a header");
    fuzz::require(where.port != 0, "and has a port");
    fuzz::require(is_plain(where.signing_region), "a region can be signed for");
}

template <class T>
bool usable(const result<T>& got) {
    if (got) return true;
    fuzz::require(!got.error().details.message.empty(), "a refusal says why");
    return false;
}

void check_request(const aws::web_request& what) {
    check_endpoint(what.to);
    fuzz::require(is_plain(what.target) && what.target.starts_with('/'), "a target is one word");
    for (const auto& [name, value] : what.headers) {
        fuzz::require(value.find_first_of("\r\n") == std::string::npos, "a header is one line");
    }
}

void check_instance(const aws::imds_settings& settings) {
    aws::imds_path path(settings.role);
    path.begin();
    check_request(aws::imds_get(settings, path.path(), "token"));
}

void check_plan(const aws::key_plan& plan) {
    if (const auto* keys = std::get_if<credentials>(&plan.first)) {
        fuzz::require(!keys->access_key_id.empty() && !keys->secret_access_key.empty(), "keys are whole");
    }
    for (const auto& role : plan.roles) fuzz::require(!role.arn.empty(), "a role has a name");
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const process whole({data, size});
    const auto source = whole.source();
    const auto settings = aws::resolve_settings({}, source);
    if (usable(settings)) {
        check_endpoint(settings->endpoint);
        fuzz::require(!settings->endpoint.signing_region.empty(), "there is a region to sign for");
        fuzz::require(settings->attempts > 0, "and something is tried");
    }
    const auto container = aws::container_request(source);
    if (usable(container) && *container) check_request(**container);

    auto where = aws::locate_profile(source, "");
    const auto name = where.name;
    const auto files = aws::load_shared_config(source, where);
    if (!usable(files)) return 0;
    const auto plan = aws::plan_profile(*files, name);
    if (usable(plan) && *plan) check_plan(**plan);
    const auto profile = aws::select_profile(*files, std::move(where));
    if (!usable(profile)) return 0;
    const auto instance = aws::resolve_imds(source, *profile);
    if (usable(instance)) check_instance(*instance);
    const auto sts = aws::resolve_sts("", source, *profile);
    if (usable(sts)) check_endpoint(*sts);
    return 0;
}
