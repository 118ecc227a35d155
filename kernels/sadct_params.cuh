// The parameters of the sadct kernels.
#pragma once

#include "box.cuh"

constexpr int kScales = 8;  // indices of scales, of three bits
constexpr int kLongest = 12; // the longest scale
constexpr int kNoiseLags = 4;     // pixels apart that the noise is correlated at most

// SadctScalesParams mirrors struct sadctScalesParams of sadct.go.
struct SadctScalesParams {
    Box<const float> in, voxels;
    Box<const std::uint8_t> mask;
    Box<float> out;
    int dims[3];
    int count;                         // scales
    int lengths[kScales];              // in pixels, rising
    double half[2][kScales];           // half widths of the confidence intervals along an axis, and along a diagonal
    double weights[kScales][kLongest]; // of the samples along a line
};
static_assert(sizeof(SadctScalesParams) == 1072);

// SadctStageParams mirrors struct sadctStageParams of sadct.go.
struct SadctStageParams {
    Box<const float> scales, in, pilot, voxels; // pilot only in the Wiener stage
    Box<const std::uint8_t> mask;
    Box<float> out;
    Box<float> supports;   // scratch memory for the supports around these pixels, see sadct.cu
    int from[3], to[3];    // the part of out that the gather computes
    int dims[3];
    int count;             // scales
    int lengths[kScales];  // in pixels, rising
    int reach;             // of a support from its centre
    int overlap;           // 0: no limit
    double sigma;          // 0: the voxels stay as they are
    double threshold;
    const double *deviations; // of the coefficients in noise of sigma 1, see sadct_deviations; null in white noise
};
static_assert(sizeof(SadctStageParams) == 328);

// SadctDeviationsParams mirrors struct sadctDeviationsParams of sadct.go.
struct SadctDeviationsParams {
    double *to;
    double rho[kNoiseLags + 1][kNoiseLags + 1]; // correlation of pixels (dx, dy) apart, by [dy][dx]
    double least;                     // power of a coefficient
    int side;                         // the longest line
    int pad;
};
static_assert(sizeof(SadctDeviationsParams) == 224);
