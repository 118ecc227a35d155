// The parameters of the bnlm kernels.
#pragma once

#include "preselect.cuh"

// BnlmParams mirrors struct bnlmParams of bnlm.go.
struct BnlmParams {
    Box<const float> in, voxels;
    Box<const std::uint8_t> mask;
    Box<float> out;
    Selection select;
    int dims[3], search[3], radius[3], step[3];
    int spread;    // of the candidates, see candidate
    float scale;   // factor of the values: sums of their squares are then exponents of 2
    float inverse; // 1 / scale
    double factor; // scale^2, of sums of squares
};
static_assert(sizeof(BnlmParams) == 272);
