// Hashing: the published examples, and that a context can be used again.
// SPDX-License-Identifier: BSL-1.0
#include "aws/sha256.hpp"

#include <catch2/catch.hpp>

using namespace dynalease::aws;

namespace {

std::string hex(const digest& hash) {
    std::string out;
    append_hex(out, hash);
    return out;
}

}  // namespace

TEST_CASE("a hash of parts is the hash of the whole, and the context starts anew") {
    sha256 hash;
    CHECK(hex(hash.of("")) == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    hash.update("a");
    hash.update("bc");
    CHECK(hex(hash.finish()) == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    CHECK(hex(hash.of("")) == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
}

TEST_CASE("HMAC-SHA-256 gives the results of RFC 4231") {
    sha256 hash;
    CHECK(hex(hmac_key(hash, "Jefe").sign(hash, "what do ya want for nothing?")) ==
          "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843");
    const std::string longer_than_a_block(131, '\xaa');
    CHECK(
        hex(hmac_key(hash, longer_than_a_block).sign(hash, "Test Using Larger Than Block-Size Key - Hash Key First")) ==
        "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54");
}
