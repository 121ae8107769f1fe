// A struct of every type that can be mapped, from any item: the answer of a GetItem. What could be read is written and
// read again the same.
// SPDX-License-Identifier: BSL-1.0
#include "fuzz/target.hpp"

#include "dynamodb/codec.hpp"

#include <dynalease/typed_item.hpp>

#include <boost/describe/class.hpp>
#include <boost/describe/enum.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace typed {

enum class colour { red, green };
BOOST_DESCRIBE_ENUM(colour, red, green)

struct inner {
    std::int8_t tiny = 0;
    std::optional<double> fraction{};
    friend bool operator==(const inner&, const inner&) = default;
};
BOOST_DESCRIBE_STRUCT(inner, (), (tiny, fraction))

struct everything {
    std::optional<std::string> s{};
    std::optional<int> i{};
    std::optional<std::uint64_t> u{};
    std::optional<float> f{};
    std::optional<dynalease::number> n{};
    std::optional<std::vector<std::byte>> b{};
    std::optional<bool> flag{};
    std::optional<colour> c{};
    std::optional<std::chrono::sys_time<std::chrono::milliseconds>> t{};
    std::optional<std::chrono::sys_time<std::chrono::nanoseconds>> fine{};
    std::optional<std::vector<inner>> l{};
    std::optional<std::map<std::string, std::int64_t>> m{};
    std::optional<std::set<std::string>> ss{};
    std::optional<std::set<std::int16_t>> ns{};
    std::optional<inner> deep{};
    friend bool operator==(const everything&, const everything&) = default;
};
BOOST_DESCRIBE_STRUCT(everything, (), (s, i, u, f, n, b, flag, c, t, fine, l, m, ss, ns, deep))

}  // namespace typed

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace dynalease;
    const fuzz::input in(data, size);
    const auto answer = codec::decode_response(any_request(get_item_request{}).index(), in.rest());
    if (!answer) return 0;
    const auto& stored = std::get<get_item_response>(*answer).found;
    if (!stored) return 0;
    std::optional<typed::everything> read;
    try {
        read = from_item<typed::everything>(*stored);
    } catch (const error& refused) {
        fuzz::require(refused.code() == errc::bad_attribute, "what does not fit is told as that");
        return 0;
    }
    const auto written = to_item(*read);
    fuzz::require(from_item<typed::everything>(written) == *read, "what was read is written and read the same");
    return 0;
}
