// What a bench has to reach: a figure that misses its goal is said on stderr, and makes the bench exit with 1.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstdio>
#include <cstdlib>

namespace bench {

/// DYNALEASE_BENCH_SLACK multiplies every goal: short runs beside other work get some, and nothing reaches a goal of 0.
class goals {
public:
    void at_most(const char* what, double value, double goal) {
        judge(what, value, value <= goal * slack_, "most", goal * slack_);
    }
    /// Of what is counted, and no machine makes more or less.
    void counted_at_most(const char* what, double value, double goal) {
        judge(what, value, value <= goal, "most", goal);
    }
    void at_least(const char* what, double value, double goal) {
        judge(what, value, value * slack_ >= goal, "least", goal / slack_);
    }

    int status() const noexcept { return missed_ ? 1 : 0; }

private:
    void judge(const char* what, double value, bool reached, const char* bound, double goal) {
        if (reached) return;
        missed_ = true;
        std::fprintf(stderr, "%s misses its goal: %.3g, to be at %s %.3g\n", what, value, bound, goal);
    }

    static double slack_of_environment() {
        const char* text = std::getenv("DYNALEASE_BENCH_SLACK");
        return text ? std::strtod(text, nullptr) : 1;
    }

    double slack_ = slack_of_environment();
    bool missed_ = false;
};

}  // namespace bench
