// A line-by-line parser of the shared files.
// SPDX-License-Identifier: BSL-1.0
#include "aws/shared_config.hpp"

#include "aws/refusal.hpp"
#include "aws/text.hpp"

#include <optional>
#include <utility>

namespace dynalease::aws {

namespace {

enum class file_kind { config, credentials };

bool valid_name(std::string_view name) noexcept {
    constexpr std::string_view also = "_-/.%@:+";
    for (const char c : name) {
        if (!is_alphanumeric(c) && also.find(c) == std::string_view::npos) return false;
    }
    return !name.empty();
}

bool starts_comment(char c) noexcept {
    return c == '#' || c == ';';
}

// A comment within a property's line needs a blank before it: `value;x` is a value.
std::string_view without_comment(std::string_view line) noexcept {
    for (std::size_t i = 1; i < line.size(); ++i) {
        if (starts_comment(line[i]) && is_blank(line[i - 1])) return line.substr(0, i);
    }
    return line;
}

class parser {
public:
    parser(file_kind kind, config_text input) : kind_(kind), input_(input) {}

    result<shared_config> run() {
        std::string_view rest = input_.text;
        while (!rest.empty() && !problem_) {
            const auto end = rest.find('\n');
            ++line_number_;
            read(rest.substr(0, end));
            rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
        }
        if (problem_) return std::move(*problem_);
        // `[profile default]` replaces `[default]` altogether, wherever it stands.
        if (plain_default_ && !out_.profiles.contains("default")) {
            out_.profiles.emplace("default", std::move(*plain_default_));
        }
        return std::move(out_);
    }

private:
    void read(std::string_view line) {
        const std::string_view content = trim(line);
        if (content.empty() || starts_comment(line.front())) return;
        if (line.front() == '[') {
            read_section(content);
        } else if (is_blank(line.front())) {
            // Nothing to continue: an indented comment is still a comment.
            if (property_ == nullptr && starts_comment(content.front())) return;
            read_continuation(content);
        } else {
            read_property(line);
        }
    }

    void read_section(std::string_view line) {
        property_ = nullptr;
        const auto end = line.find(']');
        const std::string_view after = end == std::string_view::npos ? "?" : trim(line.substr(end + 1));
        if (!after.empty() && !starts_comment(after.front())) return fail("Section definition must end with ']'");
        section_ = select(trim(line.substr(1, end - 1)));
    }

    // Where the properties of a section go; those of a section to be left out go to `ignored_section_`.
    config_section* select(std::string_view title) {
        ignored_section_.clear();
        if (kind_ == file_kind::credentials) {
            return valid_name(title) ? &out_.profiles[std::string{title}] : &ignored_section_;
        }
        if (title == "default") {
            if (!plain_default_) plain_default_.emplace();
            return &*plain_default_;
        }
        std::size_t word = 0;
        while (word < title.size() && !is_blank(title[word])) ++word;
        const std::string_view name = trim(title.substr(word));
        if (!valid_name(name)) return &ignored_section_;
        const std::string_view type = title.substr(0, word);
        if (type == "profile") return &out_.profiles[std::string{name}];
        if (type == "sso-session") return &out_.sso_sessions[std::string{name}];
        if (type == "services") return &out_.services[std::string{name}];
        return &ignored_section_;
    }

    void read_property(std::string_view line) {
        if (section_ == nullptr) return fail("Expected a section definition, found property");
        const std::string_view definition = without_comment(line);
        const auto equals = definition.find('=');
        if (equals == std::string_view::npos) return fail("Expected an '=' sign defining a property");
        const std::string_view name = trim(definition.substr(0, equals));
        if (name.empty()) return fail("Property did not have a name");
        property_ = valid_name(name) ? &(*section_)[lower(name)] : &ignored_property_;
        *property_ = {std::string{trim(definition.substr(equals + 1))}};
        opens_nested_ = property_->value.empty();
    }

    void read_continuation(std::string_view content) {
        if (section_ == nullptr) return fail("Expected a section definition, found continuation");
        if (property_ == nullptr) return fail("Expected a property definition, found continuation");
        if (!opens_nested_) {
            property_->value.append("\n").append(content);
            return;
        }
        const auto equals = content.find('=');
        if (equals == std::string_view::npos) return fail("Expected an '=' sign defining a property in sub-property");
        const std::string_view name = trim(content.substr(0, equals));
        if (name.empty()) return fail("Property did not have a name in sub-property");
        if (valid_name(name)) property_->nested[lower(name)] = trim(content.substr(equals + 1));
    }

    void fail(std::string_view what) {
        std::string message{input_.name};
        message.append(", line ").append(std::to_string(line_number_)).append(": ").append(what);
        problem_ = refusal(errc::invalid_option, std::move(message), "correct that line");
    }

    file_kind kind_;
    config_text input_;
    shared_config out_{};
    std::optional<config_section> plain_default_{};
    config_section ignored_section_{};
    config_property ignored_property_{};
    config_section* section_ = nullptr;
    config_property* property_ = nullptr;
    bool opens_nested_ = false;
    std::size_t line_number_ = 0;
    std::optional<failure> problem_{};
};

}  // namespace

result<shared_config> parse_shared_config(config_text config, config_text credentials) {
    auto merged = parser{file_kind::config, config}.run();
    if (!merged) return merged;
    auto keys = parser{file_kind::credentials, credentials}.run();
    if (!keys) return keys;
    for (auto& [name, section] : keys->profiles) {
        config_section& target = merged->profiles[name];
        for (auto& [key, property] : section) target.insert_or_assign(key, std::move(property));
    }
    return merged;
}

std::string_view value_of(const config_section& section, std::string_view property) {
    const auto found = section.find(property);
    return found == section.end() ? std::string_view{} : trim(found->second.value);
}

}  // namespace dynalease::aws
