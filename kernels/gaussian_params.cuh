// The parameters of the gaussian kernels.
#pragma once

#include "field.cuh"

// GaussianParams mirrors struct gaussianParams of gaussian.go.
struct GaussianParams {
    Field field;
    int radius[3];
    float decay[3]; // as in BilateralParams
    int band;       // rows in shared memory at once
    int pad;
};
static_assert(sizeof(GaussianParams) == 104);
