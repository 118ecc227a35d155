// The parameters of the kernels of prinlm.
#pragma once

#include "box.cuh"

// PrinlmParams mirrors struct prinlmParams of prinlm.go.
struct PrinlmParams {
    Box<const float> in, guide, mean, voxels;
    Box<const std::uint8_t> mask;
    Box<float> out;
    int dims[3];
    int radius[3];
    float scale[2]; // factors of g and of m
    int columns;    // of the tile
    int one;        // the centre weighs 1
    double inverse; // 1 / h
};
static_assert(sizeof(PrinlmParams) == 240);
