// Room client: the handle.
// SPDX-License-Identifier: BSL-1.0
#include "client/backend.hpp"

#include <utility>

namespace dynalease {

client::client(const boost::asio::any_io_executor& executor, client_options options)
    : client(backend::make(dynalease::environment::system(executor), std::move(options))) {}

// No default argument in place of it: GCC 12 destroys one twice where the executor is awaited.
client::client(const boost::asio::any_io_executor& executor) : client(executor, client_options{}) {}

client::client(std::shared_ptr<backend> shared) : database(shared), backend_(std::move(shared)) {}

client::~client() = default;
client& client::operator=(client&& other) noexcept = default;

client_counters client::counters() const {
    return backend_->counters();
}

void client::close() noexcept {
    if (backend_) backend_->close();
}

}  // namespace dynalease
