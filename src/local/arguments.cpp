// Reading the command line.
// SPDX-License-Identifier: BSL-1.0
#include "local/arguments.hpp"

#include <dynalease/dynamodb/attribute_value.hpp>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <optional>

namespace dynalease::local {

namespace {

template <class Integer>
std::optional<Integer> parse_number(std::string_view text) {
    Integer value{};
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (text.empty() || error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
    return value;
}

double* rate_named(server_options& options, std::string_view name) {
    if (name == "--throttle") return &options.faults.throttled;
    if (name == "--fail") return &options.faults.failed;
    if (name == "--conflict") return &options.faults.conflicting;
    return nullptr;
}

/// @returns what is wrong with the value; empty: nothing.
std::string apply(arguments& all, std::string_view name, std::string_view value) {
    server_options& options = all.options;
    if (name == "--port") {
        const auto port = parse_number<std::uint16_t>(value);
        if (!port) return "--port takes a number from 0 to 65535";
        options.port = *port;
        all.has_port = true;
    } else if (name == "--latency") {
        constexpr std::uint32_t longest = 60'000;
        const auto milliseconds = parse_number<std::uint32_t>(value);
        if (!milliseconds || *milliseconds > longest) return "--latency takes milliseconds from 0 to 60000";
        options.latency = std::chrono::milliseconds(*milliseconds);
    } else if (double* rate = rate_named(options, name)) {
        const auto share = number::parse(value);
        if (!share || *share < 0 || *share > 1) return std::string(name) + " takes a share from 0 to 1";
        *rate = share->to_double();
    } else if (name == "--seed") {
        const auto seed = parse_number<std::uint64_t>(value);
        if (!seed) return "--seed takes a number";
        options.faults.seed = *seed;
    } else if (value.empty()) {
        return std::string(name) + " must not be empty";
    } else if (name == "--address") {
        options.address = value;
    } else if (name == "--access-key") {
        options.access_key = value;
    } else if (name == "--secret-key") {
        options.secret_key = value;
    } else if (name == "--cors") {
        options.cors = value;
    } else if (name == "--file") {
        all.file = value;
    }
    return {};
}

bool takes_value(std::string_view name) {
    constexpr std::array<std::string_view, 11> names{"--port",       "--address",    "--latency",  "--cors",
                                                     "--access-key", "--secret-key", "--throttle", "--fail",
                                                     "--conflict",   "--seed",       "--file"};
    return std::ranges::find(names, name) != names.end();
}

}  // namespace

arguments parse_arguments(std::span<const char* const> words, const char* secret_key) {
    arguments result;
    if (secret_key != nullptr && *secret_key != '\0') result.options.secret_key = secret_key;
    for (std::size_t i = 0; i < words.size() && result.fault.empty(); ++i) {
        const std::string_view word = words[i];
        const std::size_t equals = word.find('=');
        const std::string_view name = word.substr(0, equals);
        if (word == "--help") {
            result.help = true;
        } else if (word == "--version") {
            result.version = true;
        } else if (word == "--anyone") {
            result.options.anyone = true;
        } else if (word == "--older-words") {
            result.options.older_words = true;
        } else if (!takes_value(name)) {
            result.fault = "unknown argument " + std::string(word);
        } else if (equals != std::string_view::npos) {
            result.fault = apply(result, name, word.substr(equals + 1));
        } else if (i + 1 == words.size()) {
            result.fault = std::string(name) + " wants a value";
        } else {
            result.fault = apply(result, name, words[++i]);
        }
    }
    return result;
}

std::string warning_of(const server_options& options) {
    const server_options plain;
    const bool is_own =
        options.address.starts_with("127.") || options.address == "::1" || options.address == "localhost";
    if (is_own) return {};
    if (options.anyone) return "whoever reaches " + options.address + " may do anything: --anyone checks no signature";
    if (options.access_key != plain.access_key || options.secret_key != plain.secret_key) return {};
    return "whoever reaches " + options.address +
           " may do anything: --access-key and --secret-key are the ones that everybody knows";
}

std::string_view help_text() noexcept {
    return "usage: dynalease-local [--port N] [--address IP] [--access-key KEY] [--secret-key KEY] [--anyone]\n"
           "                       [--cors ORIGIN|none] [--latency MS] [--throttle SHARE] [--fail SHARE]\n"
           "                       [--conflict SHARE] [--seed N] [--file PATH] [--older-words]\n"
           "\n"
           "A DynamoDB in memory, for tests and demonstrations. Prints `listening on http://ADDRESS:PORT`\n"
           "and serves until SIGTERM or SIGINT. All tables are gone then, unless they are kept in a file.\n"
           "One database for all: tables are the same in whatever Region, and for whatever key, a client asks.\n"
           "\n"
           "  --port N          listen there; 0: on any free port; default: 8000, or any free port when it is taken\n"
           "  --address IP      on this address; default: 127.0.0.1, which localhost means too. 0.0.0.0 is all of "
           "them,\n"
           "                    as a container needs; then the keys are the only guard\n"
           "  --file PATH       keep the tables in this file, and serve those that are in it. What was answered "
           "outlives\n"
           "                    the program, however it ends; a failure of power may cost the last moments\n"
           "  --access-key KEY  the access key requests must be signed with; default: local\n"
           "  --secret-key KEY  its secret; default: DYNALEASE_LOCAL_SECRET_KEY of the environment, which others do "
           "not\n"
           "                    see in the list of processes, or local\n"
           "  --anyone          take every request, signed or not\n"
           "  --cors ORIGIN     let pages of this origin ask from a browser, or with none no page; default: *, all of\n"
           "                    them, as AWS does\n"
           "  --latency MS      wait so long before each answer; default: 0. Writes that meet a transaction\n"
           "                    meanwhile conflict with it, as on AWS\n"
           "  --throttle SHARE  refuse this share of requests about items, from 0 to 1, as throttled\n"
           "  --fail SHARE      answer this share with status 500: one half done, the other not\n"
           "  --conflict SHARE  refuse this share of writes and transactions for a conflict\n"
           "  --seed N          which requests those are; default: 1\n"
           "  --older-words     refuse requests in the words that AWS had before June 2026\n"
           "  --version         print the version\n"
           "  --help            print this\n";
}

}  // namespace dynalease::local
