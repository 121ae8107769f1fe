// Which figure goes by which name, and the text format.
// SPDX-License-Identifier: BSL-1.0
#include <dynalease/metrics.hpp>

#include <dynalease/client.hpp>
#include <dynalease/error.hpp>
#include <dynalease/histogram.hpp>
#include <dynalease/session/counters.hpp>

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <cmath>
#include <utility>

namespace dynalease {

namespace {

bool is_letter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}
bool is_name(std::string_view text, bool with_colons) {
    const auto fits = [&](char c) { return is_letter(c) || (c >= '0' && c <= '9') || (with_colons && c == ':'); };
    return !text.empty() && std::ranges::all_of(text, fits) && !(text.front() >= '0' && text.front() <= '9');
}

[[noreturn]] void refuse(errc code, std::string_view name, const char* why) {
    diagnostics details;
    details.operation = "metrics";
    details.key = std::string(name);
    details.message = why;
    throw error(code, std::move(details));
}

std::string escaped(std::string_view text, bool in_quotes) {
    std::string out;
    for (const char c : text) {
        if (c == '\n') {
            out += "\\n";
            continue;
        }
        if (c == '\\' || (in_quotes && c == '"')) out += '\\';
        out += c;
    }
    return out;
}

std::string text_of(const metric_labels& labels) {
    std::string out;
    for (const auto& [name, value] : labels) {
        if (!is_name(name, false)) refuse(errc::invalid_name, name, "is no name of a label");
        out += (out.empty() ? "{" : ",") + name + "=\"" + escaped(value, true) + "\"";
    }
    return out.empty() ? out : out + "}";
}

std::string text_of(double value) {
    if (std::isnan(value)) return "NaN";
    if (std::isinf(value)) return value < 0 ? "-Inf" : "+Inf";
    std::array<char, 32> digits;
    const auto [end, failure] = std::to_chars(digits.data(), digits.data() + digits.size(), value);
    return failure == std::errc{} ? std::string(digits.data(), end) : "NaN";
}

double seconds(std::chrono::nanoseconds time) {
    return std::chrono::duration<double>(time).count();
}

/// The counts of a session or a client, as the numbers that Prometheus knows.
double plain(std::uint64_t count) {
    return static_cast<double>(count);
}

metric_labels with(metric_labels labels, const char* name, std::string value) {
    labels.insert_or_assign(name, std::move(value));
    return labels;
}

}  // namespace

metrics::family& metrics::family_of(type is, std::string_view name, std::string_view help) {
    if (!is_name(name, true))
        refuse(errc::invalid_name, name, "this is no name of a metric: letters, digits, _ and :, and no digit first");
    if (is == type::counter && !name.ends_with("_total")) refuse(errc::invalid_name, name, "a counter ends in _total");
    for (const std::string_view end : {"_bucket", "_sum", "_count"}) {
        if (is == type::histogram && name.ends_with(end)) refuse(errc::invalid_name, name, "ends as a part of one");
    }
    auto& known = families_.try_emplace(std::string(name), family{std::string(help), is}).first->second;
    if (known.is != is) refuse(errc::invalid_option, name, "is of another type already");
    return known;
}

void metrics::put(type is, std::string_view name, std::string_view help, double value, const metric_labels& labels) {
    auto under = text_of(labels);
    family_of(is, name, help).samples.insert_or_assign(std::move(under), text_of(value));
}

void metrics::histogram(std::string_view name, std::string_view help, const dynalease::histogram& seen,
                        const metric_labels& labels) {
    const std::string under = text_of(labels);
    const std::string base(name);
    std::string lines;
    std::uint64_t within = 0;
    for (std::size_t i = 0; i < seen.buckets().size(); ++i) {
        within += seen.buckets()[i];
        const bool is_last = i == dynalease::histogram::bounds.size();
        const auto bound = is_last ? "+Inf" : text_of(dynalease::histogram::bounds[i]);
        lines += base + "_bucket" + text_of(with(labels, "le", bound)) + " " + text_of(plain(within)) + "\n";
    }
    lines += base + "_sum" + under + " " + text_of(seconds(seen.sum())) + "\n";
    lines += base + "_count" + under + " " + text_of(plain(seen.count())) + "\n";
    family_of(type::histogram, name, help).samples.insert_or_assign(under, std::move(lines));
}

void metrics::counter(std::string_view name, std::string_view help, double value, const metric_labels& labels) {
    put(type::counter, name, help, value, labels);
}
void metrics::gauge(std::string_view name, std::string_view help, double value, const metric_labels& labels) {
    put(type::gauge, name, help, value, labels);
}

