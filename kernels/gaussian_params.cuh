// The parameters of the gaussian kernels.
#pragma once

#include "field.cuh"

// GaussianParams mirrors struct gaussianParams of gaussian.go.
struct GaussianParams {
    Field field;
    int radius[3];
    float decay[3]; // as in BilateralParams
    int band;       // rows that are read at once
    int buffers;    // 2 if one slice can be summed along y while the next is along x, else 1
};
static_assert(sizeof(GaussianParams) == 104);
