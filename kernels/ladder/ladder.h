// Error checks, test data, comparison and timing for the ladders.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <vector>

#define CHECK(call)                                                                        \
    do {                                                                                   \
        cudaError_t e = (call);                                                            \
        if (e != cudaSuccess) {                                                            \
            std::fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(e)); \
            std::exit(1);                                                                  \
        }                                                                                  \
    } while (0)

// noisyVolume returns a volume with edges, slopes and Gaussian noise of sigma 10.
inline std::vector<float> noisyVolume(int nx, int ny, int nz)
{
    std::mt19937 random(1);
    std::normal_distribution<float> noise(0, 10);
    std::vector<float> v(std::size_t(nx) * ny * nz);
    for (std::size_t i = 0; i < v.size(); ++i) {
        int x = int(i % nx), y = int(i / nx % ny), z = int(i / nx / ny);
        v[i] = 100 + 40 * std::sin(0.2f * x) + ((x / 9 + y / 7 + z / 5) % 2 ? 30 : 0) + noise(random);
    }
    return v;
}

// agrees compares with the float64 reference by the tolerance of the engines: no
// difference above 1e-4 of the range, RMS at most 1e-5 of it, no NaN.
inline bool agrees(const std::vector<float> &got, const std::vector<float> &want)
{
    auto [lo, hi] = std::minmax_element(want.begin(), want.end());
    double worst = 0, squares = 0;
    bool good = true;
    for (std::size_t i = 0; i < got.size(); ++i) {
        double d = std::fabs(double(got[i]) - want[i]) / (double(*hi) - *lo);
        good &= d <= 1e-4; // false for a NaN
        worst = std::max(worst, d);
        squares += d * d;
    }
    double rms = std::sqrt(squares / double(got.size()));
    good &= rms <= 1e-5;
    std::printf("max %.1e, rms %.1e of the range: %s\n", worst, rms, good ? "ok" : "FAIL");
    return good;
}

// milliseconds returns the median time of launch() over n runs after two.
template <class Launch>
float milliseconds(int n, Launch launch)
{
    cudaEvent_t from, to;
    CHECK(cudaEventCreate(&from));
    CHECK(cudaEventCreate(&to));
    std::vector<float> times;
    for (int i = 0; i < n + 2; ++i) {
        float ms;
        CHECK(cudaEventRecord(from));
        launch();
        CHECK(cudaEventRecord(to));
        CHECK(cudaEventSynchronize(to));
        CHECK(cudaGetLastError());
        CHECK(cudaEventElapsedTime(&ms, from, to));
        if (i >= 2) times.push_back(ms);
    }
    std::sort(times.begin(), times.end());
    return times[times.size() / 2];
}
