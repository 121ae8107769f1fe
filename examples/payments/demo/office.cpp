// Joins the parts.
// SPDX-License-Identifier: BSL-1.0
#include "payments/demo/office.hpp"

#include "payments/demo/settings.hpp"
#include "payments/repositories/make_repository.hpp"
#include "support/local_server.hpp"

namespace payments::demo {

office::office(boost::asio::io_context& io, const office_options& options)
    : client(io.get_executor(), support::local_client_options(options.endpoint)),
      session(client, session_options(options.owner)),
      rows(client),
      intents(make_repository(options.how, rows, session, lock_options())),
      bank(io.get_executor(), options.gateway_port, gateway_patience, options.callback) {}

}  // namespace payments::demo
