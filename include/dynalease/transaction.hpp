// Transactions: any number of items, of several tables and structs, that change together or not at all.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <dynalease/transaction/committed_pages.hpp>
#include <dynalease/transaction/read_together.hpp>
#include <dynalease/transaction/run_transaction.hpp>
#include <dynalease/transaction/transaction.hpp>
#include <dynalease/transaction/transactions.hpp>
#include <dynalease/transaction/transactions_options.hpp>
