// Plays files to a target where there is no libFuzzer: a seed is a test in every build.
// SPDX-License-Identifier: BSL-1.0
#include "fuzz/target.hpp"

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

int main(int count, char** folders) {
    std::size_t played = 0;
    for (int i = 1; i < count; ++i) {
        for (const auto& seed : std::filesystem::directory_iterator(folders[i])) {
            std::ifstream file(seed.path(), std::ios::binary);
            const std::string bytes{std::istreambuf_iterator<char>(file), {}};
            std::fprintf(stderr, "%s\n", seed.path().c_str());  // the last one is what the target died of
            LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size());
            ++played;
        }
    }
    return played != 0 ? 0 : 1;
}
