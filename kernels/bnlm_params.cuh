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

    // Of bnlm_blocks_N and bnlm_mean: u - v of the blocks first <= k < first + count along each
    // axis, x fastest, which stand at step k; for each the voxels of the block, x fastest.
    float *changes;
    int first[3], count[3];
};
static_assert(sizeof(BnlmParams) == 304);
