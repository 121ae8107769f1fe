// What a server and a relay both are made of: the way to the database, a session, and the repository of one control.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "payments/gateway/http_gateway.hpp"
#include "payments/repositories/intent_repository.hpp"
#include "payments/repositories/rows.hpp"

#include <dynalease/client.hpp>
#include <dynalease/session.hpp>

#include <boost/asio/io_context.hpp>

#include <cstdint>
#include <memory>
#include <string>

namespace payments::demo {

struct office_options {
    std::string endpoint{};  ///< of the database
    control how = control::optimistic;
    std::uint16_t gateway_port = 0;
    std::string callback{};  ///< as in `http_gateway`
    std::string owner{};     ///< "relay-1"
    bool watched = false;    ///< whoever started it hears its standard output, and kills relays when told to
};

struct office {
    office(boost::asio::io_context& io, const office_options& options);

    dynalease::client client;
    dynalease::session session;
    tables rows;
    std::unique_ptr<intent_repository> intents;
    http_gateway bank;
};

}  // namespace payments::demo