void metrics::add(const client_counters& seen, const metric_labels& labels) {
    for (const auto& [operation, counted] : seen.operations) {
        const auto of = with(labels, "operation", operation);
        counter("dynalease_request_attempts_total", "Requests that were sent or tried.", plain(counted.attempts), of);
        const auto ended = [&](const char* how, std::uint64_t count) {
            counter("dynalease_requests_total", "Requests by what is known of them.", plain(count),
                    with(of, "outcome", how));
        };
        ended("applied", counted.applied);
        ended("not_applied", counted.not_applied);
        ended("unknown", counted.unknown);
        histogram("dynalease_request_seconds",
                  "Requests, each attempt, until the answer or the end of the wait for it.", counted.latency, of);
    }
    counter("dynalease_retries_total", "Attempts after the first of a call.", plain(seen.retries), labels);
    counter("dynalease_throttled_total", "Answers that asked to slow down.", plain(seen.throttled), labels);
    counter("dynalease_bad_checksums_total", "Answers whose checksum was wrong.", plain(seen.bad_checksums), labels);
    counter("dynalease_clock_corrections_total", "Corrections of the clock by the service's.",
            plain(seen.skew_corrections), labels);
    counter("dynalease_connections_opened_total", "Connections that were opened.", plain(seen.connections_opened),
            labels);
    counter("dynalease_connections_reused_total", "Requests on a connection that was open.",
            plain(seen.connections_reused), labels);
    gauge("dynalease_connections_open", "Connections that are open.", plain(seen.connections_open), labels);
    gauge("dynalease_requests_waiting", "Requests that wait for a connection.", plain(seen.requests_waiting), labels);
}

void metrics::add(const session_counters& seen, const metric_labels& labels) {
    counter("dynalease_heartbeats_sent_total", "Heartbeats that were sent.", plain(seen.heartbeats_sent), labels);
    counter("dynalease_heartbeats_acknowledged_total", "Heartbeats that were answered.",
            plain(seen.heartbeats_acknowledged), labels);
    counter("dynalease_heartbeats_unanswered_total", "Heartbeats without an answer.", plain(seen.heartbeats_unanswered),
            labels);
    gauge("dynalease_heartbeat_worst_delay_seconds", "The longest delay of any heartbeat so far.",
          seconds(seen.worst_heartbeat_delay), labels);
    counter("dynalease_jeopardies_total", "Times that a lease was in jeopardy.", plain(seen.jeopardies), labels);
    counter("dynalease_sessions_lost_total", "Lives of the session that ended by a loss.", plain(seen.lives_lost),
            labels);
    counter("dynalease_locks_acquired_total", "Grants of locks and turns.", plain(seen.acquired), labels);
    counter("dynalease_locks_handed_over_total", "Grants passed on inside the process.", plain(seen.hand_overs),
            labels);
    counter("dynalease_locks_taken_over_total", "Grants taken from a session that was over.", plain(seen.take_overs),
            labels);
    counter("dynalease_locks_recognised_total", "Grants learnt from the row, their answer having been lost.",
            plain(seen.own_copies), labels);
    counter("dynalease_locks_released_total", "Guards given back.", plain(seen.released), labels);
    counter("dynalease_locks_lost_total", "Guards that became invalid before they were released.", plain(seen.lost),
            labels);
    counter("dynalease_sessions_marked_dead_total", "Sessions of others that were found dead.", plain(seen.marked_dead),
            labels);
    counter("dynalease_unknown_writes_total", "Writes of locks without an answer.", plain(seen.unknown_writes), labels);
    const auto resolved = [&](const char* how, std::uint64_t count) {
        counter("dynalease_unknown_writes_resolved_total", "Writes without an answer, by what became of them.",
                plain(count), with(labels, "outcome", how));
    };
    resolved("applied", seen.unknown_applied);
    resolved("void", seen.unknown_void);
    gauge("dynalease_leases_held", "Locks and turns that are held.", plain(seen.leases_held), labels);
    gauge("dynalease_callers_waiting", "Callers that wait for a lock.", plain(seen.waiting), labels);
    using enum session_state;
    constexpr std::pair<session_state, const char*> states[] = {{idle, "idle"}, {opening, "opening"},
                                                                {live, "live"}, {jeopardy, "jeopardy"},
                                                                {lost, "lost"}, {closed, "closed"}};
    for (const auto& [state, word] : states) {
        gauge("dynalease_session_state", "1 for the state that the session is in.", seen.state == state ? 1 : 0,
              with(labels, "state", word));
    }
    gauge("dynalease_claims_resolving", "Attempts that are resolved in the background.", plain(seen.resolving), labels);
    const auto waited = [&](const char* how, const dynalease::histogram& times) {
        histogram("dynalease_acquire_wait_seconds", "Waits for locks, turns and items that are over.", times,
                  with(labels, "outcome", how));
    };
    waited("granted", seen.waits_granted);
    waited("in_vain", seen.waits_in_vain);
    histogram("dynalease_hold_seconds", "From a grant until its guard was invalid.", seen.holds, labels);
    histogram("dynalease_heartbeat_delay_seconds", "How late heartbeats left.", seen.heartbeat_delays, labels);
    histogram("dynalease_heartbeat_answer_seconds", "How long heartbeats waited for their answers.",
              seen.heartbeat_answers, labels);
}

std::string metrics::text() const {
    std::string out;
    for (const auto& [name, all] : families_) {
        out += "# HELP " + name + " " + escaped(all.help, false) + "\n";
        const char* const types[] = {"counter", "gauge", "histogram"};
        out += "# TYPE " + name + " " + types[static_cast<std::size_t>(all.is)] + "\n";
        for (const auto& [labels, value] : all.samples) {
            out += all.is == type::histogram ? value : name + labels + " " + value + "\n";
        }
    }
    return out;
}

}  // namespace dynalease
