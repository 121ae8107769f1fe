// From an HTTP request to an HTTP answer: who may ask, what is asked, what the engine says. No socket here.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "local/codec/wording.hpp"

#include <dynalease/aws/signature_verifier.hpp>
#include <dynalease/aws/sigv4.hpp>
#include <dynalease/local/engine.hpp>

#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace dynalease::local {

struct reply {
    unsigned status = 200;
    std::string_view content_type = "application/x-amz-json-1.0";
    std::string body{};
    std::string_view content_encoding{};  ///< empty: as it is
    std::string more_headers{};           ///< whole lines
    bool without_body = false;            ///< HEAD was asked: the headers tell of a body that is not sent
};

class request_service {
public:
    /// @param accepted the keys requests must be signed with; empty: every request is taken.
    /// @param origin whose pages may ask: "*" all, "none" none, or one by its name.
    request_service(std::shared_ptr<engine> store, std::optional<credentials> accepted, std::string origin = "*",
                    codec::wording words = codec::wording::newer);

    reply answer(const aws::request_view& request, engine::time now);

private:
    reply plain_answer(const aws::request_view& request, engine::time now);
    reply service_answer(const aws::request_view& request, engine::time now);
    reply operation_answer(const aws::request_view& request, std::string_view operation, std::string_view body,
                           engine::time now);
    reply error_reply(std::string_view operation, failure why) const;
    void allow_other_origin(const aws::request_view& request, reply& answer) const;
    std::optional<reply> refuse_unsigned(const aws::request_view& request, engine::time now);

    std::shared_ptr<engine> store_;
    std::optional<aws::signature_verifier> verifier_;
    std::string origin_;
    codec::wording words_;
};

}  // namespace dynalease::local
