// The real database: a signed, pooled, retrying DynamoDB client over HTTP.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <dynalease/aws/credentials.hpp>
#include <dynalease/aws/credentials_provider.hpp>
#include <dynalease/detail/braced.hpp>
#include <dynalease/dynamodb/database.hpp>
#include <dynalease/histogram.hpp>
#include <dynalease/log.hpp>

#include <boost/asio/any_io_executor.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>

namespace boost::asio::ssl {
class context;
}  // namespace boost::asio::ssl

#pragma GCC visibility push(default)
namespace dynalease {

/// Region, endpoint, attempts and authorities that are not set here come from the environment, then from the profile in
/// the shared files: AWS_CONFIG_FILE (or ~/.aws/config) and AWS_SHARED_CREDENTIALS_FILE (or ~/.aws/credentials). They
/// are read once, when the client is made.
struct client_options {
    /// "eu-central-1"; empty: AWS_REGION, AWS_DEFAULT_REGION, then the profile's. A custom endpoint needs one, too, for
    /// the signature.
    detail::braced<std::string> region{};
    /// "http://127.0.0.1:8000"; empty: AWS_ENDPOINT_URL_DYNAMODB, AWS_ENDPOINT_URL, the profile's, unless
    /// AWS_IGNORE_CONFIGURED_ENDPOINT_URLS is true; then AWS itself.
    ///
    /// AWS itself is the region's endpoint, with AWS_USE_FIPS_ENDPOINT and AWS_USE_DUALSTACK_ENDPOINT heeded. With
    /// AWS_ACCOUNT_ID_ENDPOINT_MODE set to `preferred` or `required` it is the account's own
    /// (`123456789012.ddb.eu-central-1.amazonaws.com`), if the account is known when the client is made: by
    /// `credentials`, AWS_ACCOUNT_ID or the profile. Unset, the region's endpoint serves every account.
    detail::braced<std::string> endpoint{};
    /// Fixed keys; empty: `provider`, or without one what `default_credentials` finds: the environment, the shared
    /// files, web identity, the container, the instance (`aws/providers.hpp` tells more). Nothing is asked before the
    /// first request.
    std::optional<dynalease::credentials> credentials{};
    /// A source of credentials of your own, or one shared by several clients.
    detail::braced<std::shared_ptr<credentials_provider>> provider{};
    /// The profile of the shared files; empty: AWS_PROFILE, then "default".
    detail::braced<std::string> profile{};
    /// A role to take on with those keys, whatever their source, by STS; fetched anew ahead of its end.
    std::optional<assumed_role> role{};

    /// For a whole call with its retries. A day at most, as the times below.
    std::chrono::milliseconds timeout{5000};
    /// For one attempt, from the moment it is written to its last byte.
    std::chrono::milliseconds attempt_timeout{1000};
    /// For name resolution, connection and TLS handshake together. Addresses are tried one after the other, each but
    /// the last for half of what is left. Each connection shakes hands anew, for no TLS session is resumed, and is
    /// closed without a farewell.
    std::chrono::milliseconds connect_timeout{1000};
    /// At most so many attempts of one call; 0: AWS_MAX_ATTEMPTS, then 4, DynamoDB's own default.
    unsigned attempts = 0;

    /// Connections for ordinary requests; more requests than that wait in line. At least 1.
    std::size_t connections = 64;
    /// Requests that may wait while all connections are in use, or for keys; one more fails at once: `errc::throttled`.
    std::size_t waiting = 100'000;
    /// An idle connection is not used again after this long; it is closed when the client is used next.
    std::chrono::seconds idle_limit{30};

