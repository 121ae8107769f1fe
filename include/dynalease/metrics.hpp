// What clients and sessions count, as text for Prometheus.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#pragma GCC visibility push(default)
namespace dynalease {

struct client_counters;
struct session_counters;
class histogram;

/// Tell apart the figures of one name: {{"session", "billing"}}. Values may be any UTF-8.
using metric_labels = std::map<std::string, std::string, std::less<>>;

/// Figures of one moment, written by Prometheus' conventions in its text format, 0.0.4: each name once with its help
/// and type, counters end in "_total", times are seconds.
///
///     dynalease::metrics page;
///     page.add(client.counters());
///     page.add(session.counters());
///     reply.set(http::field::content_type, page.content_type);
///     reply.body() = page.text();
///
/// Of several clients or sessions, add each with labels of its own: of two figures with one name and the same labels
/// the later stays. No I/O; not for two threads at once.
class metrics {
public:
    static constexpr const char* content_type = "text/plain; version=0.0.4; charset=utf-8";

    /// What a client has sent and met.
    void add(const client_counters& seen, const metric_labels& labels = {});
    /// What a session has held and lost.
    void add(const session_counters& seen, const metric_labels& labels = {});

    /// A figure of the application's own that only grows.
    /// @param name of letters, digits, '_' and ':', not beginning with a digit; a counter's ends in "_total".
    /// @throws dynalease::error with `errc::invalid_name` for such a name, or a label's (which has no ':'), that
    /// Prometheus does not take; with `errc::invalid_option` where the name already stands for the other type.
    void counter(std::string_view name, std::string_view help, double value, const metric_labels& labels = {});
    /// One that is so now. Names and errors as of `counter`.
    void gauge(std::string_view name, std::string_view help, double value, const metric_labels& labels = {});

    /// Times, as seconds in buckets. Errors as of `counter`; a name with an end of Prometheus' own for histograms
    /// ("_bucket", "_sum", "_count") is refused, too.
    void histogram(std::string_view name, std::string_view help, const dynalease::histogram& seen,
                   const metric_labels& labels = {});

    /// All of it, sorted by name.
    std::string text() const;

private:
    enum class type { counter, gauge, histogram };
    struct family {
        std::string help;
        type is;
        std::map<std::string, std::string> samples{};  ///< from the labels as text to the value, or to the lines
    };
    family& family_of(type is, std::string_view name, std::string_view help);
    void put(type is, std::string_view name, std::string_view help, double value, const metric_labels& labels);

    std::map<std::string, family, std::less<>> families_;
};

}  // namespace dynalease
#pragma GCC visibility pop
