// Certificates made on the spot, so that no test data ever expires.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <boost/asio/ssl/context.hpp>

#include <memory>
#include <string>

namespace support {

/// A certificate authority of its own.
class authority {
public:
    authority();
    ~authority();

    /// The authority's own certificate as a PEM file that lives as long as this object.
    const std::string& pem_file() const noexcept { return pem_file_; }

    /// A server with a certificate for `name`, a DNS name or a numeric address.
    /// @param first_day and last_day relative to today
    std::shared_ptr<boost::asio::ssl::context> server_for(const std::string& name, int first_day = -1,
                                                          int last_day = 1) const;

private:
    struct keys;
    std::unique_ptr<keys> keys_;
    std::string pem_file_;
};

}  // namespace support