    /// Check the server's certificate and its name. Off only for a server of your own.
    bool verify_tls = true;
    /// PEM file of certificate authorities to trust in place of the system's, or a directory of such under the hashes
    /// of their names; empty: AWS_CA_BUNDLE, then the system's. Read once.
    detail::braced<std::string> ca_file{};
    /// In place of a context that is made from the two above: with a client's certificate, other versions or ciphers,
    /// or a store of your own. Whether it verifies is its own choice; if so, the server's name is insisted on, too. For
    /// DynamoDB alone, not for sources of credentials. Not to be changed any more.
    detail::braced<std::shared_ptr<boost::asio::ssl::context>> tls{};
    /// The proxy through which https endpoints are reached, by CONNECT: "http://user:password@host:port", "none", or
    /// empty: https_proxy, HTTPS_PROXY, but for hosts that no_proxy or NO_PROXY lists ("*" is all, ".example.com" a
    /// domain, a port may follow). STS goes the same way. This machine, its link, where instances and containers get
    /// their keys, and endpoints without TLS are always asked directly.
    detail::braced<std::string> proxy{};
    /// What requests call this program in their User-Agent, beside the library and its version, as the SDKs do: its
    /// first 50 characters, with "-" for those that may not stand there. Empty: AWS_SDK_UA_APP_ID, the profile's
    /// `sdk_ua_app_id`, else nothing.
    detail::braced<std::string> application{};

    /// Told of attempts that fail and are made again (warnings), and of calls that fail for other reasons than what
    /// they ask (errors); of those that fail alike, by operation, attempt and cause, once a second. The next one says
    /// how many were left out.
    detail::braced_hook<log_hook> log{};
};

/// What a client has done, for metrics. Counters only grow.
struct client_counters {
    struct per_operation {
        std::uint64_t attempts = 0;     ///< requests sent or tried
        std::uint64_t applied = 0;      ///< acknowledged
        std::uint64_t not_applied = 0;  ///< refused, throttled, or never written
        std::uint64_t unknown = 0;      ///< sent without a usable answer
        histogram latency{};            ///< of what was sent, to the answer or the end of the wait for it
    };
    std::map<std::string, per_operation, std::less<>> operations;  ///< by name: "UpdateItem"
    std::uint64_t retries = 0;
    std::uint64_t throttled = 0;
    std::uint64_t bad_checksums = 0;
    std::uint64_t skew_corrections = 0;
    std::uint64_t connections_opened = 0;
    std::uint64_t connections_reused = 0;
    std::uint64_t connections_open = 0;  ///< now
    std::uint64_t requests_waiting = 0;  ///< now
};

/// Calls are tried again as AWS's `standard` retry mode has it, whatever AWS_RETRY_MODE says. Answers are read on the
/// client's executor: one of 25 MB, a full BatchGetItem of small values, keeps it busy for a second or so. While a
/// server is away it is tried ten times a second.
///
/// A name is looked up on a thread of the system's making, which may outlive the client and its context, but touches
/// neither then. In a child of `fork`, once its context was told (`notify_fork`), the client opens connections of its
/// own, and the calls that were under way end with `errc::shut_down` or in doubt: they are the parent's. Of its updates
/// and transactions, too, nothing more is sent there.
class client : public database {
public:
    /// Costs nothing until the first request.
    /// @throws dynalease::error with `errc::invalid_option` when an option is out of range, the endpoint is no URL,
    /// no region is known, or a named profile or file is malformed.
    client(const boost::asio::any_io_executor& executor, client_options options);
    /// Region, endpoint and keys as AWS tools find them.
    explicit client(const boost::asio::any_io_executor& executor);
    /// Only gives up this handle: the connections close with the last one who uses them, such as a session that is
    /// still giving back its locks.
    ~client();
    client(client&&) noexcept = default;
    client& operator=(client&& other) noexcept;

    /// Any thread; each figure is that of a moment of its own.
    client_counters counters() const;

    /// Fails what waits with `errc::shut_down`, cancels what is on the wire, closes every connection, whoever else uses
    /// them: a session on it is lost at its next request. Idempotent.
    void close() noexcept;

private:
    class backend;
    explicit client(std::shared_ptr<backend> backend);
    std::shared_ptr<backend> backend_;
};

}  // namespace dynalease
#pragma GCC visibility pop
