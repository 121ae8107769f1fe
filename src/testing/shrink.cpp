// Making a failing recording plainer, one cut at a time.
// SPDX-License-Identifier: BSL-1.0
#include <dynalease/testing/tape.hpp>

#include <algorithm>
#include <utility>

namespace dynalease::testing {

namespace {

class shrinking {
public:
    shrinking(tape::recording failing, const still_fails& fails, unsigned attempts)
        : best_(std::move(failing)), fails_(fails), left_(attempts) {}

    tape::recording run() {
        drop_labels();
        for (const auto& label : labels()) shorten(label);
        for (const auto& label : labels()) zero_blocks(label);
        drop_labels();
        return std::move(best_);
    }

private:
    bool keep(tape::recording candidate) {
        if (left_ == 0) return false;
        --left_;
        if (!fails_(candidate)) return false;
        best_ = std::move(candidate);
        return true;
    }

    std::vector<std::string> labels() const {
        std::vector<std::string> all;
        for (const auto& [label, choices] : best_) all.push_back(label);
        return all;
    }

    void drop_labels() {
        for (const auto& label : labels()) {
            auto without = best_;
            without.erase(label);
            keep(std::move(without));
        }
    }

    void shorten(const std::string& label) {
        for (std::size_t parts = 2; parts <= 16;) {
            const auto size = best_[label].size();
            auto shorter = best_;
            shorter[label].resize(size - size / parts);
            if (size / parts == 0 || !keep(std::move(shorter))) parts *= 2;
        }
    }

    void zero_blocks(const std::string& label) {
        for (auto block = best_[label].size(); block >= 1 && left_ > 0; block /= 2) {
            for (std::size_t at = 0; at < best_[label].size(); at += block) {
                auto plainer = best_;
                auto& choices = plainer[label];
                const auto end = std::min(choices.size(), at + block);
                const auto first = choices.begin() + static_cast<std::ptrdiff_t>(at);
                const auto last = choices.begin() + static_cast<std::ptrdiff_t>(end);
                if (std::all_of(first, last, [](auto each) { return each == 0; })) continue;
                std::fill(first, last, 0);
                keep(std::move(plainer));
            }
        }
    }

    tape::recording best_;
    const still_fails& fails_;
    unsigned left_;
};

}  // namespace

tape::recording shrink(tape::recording failing, const still_fails& fails, unsigned attempts) {
    return shrinking(std::move(failing), fails, attempts).run();
}

}  // namespace dynalease::testing
